import { CaptureError } from '../../client/capture-error.ts';
import { encodeJson } from '../../client/capture-request.ts';
import { readJson } from '../../client/json.ts';
import { byId, make } from '../dom.ts';
import { showHead } from '../head.ts';
import { parseReference } from '../reference.ts';
import { failureNotice } from '../result/failure-notice.ts';
import { type Caller, send, serviceUrl } from '../send.ts';
import { createTokenKeeper } from '../token.ts';
import { type Comparison, showComparison } from './comparison-view.ts';
import { readIgnored } from './ignored.ts';
import type { Values } from '../form/values.ts';
import { createSide } from './side.ts';

/** Builds the page of comparisons. */
async function main(): Promise<void> {
  const answer = await fetch(serviceUrl('openapi.json'));
  const reference = parseReference(await answer.json());
  showHead('Compare', reference);
  const { withToken } = createTokenKeeper(reference.needsToken);
  const [before, after] = [createSide('before'), createSide('after')];
  byId('sides', HTMLElement).append(before.element, after.element);
  const [start, notices] = [byId('compare', HTMLButtonElement), byId('notices', HTMLElement)];
  let links: readonly string[] = [];

  /** Compares two pages, whose elements are named, or the pictures that are shown. */
  const compare = async (caller: Caller) => {
    const fields = readFields();
    const read = await Promise.all([before.read(fields, caller), after.read(fields, caller)]);
    const failure = read.find((side) => side instanceof CaptureError);
    if (failure !== undefined) return failure;
    const sides = read.filter((side) => 'picture' in side);
    const blobs = sides.map(({ picture }) => picture);
    const [ofBefore, ofAfter] = await Promise.all(
      sides.map(async ({ picture, url }) =>
        url === undefined ? { base64: await toBase64(picture) } : { capture: { ...fields, url } },
      ),
    );
    const align = byId('in-place', HTMLInputElement).checked ? 'none' : 'rows';
    const ignore = readIgnored(byId('ignore', HTMLInputElement).value);
    const encoded = encodeJson({ before: ofBefore, after: ofAfter, align, ignore });
    const compared = await send('compare', { ...caller, method: 'POST', encoded }, async (response) => {
      const comparison: Comparison = Object(await readJson(response));
      return comparison;
    });
    return compared instanceof CaptureError ? compared : { compared, blobs };
  };

  let running: AbortController | undefined;
  byId('compare-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    if (running === undefined) void run();
    else running.abort();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') running?.abort();
  });
  const run = async (): Promise<void> => {
    const abort = new AbortController();
    running = abort;
    start.textContent = 'Cancel';
    notices.replaceChildren();
    try {
      const result = await withToken((token) => compare({ token, signal: abort.signal }));
      if (result instanceof CaptureError) notices.append(failureNotice(result));
      else if (result !== undefined) {
        for (const link of links) URL.revokeObjectURL(link);
        links = result.blobs.map((blob) => URL.createObjectURL(blob));
        showComparison(result.compared, { before: links[0] ?? '', after: links[1] ?? '' });
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      notices.append(make('p', { class: 'notice' }, 'Cancelled'));
    } finally {
      running = undefined;
      start.textContent = 'Compare';
    }
  };
  document.documentElement.dataset['ready'] = 'true';
}

/** Fields of both captures. */
function readFields(): Values {
  const [width, height] = ['window-width', 'window-height'].map((id) => byId(id, HTMLInputElement).value);
  return {
    full_page: byId('full-page', HTMLInputElement).checked,
    ...(width !== '' && { window_width: Number(width) }),
    ...(height !== '' && { window_height: Number(height) }),
  };
}

/** Returns the bytes as base64. */
async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  // In parts, because a function takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}

await main();
