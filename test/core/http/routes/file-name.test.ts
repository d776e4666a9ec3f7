import { parse } from 'content-disposition';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../../src/core/capture/request/options.ts';
import { appWith } from '../../../support/app.ts';

const PAGE = { url: 'https://example.com/' };

describe('file_name and disposition', () => {
  const seen: CaptureOptions[] = [];
  const post = (fields: object) =>
    request(appWith({ onCapture: (options) => seen.push(options) }))
      .post('/capture')
      .send({ ...PAGE, ...fields });

  it.each([
    ['a.png', 'attachment; filename=a.png'],
    ['a "b".png', String.raw`attachment; filename="a \"b\".png"`],
    ['no extension', 'attachment; filename="no extension"'],
    [
      'Rechnung für Zoë.pdf',
      /^attachment; filename="Rechnung f.r Zo..pdf"$|filename\*=UTF-8''Rechnung%20f%C3%BCr%20Zo%C3%AB\.pdf/,
    ],
    ['請求書 🧾.pdf', /filename\*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8%20%F0%9F%A7%BE\.pdf/],
    ['..a', 'attachment; filename=..a'],
  ])('names the file %s', async (name, header) => {
    const { status, headers } = await post({ file_name: name });

    expect(status).toBe(200);
    expect(headers['content-disposition']).toMatch(header);
    expect(parse(headers['content-disposition'] ?? '').parameters['filename']).toBe(name);
  });

  it('works in a link', async () => {
    const query = new URLSearchParams({ ...PAGE, file_name: 'a b.png', disposition: 'inline' });

    const { headers } = await request(appWith()).get(`/capture?${query}`);

    expect(headers['content-disposition']).toBe('inline; filename="a b.png"');
  });

  it('is no part of the capture, so that equal captures are shared', async () => {
    seen.length = 0;
    await post({ file_name: 'a.png', disposition: 'inline' });
    await post({});

    expect(seen[0]).toEqual(seen[1]);
  });

  it.each(['png', 'jpeg', 'webp', 'avif', 'pdf', 'markdown'])('shows %s inline', async (format) => {
    const { headers } = await post({ format, disposition: 'inline' });

    expect(headers['content-disposition']).toMatch(/^inline; filename=screenshot\.\w+$/);
  });

  it.each([{ format: 'html' }, { format: 'mhtml' }, { response_type: 'json' }])(
    'does not show other answers inline: %j',
    async (fields) => {
      const { status, body } = await post({ ...fields, disposition: 'inline' });

      expect([status, body.error_type]).toEqual([400, 'ValidationError']);
      expect(body.error_details).toMatch(/^disposition: inline is for files of the formats png, /);
    },
  );

  it.each(['', ' ', '.', '..', 'a/b', String.raw`a\b`, 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(201), 1])(
    'refuses the name %j',
    async (name) => {
      const { status, body } = await post({ file_name: name });

      expect([status, body.error_details]).toEqual([
        400,
        'file_name: must be a file name of 1 to 200 characters, without / and \\',
      ]);
    },
  );

  it('refuses another disposition', async () => {
    expect((await post({ disposition: 'form-data' })).body.error_details).toBe(
      'disposition: must be one of attachment, inline',
    );
  });
});
