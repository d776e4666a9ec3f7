import type { RequestOptions } from '../capture/request/options.ts';
import { type ParseLimits, parseOptions } from '../capture/request/parse-options.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isJsonObject } from '../parse-json.ts';
import {
  checkKeyFields,
  checkRequestFields,
  type FieldRules,
  isAllowed,
  readTemplateFields,
  type ToolFields,
  withoutTemplate,
  withTemplate,
} from './expand-fields.ts';
import { openTemplateFolder } from './template-folder.ts';
import { createRenderer, type Renderer } from './rendering/renderer.ts';
import { isPreset, type Template } from './template.ts';

/** Stands for the page of a template that is not rendered. */
const NO_PAGE = '\n';

interface RequestRules extends ToolFields {
  readonly limits: ParseLimits;
  /** Rules of the key of the request. Undefined: all fields and templates are allowed. */
  readonly key?: FieldRules | undefined;
  /** True: the capture runs later, so the data is checked, and the page is not rendered. */
  readonly checksOnly?: boolean;
}

/** The templates of the service. */
export interface Templates {
  /** False if TEMPLATES_DIR is not set. */
  readonly areOn: boolean;
  /**
   * Parses the fields of a request. Replaces `template` and `data` by the fields and the page of the template first.
   * @throws ServiceError like `parseOptions`; FieldNotAllowedError, TemplateNotFoundError, TemplateError
   */
  readonly parse: (fields: unknown, rules: RequestRules) => Promise<RequestOptions>;
  /** Returns the templates that a key may use. */
  readonly list: (key: FieldRules | undefined) => readonly Template[];
  readonly close: () => Promise<void>;
}

/** Templates of a service without TEMPLATES_DIR. */
export const NO_TEMPLATES: Templates = {
  areOn: false,
  parse: async (fields, { limits, key, ...tool }) => {
    if (!isJsonObject(fields)) return parseOptions(fields, limits);
    if (key !== undefined) checkKeyFields(fields, key);
    return parseOptions(withoutTemplate(fields, tool), limits);
  },
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
    parse: async (fields, rules) => {
      if (!isJsonObject(fields) || fields['template'] === undefined) return await NO_TEMPLATES.parse(fields, rules);
      const { limits, key, checksOnly = false, ...tool } = rules;
      if (key !== undefined) checkKeyFields(fields, key);
      const { name, data } = readTemplateFields(fields);
      const template = folder.get(name);
      if (template === undefined)
        throw new ServiceError('TemplateNotFoundError', undefined, { details: `template: ${name}` });
      checkRequestFields(template, fields);
      const expanded = withTemplate(template, fields, tool);
      const page = await renderer.render(template, data, { client: key?.id, checksOnly });
      const html = checksOnly && !isPreset(template) ? NO_PAGE : page;
      if (html === undefined) return parseOptions(expanded, limits);
      const options = parseOptions({ ...expanded, html_content: html }, limits);
      // Without files, the page needs no address. Loading one costs 6 % of a capture (2026-11-23).
      if (template.site.files.size === 0) return options;
      return { ...options, capture: { ...options.capture, ownSite: template.site } };
    },
    list: (key) => folder.list().filter(({ name }) => isAllowed(key?.templates, name)),
    close: async () => {
      await Promise.all([folder.close(), renderer.close()]);
    },
  };
}
