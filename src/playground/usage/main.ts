import { byId, make, prose } from '../dom.ts';
import { parseReference } from '../reference.ts';
import { serviceUrl } from '../send.ts';
import { createTokenKeeper } from '../token.ts';
import { createUsageView } from './usage-view.ts';

/** Builds the page of usage. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const { hasUsage, needsToken } = parseReference(await answer.json());
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
    { class: 'empty' },
    make('h1', { class: 'empty-title' }, 'This service counts no usage'),
    make('p', { class: 'hint' }, ...prose(sentence)),
  );
}

await main();
