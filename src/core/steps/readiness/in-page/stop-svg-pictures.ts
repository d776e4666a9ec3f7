import { adoptRules, all, attribute, computed, nameOf, setAttribute } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';

/** An SVG file that is shown as a picture. */
export type SvgText = { readonly url: string; readonly text: string };

interface TrustedPolicy {
  readonly createHTML: (text: string) => string;
}
interface PolicyFactory {
  readonly createPolicy: (name: string, rules: TrustedPolicy) => TrustedPolicy;
}

const PROPERTIES = ['content', 'background-image', 'border-image-source', 'list-style-image', 'mask-image'];
const PSEUDOS = [undefined, '::before', '::after'];
// A whole number of iterations for most endless animations, and longer than any finite animation.
const CSS_AT_END =
  '*, ::before, ::after { animation-delay: -86400s !important; animation-play-state: paused !important }';

/**
 * Replaces animated SVG pictures, in `img`, `image` and CSS, by still copies. Finite animations are at their end,
 * endless SMIL is removed, and endless CSS animations are paused. A script cannot reach the timeline of the original.
 * Runs in the page.
 */
export async function stopSvgPictures(pictures: readonly SvgText[]): Promise<void> {
  const copies = new Map<string, string>();
  const policy = createPolicy();
  for (const { url, text } of pictures) {
    const copy = stillCopy(text, policy);
    if (copy !== undefined) copies.set(url, copy);
  }
  await Promise.all(
    [...copies].map(
      ([url, copy]) =>
        Object.assign(new Image(), { src: copy })
          .decode()
          .catch(() => copies.delete(url)), // the original is better than a copy that the page may not show
    ),
  );
  const copyOf = (url: string): string | undefined => {
    const [file = '', part] = url.split('#', 2);
    const copy = copies.get(file) ?? copies.get(url);
    return copy === undefined || part === undefined || url.startsWith('data:') ? copy : `${copy}#${part}`;
  };
  let count = 0;
  for (const root of rootsOf()) count = showCopies(root, copyOf, count);
}

/**
 * Returns the text as a data URI at the end of its animations. Undefined if it can't be parsed: then the picture keeps
 * moving.
 */
function stillCopy(text: string, policy: TrustedPolicy | undefined): string | undefined {
  let svg: Document;
  try {
    svg = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'image/svg+xml');
  } catch {
    return undefined;
  }
  if (svg.querySelector('parsererror') !== null) return undefined;
  svg.querySelectorAll('animate, animateTransform, animateMotion, set').forEach(bringToEnd);
  const style = svg.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = CSS_AT_END;
  svg.documentElement.append(style);
  return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
}

/**
 * Undefined if the page allows no policy of Trusted Types. Without it, the parser refuses texts on pages that require
 * one.
 */
function createPolicy(): TrustedPolicy | undefined {
  const factory: PolicyFactory | undefined = Reflect.get(globalThis, 'trustedTypes');
  try {
    return factory?.createPolicy('still-pictures', { createHTML: (text) => text });
  } catch {
    return undefined;
  }
}

/** Seconds of a clock value: `1.5`, `1.5s`, `200ms`, `1:30`. NaN for anything else. */
function secondsOf(clock: string): number {
  const [, amount, unit = 's'] = /^([\d.]+)(h|min|s|ms)?$/.exec(clock.trim()) ?? [];
  if (amount !== undefined) return Number(amount) * ({ h: 3_600, min: 60, s: 1, ms: 0.001 }[unit] ?? NaN);
  return clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
}

function bringToEnd(animation: Element): void {
  const value = (name: string, otherwise: string): string => animation.getAttribute(name) ?? otherwise;
  const isEvent = /^(?:indefinite|(?:[\w-]+\.)?(?!(?:begin|end)\b)[a-z]+(?:\(.*\))?)\s*(?:[+-].*)?$/i;
  const begins = value('begin', '0s').split(';');
  if (begins.every((begin) => isEvent.test(begin.trim()))) return; // or a script starts the animation
  const lasts = secondsOf(value('dur', '')) * Number(value('repeatCount', '1'));
  const isEndless = [value('repeatCount', ''), value('repeatDur', '')].includes('indefinite');
  if (animation.getAttribute('dur') === null) animation.setAttribute('begin', '0s');
  else if (isEndless || Number.isNaN(lasts) || value('fill', 'remove') !== 'freeze') animation.remove();
  // An animation that ends before time 0 has no effect. The last microsecond changes no pixel: with a millisecond,
  // captures differed.
  else animation.setAttribute('begin', `${1e-6 - lasts}s`);
}

function isPicture(element: Element): element is HTMLImageElement | HTMLInputElement | SVGImageElement {
  return ['img', 'input', 'image'].includes(nameOf(element));
}

function addressOf(element: HTMLImageElement | HTMLInputElement | SVGImageElement): string {
  if ('href' in element) return URL.parse(element.href.baseVal, element.baseURI)?.href ?? '';
  return 'currentSrc' in element ? element.currentSrc : element.src;
}

/** Shows the copies in a tree. Marks are numbered from `count`; returns the last number. */
function showCopies(root: Document | ShadowRoot, copyOf: (url: string) => string | undefined, count: number): number {
  // One rule for all elements that show the same picture, because a copy may have 1.5 MB.
  const marks = new Map<string, string>(); // by rule
  const override = (element: Element, pseudo: string | undefined, declaration: string): void => {
    const rule = `${pseudo ?? ''} { ${declaration} !important }`;
    const mark = marks.get(rule) ?? String(count + marks.size + 1);
    marks.set(rule, mark);
    setAttribute(element, 'data-still', `${attribute(element, 'data-still') ?? ''} ${mark}`);
  };
  for (const element of all(root, '*')) {
    const copy = isPicture(element) ? copyOf(addressOf(element)) : undefined;
    if (copy !== undefined && nameOf(element) === 'image') setAttribute(element, 'href', copy);
    else if (copy !== undefined) override(element, undefined, `content: url("${copy}")`);
    for (const pseudo of PSEUDOS) {
      const style = computed(element, pseudo);
      for (const property of PROPERTIES) {
        const value = style.getPropertyValue(property);
        if (!value.includes('url(')) continue;
        const replaced = value.replaceAll(/url\("([^"]*)"\)/g, (whole, url: string) => {
          const still = copyOf(url);
          return still === undefined ? whole : `url("${still}")`;
        });
        if (replaced !== value) override(element, pseudo, `${property}: ${replaced}`);
      }
    }
  }
  const rules = [...marks].map(([rule, mark]) => `[data-still~="${mark}"]${rule}`);
  if (rules.length > 0) adoptRules(root, rules.join('\n'));
  return count + marks.size;
}
