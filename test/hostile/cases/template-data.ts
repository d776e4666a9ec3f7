import { expect } from 'vitest';
import { HOSTILE_VALUES } from '../../support/hostile-values.ts';
import type { HostileCase, Outcome } from '../hostile-case.ts';
import { type Call, callsAs, capturesAs, follow, linkOf } from '../keyed-world.ts';

const INVALID = '400 ValidationError';
const MAX_DATA_BYTES = 100_000;
/** Bytes of `{"title":""}`. */
const TITLE_BYTES = 12;

/** Values that load from an address as soon as they leave their place. */
function loading(address: string): readonly string[] {
  return [
    `<img src="${address}">`,
    `"><img src="${address}">`,
    `'><img src='${address}'>`,
    `x src=${address} onerror=fetch('${address}')`,
    `</title></textarea></style></svg></script>--><img src=${address}>`,
    `</svg><link rel="stylesheet" href="${address}">`,
    `<style>@import "${address}";</style>`,
    `red; background: url(${address}) } body { background: url(${address})`,
    `}body{background:url(${address})}`,
    `@import url(${address});`,
    `javascript:fetch('${address}')`,
    `java\nscript:fetch('${address}')`,
    `data:text/html,<img src=${address}>`,
    `<iframe src="${address}"></iframe>`,
    `<meta http-equiv="refresh" content="0; url=${address}">`,
    `<base href="${address}">`,
    `<svg><image href="${address}"/></svg>`,
    `"]; location = '${address}'; ["`,
    `']; location = '${address}'; ['`,
    `\`]; location = '${address}'; [\``,
    `\${location = '${address}'}`,
    `*/ location = '${address}'; /*`,
    `\n location = '${address}'; //`,
    `\u2028 location = '${address}'; //`,
    `\\"]; location = '${address}'; //`,
    ...HOSTILE_VALUES.map((value) =>
      value.replaceAll('http://evil.example/', address).replaceAll('hacked=1', `location='${address}'`),
    ),
  ];
}

/** Returns a case in which these bodies of a template are sent. */
function bodies(id: string, title: string, outcomes: readonly Outcome[], given: readonly Call[]): HostileCase {
  return { id, title, outcomes, requests: (scene) => callsAs(scene, 'shop', given) };
}

/** Returns a call of the card with this data as JSON text. */
function card(data: string): Call {
  return ['/capture', `{"template":"card","data":${data}}`];
}

/** Returns JSON of lists in lists. */
function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

export const TEMPLATE_DATA_CASES: readonly HostileCase[] = [
  {
    id: 'V01',
    title: 'values that try to become markup, attributes, styles or addresses: the page loads nothing',
    requests: (scene) => {
      const values = loading(scene.canary);
      // One value after another as well: a value could hide what another one does.
      const each = [values, ...values.slice(0, 12).map((value) => [value])];
      return capturesAs(
        scene,
        'shop',
        each.map((some) => ({ template: 'places', data: { values: some }, wait_for_network: 'idle' })),
      );
    },
  },
  {
    id: 'V01a',
    title: 'values that try to end the strings, comments and JSON of a script',
    requests: (scene) =>
      capturesAs(scene, 'shop', [
        { template: 'strings', data: { values: loading(scene.canary) }, wait_for_network: 'idle' },
      ]),
  },
  bodies(
    'V01b',
    'a value that adds declarations to a style: the schema refuses it',
    [INVALID],
    [
      card('{"accent":"red; background: url(http://127.0.0.1/)"}'),
      card(String.raw`{"accent":"#0f766e\n; background: red"}`),
      card(String.raw`{"accent":"#0f766e\n"}`),
      card('{"accent":["#0f766e"]}'),
    ],
  ),
  {
    id: 'V02',
    title: 'Liquid in values: shown as text, not run',
    requests: (scene) =>
      capturesAs(scene, 'shop', [
        {
          template: 'places',
          data: {
            values: [
              '{% render "secret.liquid" %}',
              '{% include "secret.liquid" %}',
              '{{ values | size | plus: 41 }}',
              '{% endfor %}{% for a in (1..1000000000) %}',
              '{% raw %}',
              '{{ "{% render \'secret.liquid\' %}" }}',
            ],
          },
        },
      ]),
    verify: ({ answers }) => {
      const html = answers[0]?.body.toString();
      expect(html).toContain('<p>{% render "secret.liquid" %}</p>');
      expect(html).toContain('<p>{{ values | size | plus: 41 }}</p>');
    },
  },
  {
    id: 'V03',
    title: 'prototype names in data: nothing is inherited, also not by the next request',
    requests: (scene) =>
      callsAs(
        scene,
        'shop',
        [
          '{"__proto__":{"polluted":"yes"},"a":{"__proto__":{"polluted":"yes"}},"list":[]}',
          '{"a":{"constructor":{"prototype":{"polluted":"yes"}}},"list":{"__proto__":["yes"],"length":9}}',
          '{"a":{},"list":[]}',
        ].map((data): Call => ['/capture', `{"template":"names","data":${data}}`]),
      ),
    outcomes: ['200', INVALID],
    verify: ({ answers }) => {
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
      expect(answers[2]?.body.toString()).toContain('[]');
      expect({}).not.toHaveProperty('polluted');
    },
  },
  bodies(
    'V04',
    'data that is no object, and prototype names that the schema does not know',
    [INVALID],
    [
      ...['null', '[]', '"x"', '1', 'true'].map(card),
      card('{"constructor":{"title":"x"}}'),
      card('{"toString":"x"}'),
      card('{"title":{"toString":"x"}}'),
      ['/capture?template=card&data=x'],
      ['/capture?template=card&data=[]'],
      ['/capture?template=card&data={'],
      ['/capture?template=card&data='],
      ['/capture?html_content=x&data={}'],
    ],
  ),
  bodies(
    'V05',
    'data of one byte too much: letters, two-byte letters, numbers, escapes',
    [INVALID],
    [
      card(JSON.stringify({ title: 'x'.repeat(MAX_DATA_BYTES - TITLE_BYTES + 1) })),
      card(JSON.stringify({ title: '\u00e9'.repeat((MAX_DATA_BYTES - TITLE_BYTES) / 2 + 1) })),
      card(`{"title":"${String.raw`\u00e9`.repeat((MAX_DATA_BYTES - TITLE_BYTES) / 2 + 1)}"}`),
      card(JSON.stringify({ title: '"'.repeat((MAX_DATA_BYTES - TITLE_BYTES) / 2 + 1) })),
      card('x'.repeat(200_000)),
    ],
  ),
  bodies(
    'V05a',
    'data of exactly the limit',
    ['200'],
    [card(JSON.stringify({ title: 'x'.repeat(MAX_DATA_BYTES - TITLE_BYTES) }))],
  ),
  bodies(
    'V06',
    'deep data: in bodies, and in addresses',
    [INVALID],
    [
      card(`{"title":${nested(33)}}`),
      card(`{"title":${nested(20_000)}}`),
      card(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
      [`/capture?html_content=x&cookies=${nested(25_000)}`],
      [`/capture?html_content=x&custom_headers={"a":${nested(25_000)}}`],
      ...[33, 500, 5_000, 25_000].map((levels): Call => [`/capture?template=places&data={"values":${nested(levels)}}`]),
    ],
  ),
  {
    id: 'V06a',
    title: 'deep data in a link and in a job',
    outcomes: [INVALID],
    requests: (scene) => [
      ...follow(scene, [linkOf('shop', { template: 'places', data: `{"values":${nested(5_000)}}` })]),
      ...callsAs(scene, 'shop', [
        ['/jobs', `{"capture":{"template":"places","data":{"values":${nested(5_000)}}}}`],
        ['/sign', `{"params":{"template":"places","data":{"values":${nested(5_000)}}}}`],
        ['/sign', { params: { template: 'places', data: `{"values":${nested(5_000)}}` } }],
      ]),
    ],
  },
];
