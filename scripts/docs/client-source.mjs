import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { z } from 'zod';

const STYLE = JSON.parse(readFileSync(new URL('../../.prettierrc.json', import.meta.url), 'utf8'));

/**
 * Generates the files of src/programs/client/ from schema, errors and names, by path, so that the client needs neither zod nor
 * the service.
 */
export async function renderClientSource({ captureSchema, errors, warnings, phases }) {
  return {
    'src/programs/client/capture-fields.ts': await formatted(fieldSource(captureSchema)),
    'src/programs/client/service-errors.ts': await formatted(errorSource(errors)),
    'src/programs/client/service-names.ts': await formatted(nameSource({ warnings, phases })),
  };
}

function formatted(text) {
  return format(text, { ...STYLE, parser: 'typescript' });
}

function fieldSource(captureSchema) {
  const { properties } = z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' });
  return `// Written by \`npm run docs\` from the schema of src/core/capture/request/options.ts.

/** The fields of a capture. Exactly one of \`url\`, \`html_content\` and \`markdown_content\` is required, unless \`template\` has its own page. */
export interface CaptureFields {
${members(properties)}
}

/** The names of all fields. */
export const FIELD_NAMES = ${JSON.stringify(Object.keys(properties))} as const;
`;
}

function errorSource(errors) {
  const types = Object.keys(errors);
  const classes = Object.entries(errors).map(
    ([type, { status, otherStatus, when }]) => `
/** ${[otherStatus, status].filter(Boolean).join(' or ')}: ${comment(when)} */
export class ${type} extends CaptureError {
  declare readonly errorType: '${type}';
}`,
  );
  return `// Written by \`npm run docs\` from the catalogue in src/core/ground/errors.ts.
import { CaptureError } from './capture-error.ts';
${classes.join('\n')}

/** The class of each \`error_type\`. */
export const ERROR_CLASSES = { ${types.join(', ')} } as const;
`;
}

function nameSource({ warnings, phases }) {
  const codes = Object.entries(warnings).map(([code, when]) => `/** ${comment(when)} */\n| '${code}'`);
  return `// Written by \`npm run docs\` from WARNINGS and PHASES of src/core/steps/common/.

/** Code of a warning: what the capture may lack. */
export type WarningCode = ${codes.join('\n')};

/** Phase of a capture. */
export type Phase = ${phases.map((phase) => `'${phase}'`).join(' | ')};
`;
}

function members(properties, required = []) {
  return Object.entries(properties)
    .map(([name, field]) => {
      const optional = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
      const description = field.description === undefined ? '' : `/** ${comment(describe(field))} */\n`;
      return `${description}readonly ${name}${optional[0]}: ${typeOf(field)}${optional[1]};`;
    })
    .join('\n');
}

function describe({ description, default: given }) {
  return given === undefined ? description : `${description}. Default: \`${JSON.stringify(given)}\``;
}

function typeOf({
  type,
  const: only,
  oneOf,
  anyOf = oneOf,
  enum: choices,
  items,
  properties,
  required,
  additionalProperties,
}) {
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each })).join(' | ');
  if (type === undefined && anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'array') return `readonly (${typeOf(items)})[]`;
  if (properties !== undefined) return `{ ${members(properties, required)} }`;
  if (type === 'object') return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  if (type === undefined) return 'unknown';
  throw new Error(`There is no TypeScript type for the JSON type "${type}".`);
}

/** Returns the text on one line, without the end of a comment. */
function comment(text) {
  return text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ');
}
