import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { evalSnippets, filterCompactRules, type IndexedCMPRuleset } from '@duckduckgo/autoconsent';
import { consentWorld } from './in-page/consent-world.ts';

/**
 * Rules of `@duckduckgo/autoconsent`, loaded on first use. Also exports its text rules. The package keeps them private,
 * so its version is pinned.
 */
const require = createRequire(import.meta.url);
const [script, rules] = await Promise.all([
  readFile(require.resolve('@duckduckgo/autoconsent'), 'utf8'),
  readFile(require.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'), 'utf8'),
]);
const LIBRARY = `(() => {
const module = { exports: {} };
{
${script}
return {
  AutoConsent: module.exports.default,
  ManagerBase: AutoConsentCMPBase,
  readsAsBanner: checkHeuristicPatterns,
  isExcluded: isExcludedPopup,
  kindOf: classifyButtonTextRegex,
};
}
})()`;
const RULES: IndexedCMPRuleset = JSON.parse(rules);

interface Place {
  readonly url: string;
  /** True for a document in a cross-origin frame. */
  readonly isFramed: boolean;
}

/**
 * Returns the script that finds cookie banners in a document. It contains only rules that can apply there, a quarter of
 * all.
 */
export function consentScript({ url, isFramed }: Place): string {
  const here = filterCompactRules(RULES, { url, mainFrame: !isFramed });
  return `(${consentWorld.toString()})(${LIBRARY}, JSON.parse(${JSON.stringify(JSON.stringify(here))}), ${isFramed})`;
}

/**
 * Returns an expression that runs snippets of the library in the page's own world and returns an array of booleans,
 * false for unknown names. The page could run the same code itself, so it gains nothing.
 */
export function snippetsText(names: readonly string[]): string {
  const runs = names.map((name) => {
    const snippet = Object.hasOwn(evalSnippets, name) ? Reflect.get(evalSnippets, name) : undefined;
    return typeof snippet === 'function' ? String(snippet) : '() => false';
  });
  return `(() => { const results = []; ${runs.map((run) => `try { results[results.length] = !!(${run})(); } catch { results[results.length] = false; }`).join(' ')} return results; })()`;
}
