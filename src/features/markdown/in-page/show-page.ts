import {
  announceOwnChange,
  attribute,
  bodyOf,
  computed,
  rootElement,
  setAttribute,
  setStyles,
} from '../../../core/steps/in-page/nodes.ts';

/**
 * Shows a page that is hidden as a whole until a script or a style sheet shows it, which has failed. Returns what hides
 * it again. Undefined for a page that is not hidden.
 */
export function showPage(): (() => void) | undefined {
  const hidden = [rootElement(), bodyOf(document)].filter((element) => {
    if (element === null) return false;
    const { display, visibility, opacity } = computed(element);
    return display === 'none' || visibility !== 'visible' || Number(opacity) === 0;
  });
  if (hidden.length === 0) return undefined;
  announceOwnChange();
  const before = hidden.flatMap((element) =>
    element === null ? [] : [[element, attribute(element, 'style')] as const],
  );
  for (const [element] of before) setStyles(element, { display: 'block', visibility: 'visible', opacity: '1' });
  return () => {
    for (const [element, style] of before)
      if (style === null) Element.prototype.removeAttribute.call(element, 'style');
      else setAttribute(element, 'style', style);
  };
}
