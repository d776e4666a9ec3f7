import type { z } from 'zod';

interface Described {
  readonly captureSchema: z.ZodObject;
  readonly errors: Readonly<
    Record<string, { readonly status: number; readonly otherStatus?: number; readonly when: string }>
  >;
  readonly warnings: Readonly<Record<string, string>>;
  readonly phases: readonly string[];
}

export declare function renderClientSource(described: Described): Promise<Readonly<Record<string, string>>>;
