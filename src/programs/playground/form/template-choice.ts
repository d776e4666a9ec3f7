import type { Field, Reference } from '../reference.ts';
import { CaptureError } from '../../client/capture-error.ts';
import { get } from '../send.ts';
import type { Values } from './values.ts';

/** A template as `GET /templates` describes it. */
interface TemplateView {
  readonly name: string;
  /** JSON Schema of the field `data`. */
  readonly data?: { readonly examples?: readonly unknown[] };
}

interface TemplateChoice {
  /** The reference, whose field `template` is a choice of the templates. Without any, it stays a text. */
  readonly reference: Reference;
  /**
   * Returns the first example of the schema, if a template was just chosen and there are no data yet. Otherwise
   * undefined.
   */
  readonly exampleFor: (values: Values) => unknown;
}

/** Offers the templates of the service, and example data for them. */
export async function offerTemplates(reference: Reference, token: string | undefined): Promise<TemplateChoice> {
  const templates = await listTemplates(reference, token);
  const names = templates.map(({ name }) => name);
  const offer = (field: Field): Field => {
    if (field.name !== 'template' || names.length === 0) return field;
    return { ...field, schema: { ...field.schema, enum: names } };
  };
  let before: unknown;
  return {
    reference: { ...reference, fields: reference.fields.map(offer) },
    exampleFor: ({ template, data }) => {
      const isNew = template !== before;
      before = template;
      if (!isNew || data !== undefined) return undefined;
      return templates.find(({ name }) => name === template)?.data?.examples?.[0];
    },
  };
}

/** Returns the templates that the token may use. None without a token that the service accepts. */
async function listTemplates(
  { hasTemplates, needsToken }: Reference,
  token: string | undefined,
): Promise<readonly TemplateView[]> {
  if (!hasTemplates || (needsToken && token === undefined)) return [];
  const list = await get<{ templates: readonly TemplateView[] }>('templates', { token });
  return list instanceof CaptureError ? [] : list.templates;
}
