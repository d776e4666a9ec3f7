import { resolve } from 'node:path';
import { z } from 'zod';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of templates. */
export const TEMPLATE_SETTINGS = {
  templatesDir: setting('TEMPLATES_DIR', {
    form: 'the path of a folder with a folder for each template',
    schema: z.string().transform((path) => resolve(path)),
    meaning: 'Folder of the templates and presets of the field template. Read again when it changes',
  }),
};

export type TemplateSettings = ConfigOf<typeof TEMPLATE_SETTINGS>;
