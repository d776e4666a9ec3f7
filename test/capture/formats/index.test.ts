import { describe, expect, it } from 'vitest';

import { FORMAT_NAMES, FORMATS } from '../../../src/capture/formats/index.ts';

describe('FORMATS', () => {
  it('has a row for every format that can be asked for', () => {
    expect(Object.keys(FORMATS)).toEqual([...FORMAT_NAMES]);
  });

  it.each([
    ['png', 'image/png', undefined],
    ['jpeg', 'image/jpeg', 65_500],
    ['webp', 'image/webp', 16_383],
    ['pdf', 'application/pdf', undefined],
    ['html', 'text/html; charset=utf-8', undefined],
  ] as const)('knows the type, the extension and the largest side of %s', (name, mimeType, maxSide) => {
    expect(FORMATS[name]).toMatchObject({ mimeType, extension: name });
    expect(FORMATS[name].maxSide).toBe(maxSide);
  });

  it('sends html in a sandbox, and it alone', () => {
    expect(FORMATS.html.headers).toEqual({ 'Content-Security-Policy': 'sandbox' });
    for (const name of ['png', 'jpeg', 'webp', 'pdf'] as const) expect(FORMATS[name].headers).toEqual({});
  });
});
