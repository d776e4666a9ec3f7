import { colours } from './colours.ts';
import { ElementVisibilities } from './element-visibility.ts';
import { HitTests } from './hit-tests.ts';
import { TextVisibility } from './text-visibility.ts';

/** Creates the check of which text a person can see. The caller ends it. Runs in the page. */
export function openVisibility(): TextVisibility {
  const known = colours();
  const elements = new ElementVisibilities(known);
  return new TextVisibility(known, elements, new HitTests(known, elements));
}
