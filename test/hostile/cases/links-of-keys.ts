import { expect } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import type { HostileCase, Outcome, Scene } from '../hostile-case.ts';
import { type KeyId, secretOf } from '../hostile-keys.ts';
import { callsAs, follow, linkOf } from '../keyed-world.ts';
import { send } from '../../support/raw-http.ts';

const WRONG = '403 InvalidSignatureError';
const INVALID = '400 ValidationError';
const FIELD_REFUSED = '403 FieldNotAllowedError';
const IN_AN_HOUR = `${Math.floor(Date.now() / 1_000) + 3_600}`;
const PAGE = { html_content: 'x' };

/** Returns a case that follows links without a token. */
function links(
  id: string,
  title: string,
  outcomes: readonly Outcome[],
  queries: (scene: Scene) => readonly string[],
): HostileCase {
  return { id, title, outcomes, requests: (scene) => follow(scene, queries(scene)) };
}

/** Returns the query of a link with exactly these parameters, signed with the secret of a key. */
function signedBy(key: KeyId, params: Readonly<Record<string, string>>): string {
  return signedQuery(new Map(Object.entries(params)), secretOf(key));
}

export const LINK_CASES: readonly HostileCase[] = [
  links('L01', 'a link without its key, with another key, with a key that does not exist', [WRONG], () => [
    signedBy('shop', PAGE),
    signedBy('default', { ...PAGE, key: 'default' }),
    signedBy('shop', { ...PAGE, key: 'default' }),
    signedBy('shop', { ...PAGE, key: 'blog' }),
    signedBy('default', { ...PAGE, key: 'shop' }),
    ...['', 'nobody', 'SHOP', ' shop', 'shop ', 'shop\0', '__proto__', 'constructor', '../shop'].map((key) =>
      signedBy('shop', { ...PAGE, key }),
    ),
    linkOf('shop', PAGE).replace('key=shop', 'KEY=shop'),
    linkOf('shop', PAGE).replace('key=shop', 'key[]=shop'),
  ]),
  links('L02', 'a link of a key that is disabled, or has expired', [WRONG], () => [
    linkOf('off', PAGE),
    linkOf('old', PAGE),
    linkOf('old', { ...PAGE, expires: IN_AN_HOUR }),
  ]),
  links('L03', 'two keys in one link: the first one counts, and must have signed', [WRONG], () => [
    `key=shop&${linkOf('blog', PAGE)}`,
    `key=default&${linkOf('blog', PAGE)}`,
    `key=&${linkOf('blog', PAGE)}`,
    `key&${linkOf('default', PAGE)}`,
    `k%65y=shop&${linkOf('blog', PAGE)}`,
    `${signedBy('shop', PAGE)}&key=blog&key=shop`,
  ]),
  links('L04', 'a denied field in a link, also with a second key, and after another key', [FIELD_REFUSED], () => {
    const params = { ...PAGE, custom_js: '1' };
    return [
      linkOf('denied', params),
      `${linkOf('denied', params)}&key=shop`,
      `${linkOf('denied', params)}&key=default`,
      linkOf('denied', { ...params, expires: IN_AN_HOUR }),
      linkOf('cards', PAGE),
      linkOf('cards', { template: 'places', data: '{}' }),
    ];
  }),
  {
    id: 'L04a',
    title: 'a link of one key with the token of another: the rules of the token apply, in every order',
    outcomes: ['200', FIELD_REFUSED],
    requests: (scene) => {
      const query = linkOf('shop', { ...PAGE, custom_js: 'document.title = 1' });
      const withToken = callsAs(scene, 'denied', [[`/capture?${query}`]]);
      return [...withToken, ...follow(scene, [query]), ...withToken, ...follow(scene, [query])];
    },
    verify: ({ answers }) => expect(answers.map(({ status }) => status)).toEqual([403, 200, 403, 200]),
  },
  {
    id: 'L05',
    title: 'a key in the body of a POST with a link, and beside the fields of a request',
    outcomes: [INVALID],
    requests: (scene) => {
      const pass = linkOf('denied', { expires: IN_AN_HOUR });
      const post = (query: string, body: object) => () =>
        send(scene.service, {
          path: `/capture?${query}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      return [
        post(pass, { ...PAGE, key: 'shop' }),
        post(linkOf('denied', PAGE), { key: 'shop' }),
        post(linkOf('denied', PAGE), PAGE),
        ...callsAs(scene, 'denied', [['/capture', { ...PAGE, key: 'shop' }]]),
      ];
    },
  },
  {
    id: 'L05a',
    title: 'a denied field in the body of a POST with a link without fields',
    outcomes: [FIELD_REFUSED],
    requests: ({ service }) => [
      () =>
        send(service, {
          path: `/capture?${linkOf('denied', { expires: IN_AN_HOUR })}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...PAGE, custom_js: '1' }),
        }),
    ],
  },
  links('L06', 'an expired link of a key, also with a wrong signature', ['403 SignatureExpiredError'], () => [
    linkOf('shop', { ...PAGE, expires: '1' }),
    linkOf('shop', { template: 'card', data: '{}', expires: '1700000000' }),
    signedBy('blog', { ...PAGE, key: 'shop', expires: '1' }),
    `expires=1&${linkOf('shop', { ...PAGE, expires: IN_AN_HOUR })}`,
  ]),
  links('L07', 'a link of a key with a changed time, template, value or field', [WRONG], () => {
    const link = linkOf('shop', { template: 'card', data: '{"title":"a"}', expires: IN_AN_HOUR });
    return [
      link.replace(`expires=${IN_AN_HOUR}`, 'expires=9999999999'),
      link.replace(`expires=${IN_AN_HOUR}`, `expires=${IN_AN_HOUR}x`),
      link.replace(`expires=${IN_AN_HOUR}&`, ''),
      link.replace('template=card', 'template=places'),
      link.replace('%22a%22', '%22b%22'),
      link.replace('%22a%22', '%22a%22%20'),
      `${link}&format=pdf`,
      `data={}&${link}`,
      `template=places&${link}`,
      link.replace(/signature=./, 'signature=!'),
      `signature=&${link}`,
    ];
  }),
  links('L08', 'values that can be read as the parameter key', [INVALID], () => [
    linkOf('default', { html_content: 'x&key=shop' }),
    linkOf('default', { template: 'card', data: '{"title":"&key=shop"}' }),
    linkOf('blog', { html_content: 'x&key=shop' }),
  ]),
];
