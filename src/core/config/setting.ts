import { z } from 'zod';

/** A parser for the text of a setting, and the accepted values in words that complete "Set it to". */
export interface Accepted<Value> {
  /**
   * Messages of custom issues are shown and never contain a secret. All other issues are reported by the accepted
   * values alone.
   */
  readonly schema: z.ZodType<Value>;
  readonly form: string;
}

/** Inputs of a computed default. */
interface Surroundings {
  readonly isTerminal: boolean;
}

/** A default that is computed, and its description. */
interface Computed {
  readonly words: string;
  readonly text: (surroundings: Surroundings) => string;
}

interface Row<Value> extends Accepted<Value> {
  /** One line for the documentation. */
  readonly meaning: string;
  /**
   * Text that an unset variable stands for. An empty text is shown as `unset`. Without a default, the value is
   * undefined.
   */
  readonly default?: string | Computed;
  /** Meaning of an unset variable without a default. */
  readonly unset?: string;
  /** The value never appears in messages. */
  readonly secret?: true;
  /** The setting affects the result of captures, so it is part of the scope of a shared cache. */
  readonly shapesCaptures?: true;
}

/** An environment variable, as described in the documentation and in error messages. */
export interface Setting {
  readonly name: string;
  /** Default value, or its description if `defaultIsProse`. */
  readonly defaultText: string;
  readonly defaultIsProse: boolean;
  /** Returns the text to parse if the variable is unset. */
  readonly whenUnset: (surroundings: Surroundings) => string | undefined;
  readonly form: string;
  readonly meaning: string;
  readonly secret: boolean;
  readonly shapesCaptures: boolean;
}

const described = z.registry<Setting>();

/** Creates a row of the settings table: a schema with its description. */
export function setting<Value>(
  name: string,
  row: Row<Value> & { readonly default: string | Computed },
): z.ZodType<Value>;
export function setting<Value>(name: string, row: Row<Value>): z.ZodType<Value | undefined>;
export function setting(name: string, row: Row<unknown>): z.ZodType {
  const { schema, form, meaning, default: given, unset = 'unset', secret = false, shapesCaptures = false } = row;
  const [words, whenUnset] = typeof given === 'object' ? [given.words, given.text] : [given || unset, () => given];
  const defaultIsProse = words !== given;
  const entry = {
    name,
    defaultText: words,
    defaultIsProse,
    whenUnset,
    form,
    meaning,
    secret,
    shapesCaptures,
  };
  return schema.optional().register(described, entry);
}

/** Rows of settings, by their keys in the parsed settings. */
export type SettingRows = Readonly<Record<string, z.ZodType>>;

/** The parsed settings of these rows. */
export type ConfigOf<Rows extends SettingRows> = Readonly<z.output<z.ZodObject<Rows>>>;

/** Returns the descriptions of rows, with their keys, in their order. */
export function describeSettings(rows: SettingRows): readonly (Setting & { readonly key: string })[] {
  return Object.entries(rows).map(([key, row]) => {
    const found = described.get(row);
    if (found === undefined) throw new Error('setting() must create every row of the settings');
    return { key, ...found };
  });
}
