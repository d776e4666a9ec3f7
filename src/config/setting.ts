import { z } from 'zod';

/** A parser of a setting's text, and what it accepts in words that read on from "Set it to". */
export interface Accepted<Value> {
  /** The message of a custom issue is shown and never holds a secret; every other issue is told by the form alone. */
  readonly schema: z.ZodType<Value>;
  readonly form: string;
}

/** What a default may depend on, beside the machine. */
interface Surroundings {
  readonly isTerminal: boolean;
}

/** Words of the documentation about a text that is found out. */
interface Computed {
  readonly words: string;
  readonly text: (surroundings: Surroundings) => string;
}

interface Row<Value> extends Accepted<Value> {
  /** One line for the documentation. */
  readonly meaning: string;
  /** The text that an unset variable stands for; an empty one is shown as `unset`. Without any, the value is undefined. */
  readonly default?: string | Computed;
  /** What an unset variable means that has no default. */
  readonly unset?: string;
  /** Its value never appears in a message. */
  readonly secret?: true;
  /** It decides what a capture may show and how: services that share a cache may differ in it. */
  readonly shapesCaptures?: true;
}

/** One environment variable, as the documentation and the error messages describe it. */
export interface Setting {
  readonly name: string;
  /** The value used when the variable is unset; with `defaultIsProse`, words about it. */
  readonly defaultText: string;
  readonly defaultIsProse: boolean;
  /** The text that is parsed when the variable is unset. */
  readonly whenUnset: (surroundings: Surroundings) => string | undefined;
  readonly form: string;
  readonly meaning: string;
  readonly secret: boolean;
  readonly shapesCaptures: boolean;
}

const described = z.registry<Setting>();

/** A row of the table: the schema of a setting, which knows what is to be said of it. */
export function setting<Value>(
  name: string,
  row: Row<Value> & { readonly default: string | Computed },
): z.ZodType<Value>;
export function setting<Value>(name: string, row: Row<Value>): z.ZodType<Value | undefined>;
export function setting(name: string, row: Row<unknown>): z.ZodType {
  const {
    schema,
    form,
    meaning,
    default: given,
    unset = 'unset',
    secret = false,
    shapesCaptures = false,
  } = row;
  const [words, whenUnset] =
    typeof given === 'object' ? [given.words, given.text] : [given || unset, () => given];
  const defaultIsProse = words !== given;
  const said = { name, defaultText: words, defaultIsProse, whenUnset, form, meaning, secret, shapesCaptures };
  return schema.optional().register(described, said);
}

/** What is to be said of a row. */
export function settingOf(row: z.ZodType): Setting {
  const setting = described.get(row);
  if (setting === undefined) throw new Error('A row of the settings is made by setting()');
  return setting;
}
