import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { documentOf, type HostileCase, type Outcome, type Scene, scriptPage } from '../hostile-case.ts';
import { type Call, callAs, callsAs, capturesAs } from '../keyed-world.ts';
import { expectCard } from './endless-templates.ts';

const INVALID = '400 ValidationError';
const FAULTY = '500 TemplateError';
const TOOL_LIST: Call = [
  '/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  { headers: { accept: 'application/json, text/event-stream' } },
];

const BAD_NAMES = [
  '../vault',
  '..',
  '.',
  './card',
  'card/',
  'card/../vault',
  '/etc',
  '/etc/passwd',
  '%2e%2e/vault',
  '..%2fvault',
  String.raw`..\vault`,
  'card\0',
  'card\n',
  'Card',
  '.hidden',
  'c\u0430rd', // a Cyrillic letter
  'x'.repeat(64),
  'x'.repeat(20_000),
  '',
];

/** Returns a case in which the shop sends these calls. */
function calls(
  id: string,
  title: string,
  outcomes: readonly Outcome[],
  given: readonly Call[],
  more: Pick<HostileCase, 'verify'> = {},
): HostileCase {
  return { id, title, outcomes, requests: (scene) => callsAs(scene, 'shop', given), ...more };
}

/** Puts a template with these links beside the others, at once. */
async function addTemplate(
  { templatesDir }: Scene,
  name: string,
  links: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(templatesDir, `.${name}`); // hidden until it is complete
  await mkdir(folder);
  await writeFile(join(folder, 'template.json'), '{}');
  for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
  await rename(folder, join(templatesDir, name));
}

export const TEMPLATE_CASES: readonly HostileCase[] = [
  calls(
    'V10',
    'names of templates that leave the folder, or are not valid',
    [INVALID],
    [
      ...BAD_NAMES.map((template): Call => ['/capture', { template }]),
      ...BAD_NAMES.slice(0, -2).map((name): Call => [`/capture?template=${encodeURIComponent(name)}`]),
      ...[null, ['card'], { name: 'card' }, 1, true].map((template): Call => ['/capture', { template }]),
      ['/jobs', { capture: { template: '../vault' } }],
      ['/sign', { params: { template: '../vault' } }],
    ],
  ),
  calls(
    'V10a',
    'names of templates that are properties of every object',
    ['404 TemplateNotFoundError'],
    ['__proto__', 'constructor', 'hasownproperty', 'get', 'size', 'none'].map((template): Call => [
      '/capture',
      { template },
    ]),
  ),
  calls(
    'V11',
    'an included part that the data names: files of other templates, the definition, the page itself, properties',
    [FAULTY],
    [
      '../vault/secret.liquid',
      '/etc/passwd',
      '../../etc/passwd',
      '%2e%2e/vault/secret.liquid',
      String.raw`..\vault\secret.liquid`,
      'vault/secret.liquid',
      'file:///etc/passwd',
      'http://template.invalid/secret.txt',
      'template.json',
      'index.html',
      'secret.liquid\0',
      '__proto__',
      'constructor',
      '',
      'x'.repeat(90_000),
    ].map((name): Call => ['/capture', { template: 'chooser', data: { name } }]),
    { verify: expectCard },
  ),
  {
    id: 'V12',
    title: 'templates with links that leave their folder: they are not read',
    outcomes: ['404 TemplateNotFoundError'],
    requests: (scene) => {
      const names = ['escape-file', 'escape-folder', 'escape-page', 'escape-part'];
      return [
        async () => {
          await addTemplate(scene, 'escape-file', { 'a.txt': '../vault/secret.txt' });
          await addTemplate(scene, 'escape-folder', { all: '/etc' });
          await addTemplate(scene, 'escape-page', { 'index.html': '/etc/passwd' });
          await addTemplate(scene, 'escape-part', {
            'part.liquid': join(scene.templatesDir, 'vault/secret.liquid'),
          });
          await addTemplate(scene, 'read-after', {});
          await eventually(async () => {
            const call: Call = ['/capture', { template: 'read-after', html_content: 'x' }];
            expect((await callAs(scene, 'shop', call)).status).toBe(200);
          });
          return await callAs(scene, 'shop', ['/capture', { template: 'none' }]);
        },
        ...callsAs(
          scene,
          'shop',
          names.map((template): Call => ['/capture', { template, html_content: 'x' }]),
        ),
      ];
    },
    verify: async ({ scene }) => {
      const { body } = await callAs(scene, 'shop', ['/templates']);
      expect(body).toContain('read-after');
      expect(body).not.toContain('escape');
      expect(body).not.toContain(scene.templatesDir);
    },
  },
  {
    id: 'V13',
    title: 'pages of a site and of a client that load files of templates',
    pages: () => ({
      '': scriptPage("fetch('http://template.invalid/secret.txt', { mode: 'no-cors' }).catch(() => {});"),
    }),
    requests: (scene) =>
      capturesAs(scene, 'shop', [
        { url: scene.site },
        { html_content: '<img src="http://template.invalid/secret.txt">' },
        { html_content: '<iframe src="http://template.invalid/vault/secret.txt"></iframe>', format: 'html' },
        {
          html_content: documentOf('<script src="http://TEMPLATE.invalid./vault/secret.txt"></script>'),
          format: 'html',
        },
        { template: 'preset', html_content: '<img src="http://template.invalid/secret.txt">' },
      ]),
    blocked: 1,
  },
  {
    id: 'V13b',
    title: 'a page of a client whose base is the site of templates: it has no files, and nothing is dialled',
    requests: (scene) =>
      capturesAs(scene, 'shop', [
        { html_content: '<base href="http://template.invalid/"><link rel="stylesheet" href="style.css">' },
      ]),
    verify: ({ answers: [answer] }) => {
      const warnings = answer?.headers instanceof Headers ? answer.headers.get('x-capture-warnings') : null;
      expect(warnings).toContain('file_missing');
    },
  },
  calls(
    'V13a',
    'the list of templates as the page to capture',
    ['400 DestinationNotAllowedError'],
    ['http://template.invalid/', 'http://template.invalid/secret.txt', 'http://TEMPLATE.INVALID.:8080/'].flatMap(
      (url): Call[] => [
        ['/capture', { url }],
        ['/capture', { template: 'preset', url }],
        ['/capture', { html_content: `<script>location = '${url}'</script>` }],
      ],
    ),
  ),
  {
    id: 'V14',
    title: 'a template whose page reads files of another one, alone and beside it',
    requests: (scene) => [
      ...capturesAs(scene, 'shop', [{ template: 'thief' }]),
      ...capturesAs(scene, 'shop', [{ template: 'vault', delay_capture: 2_000 }, { template: 'thief' }]),
    ],
    atOnce: true,
    blocked: 'any',
    verify: ({ answers }) => {
      for (const { body } of [answers[0], answers[2]].filter((answer) => answer !== undefined)) {
        const text = body.toString();
        expect(text).toContain('404');
        expect(text).not.toMatch(/200|root:|part of|page of/);
      }
    },
  },
  calls(
    'V16',
    'fields beside a locked template, in every way',
    ['403 FieldNotAllowedError'],
    [
      ['/capture', { template: 'shut', window_width: 4_000 }],
      ['/capture', { template: 'shut', html_content: 'x' }],
      ['/capture', { template: 'shut', url: 'http://site.example.net/' }],
      ['/capture', { template: 'shut', custom_js: '1' }],
      ['/capture', { template: 'shut', format: null }],
      ['/capture', '{"template":"shut","__proto__":{"format":"pdf"}}'],
      ['/capture?template=shut&format=pdf'],
      ['/sign', { params: { template: 'shut', format: 'pdf' } }],
      ['/jobs', { capture: { template: 'shut', store: true } }],
      ['/jobs/batch', { defaults: { format: 'pdf' }, captures: [{ template: 'shut' }] }],
    ],
  ),
  {
    id: 'V17',
    title: 'secrets in fields of templates, in the list, the tools and the description of the API',
    requests: (scene) => [
      ...callsAs(scene, 'blog', [['/templates'], ['/openapi.json'], TOOL_LIST]),
      ...callsAs(scene, 'cards', [['/templates'], ['/templates?key=shop']]),
    ],
    verify: ({ answers }) => {
      const [all, , , ...ofCards] = answers.map(({ body }) => body.toString());
      expect(all).toContain('"logins"');
      for (const list of ofCards) expect(list).not.toMatch(/logins|vault|custom_js/);
    },
  },
];
