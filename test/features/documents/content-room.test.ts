import { describe, expect, it } from 'vitest';
import { contentRoom, drawnPage } from '../../../src/features/documents/content-room.ts';
import type { PdfFile } from '../../../src/features/documents/pdf-file.ts';

const CONTENT = '115.625 115.625 2250 3275 re\nW* n\n';
const TEXT = '/F6 16 Tf\n';
const SCALED = `q\n3.125 0 0 3.125 115.625 115.625 cm\n${TEXT}Q\n`;
const PHOTO = 'q\n2460.5 0 0 -1618.75 11.96 1734.38 cm\n/X5 Do\nQ\n';

function fileOf(...pages: readonly string[]): Pick<PdfFile, 'pages' | 'commandsOf'> {
  return {
    pages: () => [...pages.keys()],
    commandsOf: (page) => `.24 0 0 -.24 0 841.92 cm\nq\n${pages[page]}`,
  };
}

describe('the room for content', () => {
  it.each([
    ['of text', `${CONTENT}${SCALED}`],
    ['of text on a background', `${SCALED}Q\nq\n${CONTENT}${SCALED}`],
    ['of a photo above text', `${CONTENT}${PHOTO}${SCALED}`],
    ['of a cropped photo above text', `115.625 115.625 2250 1618 re\nW* n\n${PHOTO}Q\nq\n${CONTENT}${SCALED}`],
    ['of a photo further down', `115.625 336.4 2250 3054 re\nW* n\n${PHOTO}Q\nq\n${CONTENT}${SCALED}`],
    ['of a transparent group', `${CONTENT}q\n1 0 0 1 115 1231 cm\n/X21 Do\nQ\nQ\nq\n${CONTENT}${SCALED}`],
  ])('is that %s', (_what, commands) => {
    expect(contentRoom(fileOf(commands), 1)).toEqual({ width: 720, height: 1048, shrunkBy: 1 });
    expect(drawnPage(fileOf(commands), 0)).toMatchObject({ scale: 1, left: 27.75, top: 27.75 });
  });

  it('is as tall as the lower one of the first two pages', () => {
    const second = `${CONTENT.replace('3275', '1000')}q\n3.125 0 0 3.125 115.625 -3162.5 cm\n${TEXT}`;

    expect(contentRoom(fileOf(`${CONTENT}${SCALED}`, second), 1)?.height).toBe(320);
  });

  it('says by which factor the page was shrunk', () => {
    const shrunk = `${CONTENT}${PHOTO}${SCALED.replaceAll('3.125', '2.5')}`;

    expect(contentRoom(fileOf(shrunk), 1)?.shrunkBy).toBe(1.25);
    expect(contentRoom(fileOf(shrunk), 0.5)?.shrunkBy).toBe(0.625);
  });

  it('is not known for a page that is drawn in another way', () => {
    expect(contentRoom(fileOf(''), 1)).toBeUndefined();
    expect(contentRoom(fileOf(`${CONTENT}${PHOTO}`), 1)).toBeUndefined();
  });
});
