import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { consentScript, snippetsText } from '../../../src/features/consent/library.ts';

describe('consentScript', () => {
  it('finds internal names of the library', () => {
    const script = consentScript({ url: 'https://example.com/', isFramed: false });
    const [library = ''] = /\(\(\) => \{\nconst module[^]*?\n\}\n\}\)\(\)/.exec(script) ?? [];

    const names = Object.keys(runInNewContext(`const window = globalThis; Object(${library})`));

    expect(names).toEqual(['AutoConsent', 'ManagerBase', 'readsAsBanner', 'isExcluded', 'kindOf']);
  });

  it('contains the rules that may apply to the URL', () => {
    const url = 'https://www.dropbox.com/';

    expect(consentScript({ url, isFramed: false }).length).toBeGreaterThan(
      consentScript({ url, isFramed: true }).length,
    );
    expect(consentScript({ url, isFramed: true })).toContain('dropbox');
    expect(consentScript({ url: 'about:blank', isFramed: true })).not.toContain('dropbox');
  });
});

describe('snippetsText', () => {
  it('runs the library snippet of that name, and nothing else', () => {
    const names = ['EVAL_COOKIEBOT_1', 'EVAL_TARTEAUCITRON_0', 'constructor', '() => true', '__proto__'];
    const window = { Cookiebot: {} };

    expect(runInNewContext(snippetsText(names), { window })).toEqual([true, false, false, false, false]);
  });
});
