import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { HostileCase, Outcome } from '../hostile-case.ts';
import type { KeyId } from '../hostile-keys.ts';
import { type Call, callAs, callsAs, linkOf, toolCall } from '../keyed-world.ts';

const FIELD_REFUSED = '403 FieldNotAllowedError';
const INVALID = '400 ValidationError';
const PAGE = { html_content: 'x' };
const PROTOTYPE = '{"__proto__":{"custom_js":"document.body.textContent = 1"}}';

/** Returns a case in which a key sends these calls. */
function calls(
  id: string,
  title: string,
  key: KeyId,
  outcomes: readonly Outcome[],
  given: readonly Call[],
): HostileCase {
  return { id, title, outcomes, requests: (scene) => callsAs(scene, key, given) };
}

export const FIELDS_OF_KEYS_CASES: readonly HostileCase[] = [
  calls(
    'Y09',
    'a denied field: in bodies, links, jobs, batches and templates',
    'denied',
    [FIELD_REFUSED],
    [
      ['/capture', { ...PAGE, custom_js: '1' }],
      ['/capture', { ...PAGE, custom_js: '' }],
      ['/capture', { ...PAGE, custom_js: null }],
      ['/capture', String.raw`{"html_content":"x","custom\u005fjs":"1"}`],
      ['/capture', '{"custom_js":"1","html_content":"x","custom_js":"2"}'],
      ['/capture', { template: 'card', data: { title: 'x' }, custom_js: '1' }],
      ['/capture?html_content=x&custom_js=1'],
      ['/capture?html_content=x&custom%5Fjs=1'],
      ['/capture?custom_js=&html_content=x&custom_js=1'],
      ['/capture?custom_js&html_content=x'],
      [`/capture?${linkOf('shop', { html_content: 'x', custom_js: '1' })}`],
      ['/sign', { params: { ...PAGE, custom_js: '1' } }],
      ['/jobs', { capture: { ...PAGE, custom_js: '1' } }],
      ['/jobs', { capture: { ...PAGE, store: true, store_path: 'a.png' } }],
      ['/jobs', { capture: PAGE, store_path: 'a.png' }],
      ['/jobs/batch', { captures: [PAGE, { ...PAGE, custom_js: '1' }] }],
      ['/jobs/batch', { defaults: { custom_js: '1' }, captures: [PAGE] }],
    ],
  ),
  calls(
    'Y10',
    'a denied field in another spelling, or inside other members',
    'denied',
    [INVALID],
    [
      ...[
        'Custom_JS',
        'CUSTOM_JS',
        'custom_js ',
        ' custom_js',
        'custom-js',
        'customJs',
        'custom_j\u017f',
        'custom_js\0',
      ].map((name): Call => ['/capture', { ...PAGE, [name]: '1' }]),
      ...['preset', 'options', 'capture', 'params', 'defaults', 'fields'].map((name): Call => [
        '/capture',
        { ...PAGE, [name]: { custom_js: '1' } },
      ]),
      ['/capture', '{"html_content":"x","__proto__":{"custom_js":"1"}}'],
      ['/capture', '{"html_content":"x","constructor":{"prototype":{"custom_js":"1"}}}'],
      ['/jobs', { capture: PAGE, custom_js: '1' }],
      ['/jobs/batch', { captures: [PAGE], custom_js: '1' }],
      ['/sign', { params: PAGE, custom_js: '1' }],
      ['/capture?html_content=x&Custom_JS=1'],
      ['/capture?html_content=x&custom_js[]=1'],
      ['/capture?html_content=x&custom_js%20=1'],
      ['/capture?html_content=x', { custom_js: '1' }, { method: 'POST' }],
    ],
  ),
  {
    id: 'Y10a',
    title: 'a denied field in the prototype of the defaults, of an entry and of a job: it has no effect',
    requests: (scene) =>
      [
        ['/jobs/batch', `{"defaults":${PROTOTYPE},"captures":[{"html_content":"x","format":"html"}]}`],
        ['/jobs/batch', `{"captures":[${PROTOTYPE.replace('{', '{"html_content":"x","format":"html",')}]}`],
        ['/jobs', `{"capture":${PROTOTYPE.replace('{', '{"html_content":"x","format":"html",')}}`],
      ].map(([path = '', text]) => async () => {
        const { body } = await callAs(scene, 'denied', [path, text]);
        const id = /"id":"([^"]+)"/.exec(body)?.[1] ?? body;
        return await eventually(async () => {
          const answer = await callAs(scene, 'denied', [`/jobs/${id}/result`]);
          expect(answer.status).toBe(200);
          return answer;
        });
      }),
    verify: ({ answers }) => {
      for (const { body } of answers) expect(body.toString()).toContain('x</body>');
    },
  },
  {
    id: 'Y11',
    title: 'a denied field, and a page without the only template, as arguments of tools',
    requests: (scene) => [
      ...callsAs(scene, 'denied', [
        toolCall('capture_page', { html_content: 'x', selector: 'body' }),
        toolCall('capture_page', { html_content: 'x', custom_js: '1' }),
        toolCall('page_to_pdf', { html_content: 'x', selector: null }),
      ]),
      ...callsAs(scene, 'cards', [
        toolCall('capture_page', { html_content: 'x' }),
        toolCall('read_page', { url: scene.site }),
        toolCall('capture_page', { template: 'places', data: {} }),
      ]),
    ],
    verify: ({ answers, requested }) => {
      for (const { body } of answers) expect(JSON.parse(body.toString()).result.isError).toBe(true);
      expect(requested).toEqual([]);
    },
  },
  calls(
    'Y12',
    'a key for one template: no template, another one, other spellings',
    'cards',
    [FIELD_REFUSED],
    [
      ['/capture', PAGE],
      ...[null, 'places', 'CARD', 'card ', 'card\0', '../card', '__proto__', '', ['card'], { 0: 'card' }, 1].map(
        (template): Call => ['/capture', { template, data: {} }],
      ),
      ['/capture', { ...PAGE, data: { template: 'card' } }],
      ['/capture', { ...PAGE, Template: 'card' }],
      ['/capture?html_content=x'],
      ['/capture?template=places&template=card'],
      ['/capture?html_content=x&Template=card'],
      ['/sign', { params: PAGE }],
      ['/jobs', { capture: PAGE }],
      ['/jobs/batch', { captures: [{ template: 'card' }, PAGE] }],
      ['/jobs/batch', { defaults: { template: 'card' }, captures: [{ template: 'places' }] }],
    ],
  ),
];
