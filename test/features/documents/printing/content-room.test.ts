import { describe, expect, it } from 'vitest';
import { contentPlace, contentRoom } from '../../../../src/features/documents/printing/content-room.ts';
import type { PdfFile } from '../../../../src/features/documents/pdf-file.ts';

const CONTENT = '115.625 115.625 2250 3275 re\nW* n\n';
const TEXT = '/F6 16 Tf\n';
const SCALED = `q\n3.125 0 0 3.125 115.625 115.625 cm\n${TEXT}Q\n`;
const PHOTO = 'q\n2460.5 0 0 -1618.75 11.96 1734.38 cm\n/X5 Do\nQ\n';
const LOGO = '115.625 115.625 625 187.5 re\nW* n\nq\n1.5625 0 0 1.5625 115.625 115.625 cm\n20 0 m\nQ\nQ\nq\n';
const margin = [37];
const SAME = { top: 37, right: 37, bottom: 37, left: 37 };
const PRINTED = {
  margins: { known: { top: margin, right: margin, bottom: margin, left: margin }, expected: () => SAME },
  scale: 1,
};

function fileOf(...pages: readonly string[]): Pick<PdfFile, 'pages' | 'commandsOf' | 'sizeOf'> {
  return {
    pages: () => [...pages.keys()],
    sizeOf: () => ({ width: 594.96, height: 841.92 }),
    commandsOf: (page, bytes = 512) => `.24 0 0 -.24 0 841.92 cm\nq\n${pages[page]}`.slice(0, 8 * bytes),
  };
}

describe('the room for content', () => {
  it.each([
    ['of text', `${CONTENT}${SCALED}`],
    ['of text on a background', `${SCALED}Q\nq\n${CONTENT}${SCALED}`],
    ['of a photo above text', `${CONTENT}${PHOTO}${SCALED}`],
    ['of a cropped photo above text', `115.625 115.625 2250 1618 re\nW* n\n${PHOTO}Q\nq\n${CONTENT}${SCALED}`],
    ['of a drawing above text', `${LOGO}${CONTENT}${SCALED}`],
    ['of a long drawing above text', `${LOGO.replace('20 0 m', '20 0 m\n'.repeat(4_000))}${CONTENT}${SCALED}`],
    ['of a drawing with a scale in the page', `${LOGO}${CONTENT}q\n1.5 0 0 1.5 115.625 115.625 cm\nQ\n${SCALED}`],
    ['of a transparent group', `${CONTENT}q\n1 0 0 1 115 1231 cm\n/X21 Do\nQ\nQ\nq\n${CONTENT}${SCALED}`],
  ])('is that %s', (_what, commands) => {
    const file = fileOf(commands);

    expect(contentRoom(file, PRINTED)).toMatchObject({ width: 720, shrunkBy: 1 });
    expect(contentPlace(file, 0, PRINTED)).toEqual({ left: 27.75, top: 27.75 });
  });

  it('is that of the next sheet, where the first one is a drawing', () => {
    expect(contentRoom(fileOf(LOGO, `${CONTENT}${SCALED}`), PRINTED)?.width).toBe(720);
  });

  it('says by which factor the page was shrunk', () => {
    const shrunk = fileOf(`${CONTENT}${PHOTO}${SCALED.replaceAll('3.125', '2.5')}`);

    expect(contentRoom(shrunk, PRINTED)?.shrunkBy).toBe(1.25);
  });

  it('is not known for sheets with drawings alone, which have the usual margins', () => {
    for (const commands of ['', LOGO, `${CONTENT}${PHOTO}`]) {
      expect(contentRoom(fileOf(commands), PRINTED)).toBeUndefined();
      expect(contentPlace(fileOf(commands), 0, PRINTED)).toEqual({ left: 27.75, top: 27.75 });
    }
  });

  it('is the largest one of a page whose margins are no lengths', () => {
    const any = [37, undefined];
    const margins = { ...PRINTED.margins, known: { top: any, right: any, bottom: any, left: any } };
    const commands = `${LOGO}${CONTENT}${SCALED}`.replaceAll('115.625', '95');

    expect(contentRoom(fileOf(commands), { margins, scale: 1 })).toMatchObject({ width: 720, shrunkBy: 1 });
    expect(contentRoom(fileOf(commands), PRINTED)).toBeUndefined();
  });

  it('is searched for in a bounded length of commands', () => {
    const commands = '20 0 m\n'.repeat(1_000_000);
    let read = 0;
    const file = {
      ...fileOf(''),
      commandsOf: (_page: number, bytes = 512) => commands.slice(0, (read = bytes * 1_000)),
    };

    expect(contentRoom(file, PRINTED)).toBeUndefined();
    expect(read).toBeLessThan(10_000_000);
  });
});
