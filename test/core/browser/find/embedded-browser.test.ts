import { mkdir, mkdtemp, mkdtempDisposable, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from 'puppeteer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEmbeddedBrowser } from '../../../../src/core/browser/find/embedded-browser.ts';
import { removeAbandoned, unpackBrowser } from '../../../../src/core/browser/find/unpack-browser.ts';
import { ownerTag } from '../../../../src/core/processes/process-owner.ts';

const UNPACKING_MS = 60_000;
const embedded = await findEmbeddedBrowser();

describe.skipIf(embedded === undefined)('the embedded browser', () => {
  const fontConfig = embedded?.environment['FONTCONFIG_FILE'] ?? '';
  let parent: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  });

  afterEach(async () => {
    await rm(parent, { recursive: true, force: true });
  });

  it('renders text in its own font on a machine without fonts', { timeout: UNPACKING_MS }, async () => {
    const config = join(parent, 'fonts.conf');
    const ownConfig = await readFile(fontConfig, 'utf8');
    const ownFonts = `<dir>${join(fontConfig, '../fonts')}</dir>`;
    await writeFile(config, ownConfig.replace(/<include.*/, '').replace(/<dir.*/, ownFonts));

    expect(await fontsOf('Open Sans', { FONTCONFIG_FILE: config })).toEqual(['Open Sans']);
  });

  it('renders text in the fonts of the machine if it has any', { timeout: UNPACKING_MS }, async () => {
    const ofMachine = await fontsOf('Open Sans', { FONTCONFIG_FILE: undefined });

    expect(await fontsOf('Open Sans', {})).toEqual(ofMachine.length === 0 ? ['Open Sans'] : ofMachine);
  });

  it('is unpacked once for concurrent callers, with this user as owner', { timeout: UNPACKING_MS }, async () => {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    const folder = join(parent, 'chromium-1');

    const folders = await Promise.all([unpackBrowser(entry, folder), unpackBrowser(entry, folder)]);

    expect(folders).toEqual([folder, folder]);
    expect(await readdir(parent)).toEqual(['chromium-1']);
    const font = await stat(join(folder, 'fonts/fonts/Open_Sans/OpenSans-Regular.ttf'));
    expect([font.uid, font.mode & 0o777]).toEqual([process.geteuid?.(), 0o644]);
    expect(await readFile(join(folder, 'fonts/fonts.conf'), 'utf8')).not.toContain('/tmp');
  });

  it('leaves no files if it cannot be unpacked', async () => {
    const folder = join(parent, 'chromium-1');
    await mkdir(join(parent, 'empty'));

    const unpacking = unpackBrowser(join(parent, 'empty', 'index.js'), folder);

    await expect(unpacking).rejects.toThrow(/could not be unpacked to/);
    expect(await readdir(parent)).toEqual(['empty']);
  });
});

describe.runIf(process.platform === 'linux')('removeAbandoned', () => {
  it('removes the files of a killed process at once, and none of a running process', async () => {
    await using parent = await mkdtempDisposable(join(tmpdir(), 'embedded-test-'));
    const own = `chromium-1.tmp-${ownerTag()}abcdef`;
    const kept = ['chromium-1', own, 'chromium-1.tmp-of-another-machine'];
    for (const name of [...kept, own.replace(/_\d+/, '_4194305'), 'chromium-1.tmp-old'])
      await mkdir(join(parent.path, name, 'fonts'), { recursive: true });
    await utimes(join(parent.path, 'chromium-1.tmp-old'), 1, 1);

    await removeAbandoned(parent.path);

    expect((await readdir(parent.path)).toSorted()).toEqual(kept.toSorted());
  });
});

/** Starts the embedded browser and returns the fonts in which it renders Latin text. */
async function fontsOf(
  family: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  await using browser = await launch({
    executablePath: embedded?.path ?? '',
    headless: 'shell',
    pipe: true,
    args: ['--no-sandbox'],
    env: { ...embedded?.environment, ...environment },
  });
  const page = await browser.newPage();
  await page.setContent(`<p style="font-family: '${family}'">text</p>`);
  const session = await page.createCDPSession();
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts.map((font) => font.familyName);
}
