import { CaptureError } from '../client/capture-error.ts';
import { createCodeCard } from './result/code-card.ts';
import { copyText } from './result/copy-text.ts';
import { byId, make } from './dom.ts';
import { createForm } from './form/form.ts';
import { showHead } from './head.ts';
import { findProblems } from './form/problems.ts';
import { offerTemplates } from './form/template-choice.ts';
import { createSubmitButton } from './jobs/submit-job.ts';
import { parseReference } from './reference.ts';
import type { Subject } from './result/preview.ts';
import { createResultView } from './result/result-view.ts';
import { capture, serviceUrl, sign } from './send.ts';
import { createTokenKeeper } from './token.ts';
import { fromFragment, toFragment, type Values } from './form/values.ts';

const SAMPLE = `<!doctype html>
<style>
  body { margin: 0; height: 100vh; display: grid; place-content: center; text-align: center;
    font: 18px/1.5 system-ui, sans-serif; color: #16302b; background: linear-gradient(160deg, #e6f5f1, #fff7e6); }
  h1 { margin: 0; font-size: 56px; letter-spacing: -0.03em; }
</style>
<h1>Hello</h1>
<p>This page was never on the network.</p>`;

function subjectOf({ url, device, is_mobile: isMobile, selector, clip }: Values): Subject {
  const title = typeof url === 'string' ? url : 'your markup';
  const isPart = selector !== undefined || clip !== undefined;
  return { title, isHandheld: (typeof device === 'string' || isMobile === true) && !isPart };
}

/** Builds the playground from the OpenAPI document. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const reference = parseReference(await answer.json());
  showHead('Playground', reference);
  const names = reference.fields.map(({ name }) => name);
  const { current, withToken } = createTokenKeeper(reference.needsToken);
  const templates = await offerTemplates(reference, current());
  const view = createResultView(reference.warnings);
  let running: AbortController | undefined;

  const showFailure = (failure: CaptureError): void => {
    view.showFailure(failure);
    form.complain(findProblems(failure, names));
  };
  const codeCard = createCodeCard({
    reference,
    sign: async (lifetimeSeconds) => {
      const values = form.read();
      if (values === undefined) return undefined;
      const result = await withToken((token) => sign(values, lifetimeSeconds, { token }));
      if (!(result instanceof CaptureError)) return result?.url;
      showFailure(result);
      return undefined;
    },
  });

  const onChange = (): void => {
    const values = form.peek();
    const data = templates.exampleFor(values);
    if (data !== undefined) return form.write({ ...values, data }); // calls this function again
    const fragment = toFragment(values, reference.fields);
    history.replaceState(null, '', fragment === '' ? location.pathname : `#${fragment}`);
    codeCard.update(values);
  };
  const form = createForm(templates.reference, onChange);

  const run = async (): Promise<void> => {
    const values = form.read();
    running?.abort();
    if (values === undefined) return view.showUnsent();
    const abort = new AbortController();
    running = abort;
    try {
      const result = await withToken((token) => {
        view.start(() => abort.abort());
        byId('result', HTMLElement).scrollIntoView({ block: 'nearest' });
        return capture(values, { token, signal: abort.signal });
      });
      if (abort !== running || result === undefined) return;
      if (!(result instanceof CaptureError)) {
        await view.showCapture(result, subjectOf(values));
      } else {
        showFailure(result);
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      if (abort === running) view.showCancelled();
    } finally {
      if (abort === running) running = undefined;
    }
  };

  const start = make('button', { type: 'submit', class: 'primary', id: 'capture' }, 'Capture');
  const starts = make('div', { class: 'starts' }, start);
  byId('command', HTMLElement).append(starts);
  if (reference.jobStates !== undefined) {
    starts.append(createSubmitButton({ form, names, withToken, showNotice: view.showNotice }));
  }
  byId('form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void run();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
    if (event.key === 'Escape') running?.abort();
  });
  byId('reset', HTMLButtonElement).addEventListener('click', () => form.write({}));
  const share = byId('share', HTMLButtonElement);
  share.addEventListener('click', () => void copyText(location.href, share));
  byId('sample', HTMLButtonElement).addEventListener('click', () => {
    form.write({ ...form.peek(), url: undefined, markdown_content: undefined, html_content: SAMPLE });
    void run();
  });
  const restore = (): void => form.write(fromFragment(location.hash, reference.fields));
  addEventListener('hashchange', restore);
  restore();
  if (location.hash === '') form.focus();
  document.documentElement.dataset['ready'] = 'true';
}

await main();
