import type { z } from 'zod';
import type { MetricDescription } from './metrics.mjs';

interface Documented {
  readonly captureSchema: z.ZodObject;
  readonly settings: readonly {
    readonly name: string;
    readonly defaultText: string;
    readonly defaultIsProse?: boolean;
    readonly form: string;
    readonly meaning: string;
  }[];
  readonly errors: Readonly<
    Record<string, { readonly status: number; readonly otherStatus?: number; readonly when: string }>
  >;
  readonly warnings: Readonly<Record<string, string>>;
  readonly headers: readonly { readonly name: string; readonly on: string; readonly meaning: string }[];
  readonly tools: readonly {
    readonly name: string;
    readonly title: string;
    readonly fields: readonly string[];
  }[];
  readonly metrics: readonly MetricDescription[];
  readonly conflicts: readonly string[];
}

interface DocumentedOption {
  readonly is: string;
  readonly ours?: string;
  readonly note?: string;
}

type Tables = Readonly<
  Record<'fields' | 'conflicts' | 'settings' | 'errors' | 'warnings' | 'headers' | 'metrics' | 'tools', string>
>;

export declare function renderTables(documented: Documented): Tables;
export declare function renderCompat(
  services: Readonly<Record<string, { readonly options: Readonly<Record<string, DocumentedOption>> }>>,
): Readonly<Record<string, string>>;
export declare function fillIn(text: string, tables: Readonly<Record<string, string>>): string;
