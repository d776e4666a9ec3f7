import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { evalSnippets, filterCompactRules, type IndexedCMPRuleset } from '@duckduckgo/autoconsent';
import { consentWorld } from './in-page/consent-world.ts';
import { bannerWords } from './in-page/banner-words.ts';
import { cookiePopups } from './in-page/cookie-popups.ts';
import { takeOff } from './in-page/take-off.ts';
import { rootsOf } from '../in-page/roots-of.ts';

/**
 * What `@duckduckgo/autoconsent` knows of consent managers, read once: this module is imported when the first capture wants it. The names
 * that are added to what it exports are its own judgement of words, which it keeps to itself: hence the pinned version.
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
const TOOLS = `{ bannerWords: ${bannerWords.toString()}, cookiePopups: ${cookiePopups.toString()}, takeOff: ${takeOff.toString()}, rootsOf: ${rootsOf.toString()} }`;
const RULES: IndexedCMPRuleset = JSON.parse(rules);

interface Place {
  readonly url: string;
  /** In a document of another origin. */
  readonly isFramed: boolean;
}

/** The script that looks for cookie banners in a document, with the rules that may hold there: a quarter of all. */
export function consentScript({ url, isFramed }: Place): string {
  const here = filterCompactRules(RULES, { url, mainFrame: !isFramed });
  return `(${consentWorld.toString()})(${LIBRARY}, ${TOOLS}, JSON.parse(${JSON.stringify(JSON.stringify(here))}), ${isFramed})`;
}

/**
 * An expression that runs these snippets of the library's, and gives back an array of what is true of them; undefined for a name that is none
 * of them. They run among the page's own scripts, and can't do more than those: what a page would have us run there, it can run itself.
 */
export function snippetsText(names: readonly string[]): string {
  const runs = names.map((name) => {
    const snippet = Object.hasOwn(evalSnippets, name) ? Reflect.get(evalSnippets, name) : undefined;
    return typeof snippet === 'function' ? String(snippet) : '() => false';
  });
  return `(() => { const results = []; ${runs.map((run) => `try { results[results.length] = !!(${run})(); } catch { results[results.length] = false; }`).join(' ')} return results; })()`;
}
