/** Licences that ask for more than their text: access to the source, or to changes of it. */
const COPYLEFT = /\b(?:MPL|LGPL|GPL|AGPL|EPL|CDDL)-/;

/**
 * Returns THIRD-PARTY.md from the lock file: the production packages by licence, and by name those of licences that ask
 * for their source.
 * @param {{ packages: Record<string, { version: string, license?: string, dev?: boolean }> }} lock
 */
export function renderThirdParty({ packages }) {
  const used = Object.entries(packages).flatMap(([path, { version, license, dev }]) => {
    const name = path.split('node_modules/').at(-1);
    return path === '' || dev === true ? [] : [{ name, version, license: license ?? 'see the package' }];
  });
  const licences = [...new Set(used.map(({ license }) => license))].toSorted(byText);
  const counts = licences.map(
    (each) => `| ${each} | ${new Set(used.filter(({ license }) => license === each).map(({ name }) => name)).size} |`,
  );
  const copyleft = used
    .filter(({ license }) => COPYLEFT.test(license))
    .map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`);
  return `# Third-party software

Written by \`npm run docs\` from the lock file. The npm packages that the service uses, by licence:

| Licence | Packages |
| --- | --- |
${counts.join('\n')}

These are under licences that ask for access to their source. They are unmodified; each package on npm names its source.

| Package | Version | Licence |
| --- | --- | --- |
${[...new Set(copyleft)].toSorted(byText).join('\n')}

**The image** also has Node, Debian packages with their own licences in \`/usr/share/doc/*/copyright\`, among them Chromium (BSD and others), and the
fonts Noto, Liberation, Carlito and Caladea (SIL Open Font License). It lacks files of \`@duckduckgo/autoconsent\` that are not read at run time.
\`/app/sbom\` lists all of its packages.

**Hyphenation.** \`dist/hyphen-data\` is made from the patterns of the project hyph-utf8, in the form of the npm package \`hyphen\` (ISC). Each language has
the licence of its authors, which https://www.hyphenation.org/tex lists.
`;
}

function byText(left, right) {
  return left < right ? -1 : left > right ? 1 : 0;
}
