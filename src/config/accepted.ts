import { z } from 'zod';
import type { Accepted } from './setting.ts';

export function wholeNumber(min: number, max: number): Accepted<number> {
  return {
    form: `a whole number from ${min} to ${max}`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max)),
  };
}

/** Accepts `1` and `0` too, as in a request. */
export function toggle(): Accepted<boolean> {
  return { form: 'true or false', schema: z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }) };
}

/** Accepts one word of a closed set, in any case. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words): Accepted<Words[number]> {
  const form = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return { form, schema: z.string().toLowerCase().pipe(z.enum(words)) };
}

/** Reports what is wrong with a setting. The message is shown to users and must not contain secrets. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
