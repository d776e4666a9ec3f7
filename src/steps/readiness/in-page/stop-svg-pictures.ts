import type { RootsOf } from '../../in-page/roots-of.ts';

/** An SVG file that is shown as a picture. */
export type SvgText = { readonly url: string; readonly text: string };

interface TrustedPolicy {
  readonly createHTML: (text: string) => string;
}
interface PolicyFactory {
  readonly createPolicy: (name: string, rules: TrustedPolicy) => TrustedPolicy;
}

/**
 * Replaces animated SVG pictures, in `img`, `image` and CSS, by still copies. Finite animations are at their end,
 * endless SMIL is removed, and endless CSS animations are paused. A script cannot reach the timeline of the original.
 * Runs in the page.
 */
export async function stopSvgPictures(pictures: readonly SvgText[], rootsOf: RootsOf): Promise<void> {
  // A whole number of iterations for most endless animations, and longer than any finite animation.
  const CSS_AT_END =
    '*, ::before, ::after { animation-delay: -86400s !important; animation-play-state: paused !important }';
  const PROPERTIES = ['content', 'background-image', 'border-image-source', 'list-style-image', 'mask-image'];
  const PSEUDOS = [undefined, '::before', '::after'];
  /** Seconds of a clock value: `1.5`, `1.5s`, `200ms`, `1:30`. NaN for anything else. */
  const secondsOf = (clock: string): number => {
    const [, amount, unit = 's'] = /^([\d.]+)(h|min|s|ms)?$/.exec(clock.trim()) ?? [];
    if (amount !== undefined) return Number(amount) * ({ h: 3_600, min: 60, s: 1, ms: 0.001 }[unit] ?? NaN);
    return clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  };
  const bringToEnd = (animation: Element): void => {
    const read = (name: string, otherwise: string): string => animation.getAttribute(name) ?? otherwise;
    const isEvent = /^(?:indefinite|(?:[\w-]+\.)?(?!(?:begin|end)\b)[a-z]+(?:\(.*\))?)\s*(?:[+-].*)?$/i;
    if (
      read('begin', '0s')
        .split(';')
        .every((begin) => isEvent.test(begin.trim()))
    )
      return; // or a script starts the animation
    const lasts = secondsOf(read('dur', '')) * Number(read('repeatCount', '1'));
    const isEndless = [read('repeatCount', ''), read('repeatDur', '')].includes('indefinite');
    if (animation.getAttribute('dur') === null) animation.setAttribute('begin', '0s');
    else if (isEndless || Number.isNaN(lasts) || read('fill', 'remove') !== 'freeze') animation.remove();
    // An animation that ends before time 0 has no effect. The last microsecond changes no pixel: with a millisecond,
    // captures differed.
    else animation.setAttribute('begin', `${1e-6 - lasts}s`);
  };

  /**
   * Undefined if the page allows no policy of Trusted Types. Without it, the parser refuses texts on pages that require
   * one.
   */
  const createPolicy = (): TrustedPolicy | undefined => {
    const factory: PolicyFactory | undefined = Reflect.get(globalThis, 'trustedTypes');
    try {
      return factory?.createPolicy('still-pictures', { createHTML: (text) => text });
    } catch {
      return undefined;
    }
  };
  const policy = createPolicy();
  const parse = (text: string): Document | undefined => {
    try {
      return new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'image/svg+xml');
    } catch {
      return undefined; // the picture keeps moving
    }
  };
  const stop = (text: string): string | undefined => {
    const svg = parse(text);
    if (svg === undefined) return undefined;
    if (svg.querySelector('parsererror') !== null) return undefined;
    svg.querySelectorAll('animate, animateTransform, animateMotion, set').forEach(bringToEnd);
    const style = svg.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = CSS_AT_END;
    svg.documentElement.append(style);
    return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  };

  const copies = new Map<string, string>();
  for (const { url, text } of pictures) {
    const copy = stop(text);
    if (copy !== undefined) copies.set(url, copy);
  }
  const copyOf = (url: string): string | undefined => {
    const [file = '', part] = url.split('#', 2);
    const copy = copies.get(file) ?? copies.get(url);
    return copy === undefined || part === undefined || url.startsWith('data:') ? copy : `${copy}#${part}`;
  };
  const isShown = (element: Element): element is HTMLImageElement | HTMLInputElement | SVGImageElement =>
    ['img', 'input', 'image'].includes(element.localName);
  const addressOf = (element: HTMLImageElement | HTMLInputElement | SVGImageElement): string => {
    if ('href' in element) return URL.parse(element.href.baseVal, element.baseURI)?.href ?? '';
    return 'currentSrc' in element ? element.currentSrc : element.src;
  };

  await Promise.all(
    [...copies].map(
      ([url, copy]) =>
        Object.assign(new Image(), { src: copy })
          .decode()
          .catch(() => copies.delete(url)), // the original is better than a copy that the page may not show
    ),
  );
  let count = 0;
  for (const root of rootsOf(document)) {
    const view = ('defaultView' in root ? root : root.ownerDocument).defaultView;
    if (view === null) continue;
    // One rule for all elements that show the same picture, because a copy may have 1.5 MB.
    const marks = new Map<string, string>(); // by rule
    const override = (element: Element, pseudo: string | undefined, declaration: string): void => {
      const rule = `${pseudo ?? ''} { ${declaration} !important }`;
      const mark = marks.get(rule) ?? String(++count);
      marks.set(rule, mark);
      element.setAttribute('data-still', `${element.getAttribute('data-still') ?? ''} ${mark}`);
    };
    for (const element of root.querySelectorAll('*')) {
      const copy = isShown(element) ? copyOf(addressOf(element)) : undefined;
      if (copy !== undefined && element.localName === 'image') element.setAttribute('href', copy);
      else if (copy !== undefined) override(element, undefined, `content: url("${copy}")`);
      for (const pseudo of PSEUDOS) {
        const style = view.getComputedStyle(element, pseudo);
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
    if (marks.size === 0) continue;
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync([...marks].map(([rule, mark]) => `[data-still~="${mark}"]${rule}`).join('\n'));
    root.adoptedStyleSheets.push(sheet);
  }
}
