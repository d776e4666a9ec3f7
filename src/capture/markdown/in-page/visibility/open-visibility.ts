import type { AdoptStyleSheet } from '../../../../steps/in-page/adopt-style-sheet.ts';
import type { RootsOf } from '../../../../steps/in-page/roots-of.ts';
import type { CreateColours } from './colours.ts';
import type { CreateElementVisibility } from './element-visibility.ts';
import type { CreateHitTests } from './hit-tests.ts';
import type { CreateTextVisibility, TextVisibility } from './text-visibility.ts';

/** `openVisibility`, and the functions that it needs. */
export type VisibilityTools = readonly [open: typeof openVisibility, ...needed: Parameters<typeof openVisibility>];

/** Creates the check of which text a person can see. The caller ends it. Runs in the page. */
export function openVisibility(
  colours: CreateColours,
  elementVisibility: CreateElementVisibility,
  hitTests: CreateHitTests,
  textVisibility: CreateTextVisibility,
  rootsOf: RootsOf,
  adopt: AdoptStyleSheet,
): TextVisibility {
  const known = colours();
  const visibilityOf = elementVisibility(known);
  return textVisibility(known, visibilityOf, hitTests(known, visibilityOf, { rootsOf, adopt }));
}
