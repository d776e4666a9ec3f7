import type { ParseLimits } from '../../core/capture/request/parse-options.ts';
import {
  type ExpandTemplate,
  type FieldRules,
  isAllowed,
  withoutTemplate,
} from '../../core/capture/request/request-parser.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import { renderAttachments } from './render-attachments.ts';
import { checkRequestFields, readTemplateFields, withTemplate } from './expand-fields.ts';
import { openTemplateFolder } from './template-folder.ts';
import { createRenderer, type Renderer } from './rendering/renderer.ts';
import { isPreset, type Template } from './template.ts';

/** Stands for the page of a template that is not rendered. */
const NO_PAGE = '\n';

/** The templates of the service. */
export interface Templates {
  /** False if TEMPLATES_DIR is not set. */
  readonly areOn: boolean;
  readonly expand: ExpandTemplate;
  /** Returns the templates that a key may use. */
  readonly list: (key: FieldRules | undefined) => readonly Template[];
  readonly close: () => Promise<void>;
}

/** Templates of a service without TEMPLATES_DIR. */
export const NO_TEMPLATES: Templates = {
  areOn: false,
  expand: async (fields, tool) => ({ fields: withoutTemplate(fields, tool) }),
  list: () => [],
  close: async () => undefined,
};

interface TemplatesOptions {
  /** The setting TEMPLATES_DIR. */
  readonly folder: string;
  readonly limits: ParseLimits;
  readonly log: Logger;
  readonly pollMs?: number;
  /** Renders the templates, and is closed with them. */
  readonly renderer?: Renderer;
}

/**
 * Reads the templates, and keeps them up to date. The caller closes them.
 * @throws Error with a message for the operator that names each invalid template
 */
export async function openTemplates(options: TemplatesOptions): Promise<Templates> {
  const { renderer = createRenderer() } = options;
  const folder = await openTemplateFolder({ ...options, check: renderer.check }).catch(async (error: unknown) => {
    await renderer.close();
    throw error;
  });

  return {
    areOn: true,
    expand: async (fields, { key, checksOnly = false, ...tool }) => {
      const { name, data } = readTemplateFields(fields);
      const template = folder.get(name);
      if (template === undefined)
        throw new ServiceError('TemplateNotFoundError', undefined, { details: `template: ${name}` });
      checkRequestFields(template, fields);
      const expanded = withTemplate(template, fields, tool);
      const render = async (source?: string): Promise<string | undefined> =>
        await renderer.render(template, data, { client: key?.id, checksOnly, source });
      const page = await render();
      const attached = await renderAttachments(template, expanded, render);
      const html = checksOnly && !isPreset(template) ? NO_PAGE : page;
      if (html === undefined) return { fields: attached };
      // Without files, the page needs no address. Loading one costs 6 % of a capture (2026-11-23).
      const ownSite = template.site.files.size === 0 ? undefined : template.site;
      return { fields: { ...attached, html_content: html }, ownSite };
    },
    list: (key) => folder.list().filter(({ name }) => isAllowed(key?.templates, name)),
    close: async () => {
      await Promise.all([folder.close(), renderer.close()]);
    },
  };
}

/** What parts that use templates share. */
export interface TemplatesState {
  readonly templates: Templates;
}
