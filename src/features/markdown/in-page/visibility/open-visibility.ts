import { colours } from './colours.ts';
import { Covers } from './covers.ts';
import { ElementVisibilities } from './element-visibility.ts';
import { TextVisibility } from './text-visibility.ts';

/** Creates the check of which text a person can see. Runs in the page. */
export function openVisibility(): TextVisibility {
  const known = colours();
  return new TextVisibility(known, new ElementVisibilities(known), new Covers(known));
}
