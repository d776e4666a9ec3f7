import type { Values } from '../form/values.ts';
import { type Call, TEXT_SNIPPETS } from './snippets-as-text.ts';

type Language = 'curl' | 'Command line' | 'Client' | 'TypeScript' | 'Python' | keyof typeof TEXT_SNIPPETS;

/**
 * Code samples by language. The client is the npm package `capture-service-client`; the others need nothing of ours.
 */
export const SNIPPETS: Readonly<Record<Language, (call: Call) => string>> = {
  curl: ({ endpoint, values, filename, needsToken }) =>
    [
      `curl --fail-with-body ${quote(endpoint)}`,
      ...(needsToken ? ['-H "Authorization: Bearer $CAPTURE_TOKEN"'] : []),
      ...bodyOfCurl(values),
      `-o ${filename}`,
    ].join(' \\\n  '),

  'Command line': ({ endpoint, values, filename, needsToken }) =>
    [
      ...(needsToken ? ['# needs the variable CAPTURE_TOKEN'] : []),
      [
        `npx capture-service capture --service ${quote(endpoint.replace(/\/capture$/, ''))}`,
        ...toArguments({ ...values, response_type: undefined }), // follows from the name of the file
        `-o ${filename}`,
      ].join(' \\\n  '),
    ].join('\n'),

  Client: ({ endpoint, values, filename, needsToken }) => {
    const options = [
      `service: ${toScript(endpoint.replace(/\/capture$/, ''))}`,
      ...(needsToken ? ['token: process.env.CAPTURE_TOKEN'] : []),
    ];
    const fields = withFiles(toScript(marked(values)), (name) => `await readFile(${name})`);
    return `import { ${values['files'] === undefined ? '' : 'readFile, '}writeFile } from 'node:fs/promises';
import { createCaptureClient } from 'capture-service-client';

const client = createCaptureClient({ ${options.join(', ')} });
const { bytes, warnings } = await client.capture(${fields});
await writeFile(${toScript(filename)}, bytes);
console.log(warnings);`;
  },

  TypeScript: ({ endpoint, values, filename, needsToken }) => {
    const headers = [
      ...(needsToken ? ['Authorization: `Bearer ${process.env.CAPTURE_TOKEN}`'] : []),
      "'Content-Type': 'application/json'",
    ];
    return `import { ${values['files'] === undefined ? '' : 'readFile, '}writeFile } from 'node:fs/promises';

const answer = await fetch(${toScript(endpoint)}, {
  method: 'POST',
  headers: { ${headers.join(', ')} },
  body: JSON.stringify(${indent(
    withFiles(toScript(marked(values)), (name) => `await readFile(${name}, 'base64')`),
    2,
  )}),
});
if (!answer.ok) throw new Error(await answer.text());
await writeFile(${toScript(filename)}, Buffer.from(await answer.arrayBuffer()));`;
  },

  Python: ({ endpoint, values, filename, needsToken }) => {
    const headers = [
      ...(needsToken ? ['"Authorization": f"Bearer {os.environ[\'CAPTURE_TOKEN\']}"'] : []),
      '"Content-Type": "application/json"',
    ];
    return `import ${values['files'] === undefined ? '' : 'base64, '}json${needsToken ? ', os' : ''}, sys, urllib.error, urllib.request

request = urllib.request.Request(
    ${toPython(endpoint)},
    headers={${headers.join(', ')}},
    data=json.dumps(${indent(
      withFiles(toPython(marked(values)), (name) => `base64.b64encode(open(${name}, "rb").read()).decode()`),
      4,
    )}).encode(),
)
try:
    with urllib.request.urlopen(request) as answer, open(${toPython(filename)}, "wb") as file:
        file.write(answer.read())
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())`;
  },

  ...TEXT_SNIPPETS,
};

/** curl would leave the folder of a file out of its name. */
function bodyOfCurl({ files, ...values }: Values): readonly string[] {
  if (files === undefined) return ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify({ ...values }))}`];
  const parts = Object.keys(Object(files)).map((name) => `-F ${quote(`file=@"${name}";filename="${name}"`)}`);
  return [`--form-string ${quote(`request=${JSON.stringify(values)}`)}`, ...parts];
}

const MARK = '@file:';

/** Puts marks in the place of the contents of files, which the code reads from the disk. */
function marked(values: Values): Values {
  const { files } = values;
  if (files === undefined) return values;
  const names = Object.keys(Object(files)).map((name) => [name, `${MARK}${name}`]);
  return { ...values, files: Object.fromEntries(names) };
}

/** Replaces the marks by code. */
function withFiles(code: string, read: (name: string) => string): string {
  return code.replaceAll(
    /(: )"@file:((?:[^"\\]|\\.)*)"/g,
    (_mark, before: string, name: string) => `${before}${read(`"${name}"`)}`,
  );
}

/** Formats a value as JSON on several lines, which is valid TypeScript. */
function toScript(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function toPython(value: unknown, margin = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${margin}    `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((each) => toPython(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${toPython(each, inner)}`);
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${members.map((member) => `${inner}${member},`).join('\n')}\n${margin}${close}`;
}

function indent(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** Quotes text for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the arguments of the command line for these values, each quoted for a shell. */
function toArguments({ url, files, ...values }: Values): readonly string[] {
  const flags = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : toFlags(field.replaceAll('_', '-'), value),
  );
  const ofFiles = Object.keys(Object(files)).map((name) => `--files ${quote(`${name}: `)}"$(base64 < ${quote(name)})"`);
  return [...(typeof url === 'string' ? [quote(url)] : []), ...flags, ...ofFiles];
}

function toFlags(name: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  if (Array.isArray(value)) return value.map((each) => flag(name, each));
  return [flag(name, value)];
}

/** Escapes text that the command line would read as another flag or as the name of a file. */
function flag(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value.replace(/^@/, '@@') : JSON.stringify(value);
  return `--${name}${text.startsWith('-') ? '=' : ' '}${/^[\w./:-]+$/.test(text) ? text : quote(text)}`;
}
