import type { TemplateSettings } from './template-setting.ts';
import type { Part } from '../../core/part.ts';
import { NO_TEMPLATES, openTemplates, type TemplatesState } from './templates.ts';

/** Documents of the operator, which requests name instead of a page. */
export const TEMPLATES: Part<{ readonly config: TemplateSettings }, TemplatesState> = {
  open: async ({ config, lifecycle, log }) => {
    const { templatesDir: folder } = config;
    const templates = folder === undefined ? NO_TEMPLATES : await openTemplates({ folder, limits: config, log });
    lifecycle.onClose({ name: 'templates', timeoutMs: 2_000, close: templates.close });
    return {
      state: { templates },
      ports: { expand: templates.expand, extensions: { 'x-templates': templates.areOn } },
    };
  },
};
