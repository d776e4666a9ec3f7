import type { AssembledFacts } from './documents-work.ts';

/** Pages that get numbers or a watermark at most. */
export const MOST_OVERLAID = 5_000;

/** Returns the markup of empty pages of these sizes, over which the browser prints footers and watermarks. */
export function overlayPage(sizes: AssembledFacts['sizes']): string {
  const names = new Map<string, string>();
  const pages = sizes.map(({ width, height }) => {
    const size = `${width.toFixed(2)}pt ${height.toFixed(2)}pt`;
    const name = names.get(size) ?? `s${names.size}`;
    names.set(size, name);
    return `<p class="${name}">`;
  });
  const rules = [...names].map(([size, name]) => `@page ${name} { size: ${size} } .${name} { page: ${name} }`);
  return `<!doctype html><title></title><style>p { margin: 0; break-before: page; height: 1px } ${rules.join(' ')}</style>${pages.join('')}`;
}
