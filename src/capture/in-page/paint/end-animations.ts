/**
 * Brings the CSS and Web animations that end to their end, in the page, its frames of the same origin and its open shadow trees; with
 * `endless`, those without an end to how the element is without them. What follows the scroll position stands still already. True when
 * there was anything to end. Runs in the page.
 */
export function endAnimations(endless: boolean): boolean {
  const collect = (root: Document | ShadowRoot): (Document | ShadowRoot)[] => {
    const inner = [...root.querySelectorAll('*')].flatMap((element) => {
      if (element.shadowRoot !== null) return collect(element.shadowRoot);
      const view = element.localName === 'iframe' ? element.ownerDocument.defaultView : null;
      if (view === null || !(element instanceof view.HTMLIFrameElement)) return [];
      return element.contentDocument === null ? [] : collect(element.contentDocument); // null for another origin
    });
    return [root, ...inner];
  };
  const isRunning = ({ timeline, effect, playState, playbackRate }: Animation): boolean => {
    if (timeline === null || 'source' in timeline) return false; // one that follows a scroll position
    return effect !== null && playState === 'running' && playbackRate !== 0;
  };
  const isEndless = ({ effect }: Animation): boolean => effect?.getComputedTiming().endTime === Infinity;

  const running = collect(document).flatMap((root) => root.getAnimations().filter(isRunning));
  const wanted = endless ? running : running.filter((animation) => !isEndless(animation));
  for (const animation of wanted) {
    if (isEndless(animation)) animation.cancel();
    else animation.finish();
  }
  return wanted.length > 0;
}
