import { randomUUID } from 'node:crypto';
import { Script } from 'node:vm';
import { isDocumentLost } from '../browser/browser-errors.ts';
import { InPageError } from '../browser/page/evaluate.ts';
import { OWN_ORIGIN } from '../egress/gate/own-site.ts';
import { validationError } from '../ground/errors.ts';
import { fieldsOf, firstLine, MAX_SCRIPT_LENGTH, textField } from './common/fields.ts';
import type { PlainStep, Step } from './common/step.ts';

/** Holds what the script has thrown. The page gets it only then, and cannot know its name before. */
const THROWN = JSON.stringify(`capture-${randomUUID()}`);

const schema = fieldsOf('look', {
  init_script: textField(MAX_SCRIPT_LENGTH, {
    description:
      'JavaScript that runs in each document of the origin of `url` (or `base_url`) before its own scripts: after a navigation and in frames, too. It sets flags, stubs and storage that the page reads at its start',
    example: 'localStorage.setItem("theme", "dark")',
  }).optional(),
});

interface Options {
  readonly init_script?: string | undefined;
  readonly base_url?: string | undefined;
}

/** Runs the script of the request before those of the page. Supplied markup gets an address, so that it has storage. */
export const initScript: Step<typeof schema> = {
  name: 'init-script',
  schema,
  apply: async (page, { init_script: script, base_url: base }: Options, { url }) => {
    if (script === undefined) return;
    const origins = originsOf(url ?? base ?? `${OWN_ORIGIN}/`);
    // Blocks keep functions and `var` global. Chrome tells nobody of an error this early, so it is kept (Chromium 153).
    const source = `if (${JSON.stringify(origins)}.includes(self.origin)) try {
${script}
} catch (error) { Object.defineProperty(self, ${THROWN}, { value: error }); throw error; }
//# sourceURL=init_script`;
    // A script that could close the block is no valid script by itself.
    for (const text of [script, source]) checkSyntax(text);
    await page.onSession((session) => session.send('Page.addScriptToEvaluateOnNewDocument', { source }));
  },
};

/** Ends the capture if the script has thrown: what it should have set would be missing in the result. */
export const initScriptCheck: PlainStep = {
  name: 'init-script-check',
  apply: async (page, { init_script: script }: Options) => {
    if (script === undefined) return;
    const check = `{ const kept = Object.getOwnPropertyDescriptor(self, ${THROWN}); if (kept) throw kept.value; }`;
    try {
      await page.runInPageWorld(check);
    } catch (error) {
      if (error instanceof InPageError) throw failed(error.message);
      if (!isDocumentLost(error)) throw error; // the next document is checked, too
    }
  },
};

function checkSyntax(script: string): void {
  try {
    void new Script(script);
  } catch (error) {
    throw failed(String(error)); // without the cause, whose stack has a line of the script for the log
  }
}

/**
 * Returns the origins that count as the page's own. A page that moves to https, or to its name with or without `www.`,
 * is the same page. The values of the script may be secret from any other origin.
 */
function originsOf(address: string): readonly string[] {
  const { protocol, host, port, origin } = new URL(address);
  if (port !== '') return [origin];
  const other = host.startsWith('www.') ? host.slice('www.'.length) : `www.${host}`;
  return [...(protocol === 'http:' ? [origin, `http://${other}`] : []), `https://${host}`, `https://${other}`];
}

function failed(message: string): Error {
  return validationError(`init_script: ${firstLine(message)}`);
}
