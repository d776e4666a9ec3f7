import { z } from 'zod';
import { fieldPath } from '../../../core/ground/field-path.ts';
import { fieldsOf } from '../../../core/steps/common/fields.ts';
import { MAX_SELECTOR_LENGTH } from '../../../core/steps/area.ts';

const TYPES = ['text', 'number', 'boolean', 'url', 'html'] as const;
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 100;
const LEVELS = 3;
const SPEC_ERROR = 'must be a CSS selector, or an object with selector';
const SELECTOR_ERROR = `must be a CSS selector of 1 to ${MAX_SELECTOR_LENGTH} characters`;
const NAME_ERROR = `must be text of 1 to ${MAX_NAME_LENGTH} characters`;
const VALUES_ERROR = 'must be an object with selectors by name';
const NAMES_ERROR = `must have 1 to ${MAX_NAMES} names in all, each of 1 to ${MAX_NAME_LENGTH} characters`;

/** How a value is read from the page. */
type ValueSpec = {
  readonly selector: string;
  /** Read instead of the text. */
  readonly attribute?: string | undefined;
  readonly property?: string | undefined;
  /** True for a list of all matches. */
  readonly all: boolean;
  readonly type?: (typeof TYPES)[number] | undefined;
  /** Values inside of each match, instead of one value. */
  readonly fields?: ValueSpecs | undefined;
};

export type ValueSpecs = { readonly [name: string]: ValueSpec };

const selector = z
  .string({ error: SELECTOR_ERROR })
  .min(1, { error: SELECTOR_ERROR })
  .max(MAX_SELECTOR_LENGTH, { error: SELECTOR_ERROR });
const name = z
  .string({ error: NAME_ERROR })
  .min(1, { error: NAME_ERROR })
  .max(MAX_NAME_LENGTH, { error: NAME_ERROR })
  .optional();

/** Values by name, each with these further members. */
function valuesOf<const Further extends z.core.$ZodLooseShape>(further: Further) {
  const spec = z
    .strictObject({
      selector,
      attribute: name,
      property: name,
      all: z.boolean({ error: 'must be true or false' }).default(false),
      type: z.enum(TYPES, { error: `must be one of ${TYPES.join(', ')}` }).optional(),
      ...further,
    })
    .refine((given) => !(has(given, 'attribute') && has(given, 'property')), {
      error: 'must have either attribute or property',
    })
    .refine((given) => !has(given, 'fields') || !['attribute', 'property', 'type'].some((each) => has(given, each)), {
      error: 'must not have fields beside attribute, property or type',
    });
  const short = selector.transform((css): ValueSpec => ({ selector: css, all: false }));
  return z.record(z.string(), z.union([short, spec], { error: describeSpec }), { error: VALUES_ERROR });
}

function has(given: object, member: string): boolean {
  return Reflect.get(given, member) !== undefined;
}

const lowest = valuesOf({});
const middle = valuesOf({ fields: lowest.optional() });
const highest = valuesOf({ fields: middle.optional() });

/** Describes what is wrong with an object, which a union would not tell. */
function describeSpec({ input, errors }: z.core.$ZodRawIssue): string {
  const first = Array.isArray(errors) ? errors[1]?.[0] : undefined;
  if (typeof input !== 'object' || input === null || first === undefined) return SPEC_ERROR;
  const {
    path,
    message,
    code,
    keys = [],
  }: { path: PropertyKey[]; message: string; code: string; keys?: string[] } = first;
  if (code === 'unrecognized_keys')
    return `${SPEC_ERROR}, without ${keys.join(', ').slice(0, MAX_NAME_LENGTH)}${keys.includes('fields') ? `: ${LEVELS} levels at most` : ''}`;
  return path.length === 0 ? message : `${fieldPath(path)} ${message}`;
}

function areNamed(values: ValueSpecs): boolean {
  let count = 0;
  const visit = (specs: ValueSpecs): boolean =>
    Object.entries(specs).every(([each, { fields }]) => {
      count++;
      const isNamed = each.length >= 1 && each.length <= MAX_NAME_LENGTH && count <= MAX_NAMES;
      return isNamed && (fields === undefined || visit(fields));
    });
  return visit(values) && count > 0;
}

export const extractFields = fieldsOf('page', {
  extract: highest
    .refine(areNamed, { error: NAMES_ERROR })
    .meta({
      description:
        'Values to read from the page, by name: the text of the first match of a selector, as a person sees it. An object reads an `attribute` or `property`, `all` matches, another `type`, or `fields` inside of each match. Nothing found is `null`. Needs `response_type=json`',
      example: { title: 'h1', price: { selector: '.price', type: 'number' } },
      accepts: `object of at most ${MAX_NAMES} names, each with a selector, or with \`selector\` and any of \`attribute\`, \`property\`, \`all\`, \`type\` (${TYPES.map((type) => `\`${type}\``).join(', ')}), \`fields\`; ${LEVELS} levels`,
    })
    .optional(),
});

export type ExtractOptions = z.output<typeof extractFields>;
