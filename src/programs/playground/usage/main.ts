import { byId, make, prose } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';
import { createTokenKeeper } from '../token.ts';
import { createUsageView } from './usage-view.ts';

/** Builds the page of usage. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const reference = parseReference(await answer.json());
  const { hasUsage, needsToken } = reference;
  showHead('Usage', reference);
  if (!hasUsage) {
    byId('usage-page', HTMLElement).replaceChildren(explanation());
    document.documentElement.dataset['ready'] = 'true';
    return;
  }
  const view = createUsageView(createTokenKeeper(needsToken, () => void view.show()));
  await view.show();
}

/** Explains the missing setting to visitors. */
function explanation(): HTMLElement {
  const sentence = 'Usage is counted for each key of the file that the setting `KEYS_FILE` names.';
  return make(
    'div',
    { class: 'empty', id: 'usage', tabindex: -1 }, // where the skip link leads
    make('h1', { class: 'empty-title' }, 'This service counts no usage'),
    make('p', { class: 'hint' }, ...prose(sentence)),
  );
}

await main();
