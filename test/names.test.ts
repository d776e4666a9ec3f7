import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: (name) => /node_modules|dist$/.test(name) });

const CODE = filesOf('{src,test,scripts,bench,clients}/**/*.{ts,mts,mjs}').toSorted();
const DOCUMENTS = filesOf('{*.md,docs/**/*.md,bench/*.md,.env.example,Dockerfile,compose.yaml}').toSorted();

/** Files of readers, requests and examples. */
const EXAMPLES: ReadonlySet<string> = new Set([
  'text-size-feature.ts',
  'uptime-setting.ts',
  'uptime-part.ts',
  'page.md',
  'text.md',
  'whole.md',
  'from-jina.md',
  'file.md',
  'a.md',
  'sign.ts',
  'try.mjs',
]);

/** Words of the field. Every function with such a name means the same by it, for a subject of its own. */
const SHARED_WORDS: ReadonlySet<string> = new Set([
  'hasEnded', // a job, a process, a wait, an animation
  'isAbandoned', // left behind by a process that has ended
  'isAllowed', // by a rule
  'isDocument', // a document: a node, a resource, or a file
  'isInside', // a box or a folder contains it
  'isNamed', // has this name, or names it
  'isOpen', // not closed
  'isPicture', // shows a picture
  'isRefused', // by the service
  'isRetryable', // another try may succeed
  'isRightToLeft', // direction of a text
  'isRoot', // the top of a tree, or the user with the id 0
  'isRunning', // has not ended
  'isWithin', // contained in a folder, a host, an element or a limit
  'retryAfterSeconds', // the value of Retry-After
]);

/** A claim such as `isOpen`, or a name of three words or more. Shorter names, such as `send`, are words of the language. */
const DISTINCT = /^(?:is|has|can|are|was|needs)[A-Z]|^[a-z]+[A-Z][a-z]+[A-Z]/;
const EXPORTED = /^export (?:async )?function\*? (\w+)/gm;
const DECLARED = /^[ \t]*(?:(?:const|let) (\w+)(?= *[:=])|(?:async )?function\*? (\w+))/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*/g;
const NAMED_FILE = /(?<![\w/.$*<-])[\w./-]*[\w-]\.(?:ts|mts|mjs|md)\b(?!\.?\w|\()/g;

describe('names', () => {
  it('name one thing: no function or constant has the name of an exported function of another folder', () => {
    // A global rename once gave a function of the filter lists' parser 24 namesakes with other meanings.
    const sources = CODE.filter((file) => file.startsWith('src/'));
    const exported = new Map(
      sources.flatMap((file) => [...read(file).matchAll(EXPORTED)].map(([, name = '']) => [name, file] as const)),
    );
    const namesakes = CODE.flatMap((file) =>
      [...read(file).matchAll(DECLARED)].flatMap(([, constant, called]) => {
        const name = constant ?? called ?? '';
        const first = exported.get(name);
        if (first === undefined || dirname(first) === dirname(file) || !DISTINCT.test(name)) return [];
        return SHARED_WORDS.has(name) ? [] : [`${file}: ${name} is a function of ${first}`];
      }),
    );

    expect(exported.size).toBeGreaterThan(500);
    expect(namesakes).toEqual([]);
  });

  it('of files in comments and documents are names of existing files', () => {
    const existing = new Set([...CODE, ...DOCUMENTS, ...filesOf('{docs,src,test,deploy,clients,examples}/**/*.*')]);
    const names = new Set([...existing].map((file) => basename(file)));
    const isThere = (named: string): boolean => {
      const path = named.replace(/^(?:\.{0,2}\/|[ab]\/)+/, '');
      if (EXAMPLES.has(basename(path))) return true;
      return path.includes('/') ? [...existing].some((file) => file.endsWith(path)) : names.has(path);
    };
    const texts = [
      ...CODE.map((file) => [file, (read(file).match(COMMENT) ?? []).join('\n')] as const),
      ...DOCUMENTS.map((file) => [file, read(file)] as const),
    ];
    const dead = texts
      .filter(([file]) => file !== 'CHANGELOG.md') // names the files of its time
      .flatMap(([file, text]) => (text.match(NAMED_FILE) ?? []).map((named) => [file, named] as const))
      .filter(([, named]) => !isThere(named))
      .map(([file, named]) => `${file}: ${named}`);

    expect(dead).toEqual([]);
  });
});
