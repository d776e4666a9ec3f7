import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fieldPath } from '../../../core/ground/field-path.ts';
import { onOneLine } from '../../../core/ground/quoted.ts';
import { TemplateProblem } from '../template.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const MAX_SHOWN = 10;
const MAX_SHOWN_NAME = 64;

/**
 * Returns the problems of the data, each with its path. None: the data is valid, and missing values have the defaults
 * of the schema.
 */
export type CheckData = (data: Readonly<Record<string, unknown>>) => readonly string[];

/**
 * Compiles the JSON Schema of a template.
 * @throws TemplateProblem for a schema that is not valid
 */
export function createDataCheck(schema: Readonly<Record<string, unknown>>): CheckData {
  const { $schema: dialect = DIALECT } = schema;
  if (typeof dialect !== 'string' || dialect.replace(/#$/, '') !== DIALECT) {
    throw new TemplateProblem(`template.json: data: $schema must be ${DIALECT}, or left out`);
  }
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    strictTypes: false,
    strictTuples: false,
    logger: false,
  });
  addFormats.default(ajv);
  const check = compile(() => ajv.compile(schema));
  return (data) => {
    if (check(data)) return [];
    return (check.errors ?? []).slice(0, MAX_SHOWN).map(describe);
  };
}

function compile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new TemplateProblem(`template.json: data: ${reason}`, { cause: error });
  }
}

function describe({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(decodePart);
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return `${pathOf([...path, String(params['missingProperty'])])}: is required`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
      return `${pathOf([...path, String(name)])}: is not accepted`;
    }
    case 'enum': {
      const values: readonly unknown[] = [params['allowedValues']].flat();
      return `${pathOf(path)}: must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
    }
    case 'const':
      return `${pathOf(path)}: must be ${JSON.stringify(params['allowedValue'])}`;
    default:
      return `${pathOf(path)}: ${message}`;
  }
}

/** Names in the data are those of the client. */
function pathOf(parts: readonly string[]): string {
  const shown = parts.map((part) => {
    return /^\d{1,9}$/.test(part) ? Number(part) : onOneLine(part.slice(0, MAX_SHOWN_NAME));
  });
  return fieldPath(['data', ...shown]);
}

/** RFC 6901 section 4. */
function decodePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
