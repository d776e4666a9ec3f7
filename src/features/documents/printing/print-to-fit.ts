import type { Page } from '../../../core/browser/page/page.ts';
import type { Size, WarningCode } from '../../../core/steps/common/step.ts';
import { emulatePaper, layOutForPaper } from '../../../core/steps/readiness/paper.ts';
import { fitContent } from '../in-page/fit-content.ts';
import { marginsOnSheets, roomsOnSheets } from '../own-paper.ts';
import { readPdfFile } from '../pdf-file.ts';
import { contentRoom, MOST_SHRUNK, type Printed, widthOnPaper } from './content-room.ts';
import { type Done, type Findings, mayBeCut, nextStep, scaleOfShrunk, scaleToFit } from './next-print.ts';
import { BREAKS, print, type Printing } from './print.ts';
import { printOnOneSheet, type SingleSheetOptions } from './single-sheet.ts';

type PrintOptions = SingleSheetOptions & Parameters<typeof layOutForPaper>[2];

/** Maximum number of elements that are measured for the paper. */
export const MOST_ELEMENTS = 200_000;

export interface PrintedDocument {
  readonly body: Buffer;
  readonly warnings: Set<WarningCode>;
  /** Factor by which the page was scaled, for a page that was wider than its paper. */
  readonly scale: number | undefined;
  /** How its sheets were printed. */
  readonly printed: Printed;
}

interface Fitting {
  readonly printing: Printing;
  /** Room for content that the page was laid out for before. */
  readonly assumed: Size;
}

/**
 * Prints the page, on one sheet or several, and again as often as it takes until it fits: see `nextStep`.
 * @throws ServiceError the errors of `print` and `printOnOneSheet`
 */
export async function printToFit(
  page: Page,
  options: PrintOptions,
  { printing, assumed }: Fitting,
): Promise<PrintedDocument> {
  const { sheet, own } = printing;
  const { pdf_single_page: isSingleSheet, pdf_scale: requested } = options;
  const warnings = new Set<WarningCode>();
  const printed = { margins: marginsOnSheets(sheet, own, options), scale: requested };
  const printOnce = async (pdf_scale: number): Promise<{ readonly body: Buffer; readonly found: Findings }> => {
    const body = await (isSingleSheet ? printOnOneSheet : print)(page, { ...options, pdf_scale }, printing);
    const { isRightToLeft, isVertical, mayNotFit } = own;
    const room = contentRoom(readPdfFile(body), printed);
    const widths = await measure(page, options, { room, assumed, isRightToLeft });
    return { body, found: { assumed, ...widths, isSingleSheet, isVertical, mayNotFit, scale: requested } };
  };

  let { body, found } = await printOnce(requested);
  let done: Done = { isLaidOut: false, isScaled: false, fittings: 0, isFitted: false };
  const steps: Readonly<Record<Exclude<ReturnType<typeof nextStep>, 'end'>, () => Promise<Done>>> = {
    'lay-out': async () => {
      const context = { isActedOn: false, warn: (code: WarningCode) => void warnings.add(code) };
      const { room } = found;
      if (await layOutForPaper(page, async () => room, options, context))
        ({ body, found } = await printOnce(requested));
      return { ...done, isLaidOut: true };
    },
    fit: async () => {
      const { room, shrunkBy } = found;
      const rooms = roomsOnSheets(sheet, own, { printed: room, options });
      await emulatePaper(page, { width: room.width * shrunkBy, height: room.height * shrunkBy }, options);
      const fitted = await page.evaluate(fitContent, rooms, {
        breaks: BREAKS,
        maxElements: MOST_ELEMENTS,
        changes: !isSingleSheet,
        shrunkBy,
      });
      if (fitted.isScrolled) warnings.add('content_scrolled');
      if (fitted.hasChanged) ({ body, found } = await printOnce(requested));
      const isFitted = !fitted.hasChanged || found.shrunkBy === shrunkBy;
      return { ...done, isFitted, fittings: done.fittings + 1 };
    },
    scale: async () => {
      ({ body, found } = await printOnce(scaleToFit(found)));
      return { ...done, isScaled: true };
    },
  };
  for (let step = nextStep(found, done); step !== 'end'; step = nextStep(found, done)) done = await steps[step]();

  const { room, shrunkBy } = found;
  const scale = scaleOfShrunk(found);
  if (scale !== undefined) warnings.add('content_shrunk');
  if (mayBeCut(found) && (await widthOnPaper(page, room, options)) > room.width * shrunkBy + 1)
    warnings.add('content_cut');
  return { body, warnings, scale, printed: { ...printed, scale: requested / shrunkBy } };
}

interface Measured {
  /** Undefined if it was not found in the document. */
  readonly room: ReturnType<typeof contentRoom>;
  readonly assumed: Size;
  readonly isRightToLeft: boolean;
}

/**
 * Returns the room for content, and how much wider the page is than its paper. The document alone does not tell whether
 * Chrome has shrunk it: a drawing that fills the sheet has a scale of its own.
 */
async function measure(
  page: Page,
  options: SingleSheetOptions,
  { room, assumed, isRightToLeft }: Measured,
): Promise<Pick<Findings, 'room' | 'shrunkBy' | 'excess'>> {
  if (room !== undefined && room.shrunkBy <= 1 && !isRightToLeft) return { room, shrunkBy: room.shrunkBy, excess: 1 };
  const paper = room ?? assumed;
  const wider = (await widthOnPaper(page, paper, options)) / paper.width;
  const shrunkBy = room?.shrunkBy ?? (isRightToLeft ? 1 : Math.min(Math.max(wider, 1), MOST_SHRUNK));
  return { room: paper, shrunkBy: wider > 1 ? shrunkBy : 1, excess: isRightToLeft ? wider : 1 };
}
