import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';

// Adds the links of the service's pages to a guide. `scripts/guides/` makes the rest of the page.
const answer = await fetch(serviceUrl('openapi.json'));
showHead('Guides', parseReference(await answer.json()));
document.documentElement.dataset['ready'] = 'true';
