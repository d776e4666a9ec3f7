/**
 * Brings what moves by itself to a defined moment: animations that end to their end, endless ones to how the element is
 * without them, video to its first frame; the text cursor is not painted. In the page, its frames of the same origin and its
 * open shadow trees. What follows the scroll position stands still already. Runs in the page.
 */
export async function holdStill(limitMs: number): Promise<void> {
  const MAX_ROUNDS = 3; // an animation that ends may start the next
  const PRESENT_LIMIT_MS = 250; // a video that nobody can see is never presented
  // Not setTimeout: it never fires where the page's scripts are switched off.
  const timeUp = AbortSignal.timeout(limitMs);
  const until = (begin: (done: () => void) => void, limit = timeUp): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => resolve();
      if (limit.aborted) done();
      else limit.addEventListener('abort', done, { once: true });
      begin(done);
    });

  const collect = (root: Document | ShadowRoot): (Document | ShadowRoot)[] => {
    const inner = [...root.querySelectorAll('*')].flatMap((element) => {
      if (element.shadowRoot !== null) return collect(element.shadowRoot);
      const view = element.localName === 'iframe' ? element.ownerDocument.defaultView : null;
      if (view === null || !(element instanceof view.HTMLIFrameElement)) return [];
      return element.contentDocument === null ? [] : collect(element.contentDocument); // null for another origin
    });
    return [root, ...inner];
  };

  const hideCaret = (root: Document | ShadowRoot): void => {
    const { activeElement } = root;
    const isEditable = 'designMode' in root && root.designMode === 'on';
    const isFocused = activeElement !== null && !['body', 'html', 'iframe'].includes(activeElement.localName);
    const view = ('defaultView' in root ? root : root.ownerDocument).defaultView;
    if ((!isEditable && !isFocused) || view === null) return;
    const sheet = new view.CSSStyleSheet(); // a sheet belongs to the document of its window
    sheet.replaceSync('* { caret-color: transparent !important; }');
    root.adoptedStyleSheets.push(sheet);
  };

  /** True when there was anything to end. */
  const endAnimations = (root: Document | ShadowRoot): boolean => {
    const running = root.getAnimations().filter(({ timeline, effect, playState, playbackRate }) => {
      if (timeline === null || 'source' in timeline) return false; // one that follows a scroll position
      return effect !== null && playState === 'running' && playbackRate !== 0;
    });
    for (const animation of running) {
      if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel();
      else animation.finish();
    }
    return running.length > 0;
  };

  const rewind = async (video: HTMLVideoElement): Promise<void> => {
    video.pause();
    if (video.seekable.length === 0) return;
    // Also when it says that it is at 0: the picture may be some frames ahead of that, and behind `seeked`.
    const presented = until(
      (done) => video.requestVideoFrameCallback(done),
      AbortSignal.timeout(PRESENT_LIMIT_MS),
    );
    await until((done) => {
      video.addEventListener('seeked', done, { once: true });
      video.currentTime = 0;
    });
    await presented;
  };

  const roots = collect(document);
  for (const root of roots) hideCaret(root);
  await Promise.all(roots.flatMap((root) => [...root.querySelectorAll('video')].map(rewind)));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ended = roots.map(endAnimations);
    if (!ended.includes(true)) return;
    await until((done) => requestAnimationFrame(done)); // what listens for the end hears of it in the next frame
  }
}
