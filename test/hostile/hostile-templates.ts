import type { TemplateFiles } from '../support/template-folders.ts';
import { FILE_TEXT } from './hostile-keys.ts';

/** Every place in which a value must stay text. */
const PLACES = `<!doctype html><title>{{ values[0] }}</title>{% for value in values %}
<p>{{ value }}</p><textarea>{{ value }}</textarea><!-- {{ value }} -->
<a title="{{ value }}" href="{{ value | safe_url }}">a</a><a title='{{ value }}'>b</a><a title={{ value }}>c</a>
<svg><text>{{ value }}</text></svg>
<style>i { color: {{ value }} }</style>{% endfor %}`;

const STRINGS = `{% for value in values %}<script>
[{{ value | script_json }}, "{{ value }}", '{{ value }}', \`{{ value }}\`]; /* {{ value }} */ // {{ value }}
</script>{% endfor %}`;

/** Filters and tags whose arguments come from the data. */
const FILTERS = `{% case what %}
{% when "date" %}{{ text | date: argument }}
{% when "money" %}{{ text | money: argument }}
{% when "range" %}{% for i in (1..argument) %}<i>{% endfor %}
{% when "slice" %}{{ text | slice: argument, argument }}
{% when "truncate" %}{{ text | truncate: argument, text }}
{% when "replace" %}{{ text | replace: argument, text }}
{% when "split" %}{{ text | split: argument | join: text }}
{% when "strip" %}{{ text | strip_html | strip_newlines | url_decode }}
{% when "where" %}{{ text | where: argument, argument | json }}
{% when "limit" %}{% for i in list limit: argument offset: argument %}{{ i }}{% endfor %}
{% endcase %}`;

/** Fetches each of these addresses and shows what it got. */
const READ_ALL = `const texts = await Promise.all(addresses.map((address) => fetch(address).then(
  async (response) => response.status + ' ' + await response.text(), (error) => error.name)));
document.body.textContent = texts.join('; ');`;

const THIEF_ADDRESSES = [
  '../vault/secret.txt',
  '/vault/secret.txt',
  '..%2fvault%2fsecret.txt',
  '%2e%2e/vault/secret.txt',
  '..%5cvault%5csecret.txt',
  '.%00./vault/secret.txt',
  'http://template.invalid/secret.txt',
  'http://template.invalid./secret.txt',
  'http://template.invalid:81/secret.txt',
  'https://template.invalid/secret.txt',
  'part.liquid',
  'Part.liquid',
  'index.html',
  'template.json',
  '/etc/passwd',
  'file:///etc/passwd',
];

/** Repeats the body for each combination of the numbers 1 to 9,000. */
const forEver = (body: string): string =>
  `{% for a in (1..9000) %}{% for b in (1..9000) %}{% for c in (1..9000) %}${body}{% endfor %}{% endfor %}{% endfor %}`;

/** Each of these ends with an error. */
const ENDLESS = {
  loop: forEver(''),
  'loop-of-text': forEver('0123456789'),
  'loop-of-values': forEver('{{ a | times: b | append: "<" }}'),
  'loop-of-parts': forEver('{% render "part.liquid" %}'),
  recursion: '{% render "part.liquid" %}',
  range: '{% for a in (1..2000000000) %}{% endfor %}',
  list: '{% assign a = (1..1000000000) | join: "," %}',
  doubling: '{% assign a = "x" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
  tripling:
    '{% assign a = "x" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
  replacing:
    '{% assign a = "xxxxxxxxxx" %}{% for i in (1..9) %}{% assign a = a | replace: "x", a %}{% endfor %}{{ a }}',
  'long-page': `{% for i in (1..400) %}${'<p>0123456789</p>\n'.repeat(58_000)}{% endfor %}`,
} as const;

/** Names of the templates that never end, or grow. */
export const ENDLESS_NAMES: readonly string[] = Object.keys(ENDLESS);

/** Templates of the service, by path. */
export const HOSTILE_TEMPLATES: TemplateFiles = {
  'card/template.json': {
    fields: { window_width: 120, window_height: 63 },
    data: {
      type: 'object',
      properties: { title: { type: 'string' }, accent: { type: 'string', pattern: '^#[0-9a-f]{6}$' } },
      additionalProperties: false,
    },
  },
  'card/index.html': '<body style="color: {{ accent }}"><h1>{{ title }}</h1>',
  'places/template.json': { fields: { format: 'html' } },
  'places/index.html': PLACES,
  'places/secret.liquid': FILE_TEXT,
  'strings/template.json': { fields: { format: 'html' } },
  'strings/index.html': STRINGS,
  'names/template.json': { fields: { format: 'html' } },
  'names/index.html': '[{{ polluted }}{{ a.polluted }}{{ a.constructor.polluted }}{{ toString }}{{ list.polluted }}]',
  'chooser/template.json': {},
  'chooser/index.html': '{% include name %}',
  'filters/template.json': {},
  'filters/index.html': FILTERS,
  'logins/template.json': {
    fields: {
      url: 'http://site.example.net/',
      custom_headers: { 'X-Key': FILE_TEXT },
      cookies: [{ name: 'a', value: FILE_TEXT }],
      http_auth: { username: 'a', password: FILE_TEXT },
    },
  },
  'thief/template.json': {
    fields: {
      format: 'html',
      custom_js: `const addresses = ${JSON.stringify(THIEF_ADDRESSES)}; ${READ_ALL}`,
    },
  },
  'thief/index.html': '<img src="../vault/secret.txt"><iframe src="/secret.txt"></iframe><p>page of a thief',
  'thief/part.liquid': FILE_TEXT,
  'thief/own.css': '',
  'vault/template.json': {},
  'vault/index.html': '<link rel="stylesheet" href="style.css"><h1>vault</h1>',
  'vault/style.css': 'h1 { color: red }',
  'vault/secret.txt': FILE_TEXT,
  'vault/secret.liquid': FILE_TEXT,
  'preset/template.json': {},
  'shut/template.json': { fields: { window_width: 100 }, locked: true },
  'shut/index.html': 'locked',
  ...Object.fromEntries(
    Object.entries(ENDLESS).flatMap(([name, page]) => [
      [`${name}/template.json`, {}],
      [`${name}/index.html`, page],
      [`${name}/part.liquid`, name === 'recursion' ? page : '<i>part</i>'],
    ]),
  ),
};
