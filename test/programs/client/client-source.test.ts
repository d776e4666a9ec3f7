import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { renderClientSource } from '../../../scripts/docs/client-source.mjs';
import { captureSchema, FIELD_NAMES } from '../../../src/core/capture/request/options.ts';
import { CaptureError } from '../../../src/programs/client/capture-error.ts';
import { type CaptureFields, FIELD_NAMES as CLIENT_FIELD_NAMES } from '../../../src/programs/client/capture-fields.ts';
import { ERROR_CLASSES } from '../../../src/programs/client/service-errors.ts';
import { WARNINGS } from '../../../src/core/steps/common/step.ts';
import { PHASES } from '../../../src/core/steps/common/stopwatch.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../../src/core/ground/errors.ts';

const ROOT = join(import.meta.dirname, '../../..');

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

describe('generated client code', () => {
  it('is up to date; if not, run `npm run docs`', async () => {
    const written = await renderClientSource({
      captureSchema,
      errors: ERROR_CATALOGUE,
      warnings: WARNINGS,
      phases: PHASES,
    });

    const paths = Object.keys(written);
    expect(paths).toHaveLength(3);
    expect(Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))).toEqual(written);
  });

  it('has the fields of the schema, with their types', () => {
    expect(CLIENT_FIELD_NAMES).toEqual(FIELD_NAMES);
    expectTypeOf<CaptureFields>().toEqualTypeOf<Frozen<z.input<typeof captureSchema>>>();
  });

  it('has a class for each error', () => {
    const classes: Readonly<Record<ErrorType, typeof CaptureError>> = ERROR_CLASSES;

    expect(Object.keys(classes)).toEqual(Object.keys(ERROR_CATALOGUE));
    for (const errorClass of Object.values(classes)) expect(errorClass.prototype).toBeInstanceOf(CaptureError);
  });
});
