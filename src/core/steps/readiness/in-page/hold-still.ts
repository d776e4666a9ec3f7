import {
  adoptRules,
  all,
  attribute,
  computed,
  documentOf,
  first,
  isDocument,
  nameOf,
  read,
  setAttribute,
  setStyles,
  viewOf,
} from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import { endAnimations } from './end-animations.ts';

/** Milliseconds. */
export interface StillBounds {
  /** Time limit for stopping animations; 0 leaves them running. */
  readonly stillLimitMs: number;
  /** Time limit for a video frame. An invisible video never presents one. */
  readonly videoLimitMs: number;
}

/** Waits until the work calls `done`, within the limit. */
type Until = (begin: (done: () => void) => void, limit?: AbortSignal) => Promise<void>;

/**
 * Stops everything that moves by itself, in the page, its frames of the same origin and its open shadow trees.
 * Animations with an end are finished, endless ones are cancelled, videos show their first frame, and the text cursor
 * is hidden. Runs in the page.
 */
export async function holdStill({ stillLimitMs, videoLimitMs }: StillBounds): Promise<void> {
  const MAX_ROUNDS = 3; // maximum rounds, because an animation that ends may start the next
  const FIRST_FRAME_S = 0.02; // some files begin a little after 0
  // The headless shell presents a frame once, so each capture with a video waited for all of the limit (2026-11-27).
  const AGAIN_MS = 100;
  // Does not use setTimeout, which never fires if scripts of the page are disabled.
  const timeUp = AbortSignal.timeout(stillLimitMs);
  const until: Until = (begin, limit = timeUp) =>
    new Promise((resolve) => {
      const done = (): void => resolve();
      if (limit.aborted) done();
      else limit.addEventListener('abort', done, { once: true });
      begin(done);
    });

  /** Resolves when the first frame was presented. */
  const seekToStart = async (video: HTMLVideoElement, limitMs: number): Promise<void> => {
    const presented = until((done) => {
      const onFrame = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
        if (mediaTime < FIRST_FRAME_S) done();
        else video.requestVideoFrameCallback(onFrame); // skips a frame that was pending when the video was paused
      };
      video.requestVideoFrameCallback(onFrame);
    }, AbortSignal.timeout(limitMs));
    await until((done) => {
      video.addEventListener('seeked', done, { once: true });
      video.currentTime = 0;
    });
    await presented;
  };

  const rewind = async (video: HTMLVideoElement): Promise<void> => {
    const showsPoster = isUnplayed(video); // a seek would replace it by the first frame
    if (isSought(video)) {
      await until((done) => (video.seeking ? video.addEventListener('seeked', done, { once: true }) : done()));
      return;
    }
    video.pause();
    if (video.seekable.length === 0 || showsPoster) return;
    // Seeks even at position 0, because the displayed frame may be ahead. Seeks twice, because the compositor drops the
    // only frame of a paused video while it is busy with another (1 of 25 captures in full Chromium 156 under load,
    // 2026-11-20).
    await seekToStart(video, videoLimitMs);
    await until((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await seekToStart(video, AGAIN_MS);
  };

  const roots = [...rootsOf()];
  for (const root of roots) if (isDocument(root)) await endTransition(root, until);
  for (const root of roots) {
    hideCaret(root);
    stopBuiltIn(root);
  }
  await Promise.all(roots.flatMap((root) => all<HTMLVideoElement>(root, 'video').map(rewind)));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!endAnimations(true)) return;
    // listeners for the end of animations are called in the next frame
    await until((done) => requestAnimationFrame(done));
  }
}

/** True for a video that waits for its user behind a poster. One that plays by itself is about to replace it. */
function isUnplayed({ paused, played, poster, autoplay, muted }: HTMLVideoElement): boolean {
  return paused && played.length === 0 && poster !== '' && !(autoplay && muted);
}

/** True for a video that a script or its address has set to a time, and that has not been played. */
function isSought({ paused, played, currentTime }: HTMLVideoElement): boolean {
  return paused && played.length === 0 && currentTime > 0;
}

/** Ends a view transition in the state after it. Its animations are not there before the first frame. */
async function endTransition(of: Document, until: Until): Promise<void> {
  const view = viewOf(of);
  const transition: unknown = Reflect.get(Document.prototype, 'activeViewTransition', of);
  if (view === null || !(transition instanceof view.ViewTransition)) return;
  transition.skipTransition();
  await until((done) => void transition.finished.then(done, done));
}

/** An empty track, in the colours of the browser. */
const STILL_PROGRESS =
  'progress:indeterminate { appearance: none } progress:indeterminate::-webkit-progress-bar { background: #efefef; border-radius: 8px; box-shadow: inset 0 0 0 1px #b2b2b2 }';

/**
 * Stops what the browser moves itself, and no script can: bars of unknown progress lose their moving part, and texts of
 * `marquee` stand at their edge.
 */
function stopBuiltIn(root: Document | ShadowRoot): void {
  if (first(root, 'progress:indeterminate') !== null) adoptRules(root, STILL_PROGRESS);
  for (const marquee of all<HTMLElement>(root, 'marquee')) stopMarquee(marquee);
}

const MATHML = 'http://www.w3.org/1998/Math/MathML';

/**
 * Takes a still element of the same name in place of a `marquee`, which moves its content even if it is stopped. In
 * another namespace, the selectors of the page and of the request find it, and it has no behaviour.
 */
function stopMarquee(marquee: HTMLElement): void {
  const still = Document.prototype.createElementNS.call(documentOf(marquee), MATHML, 'marquee');
  const { display, width, height, whiteSpace, boxSizing } = computed(marquee);
  for (const name of Element.prototype.getAttributeNames.call(marquee))
    setAttribute(still, name, attribute(marquee, name) ?? '');
  const look = { display: display === 'inline' ? 'inline-block' : display, width, height, 'white-space': whiteSpace };
  setStyles(still, { ...look, 'box-sizing': boxSizing, overflow: 'hidden', 'vertical-align': 'bottom' });
  still.append(...read(Node.prototype, marquee, 'childNodes'));
  Element.prototype.replaceWith.call(marquee, still);
}

/** Hides the text cursor in a tree that has the focus, or will have it. */
function hideCaret(root: Document | ShadowRoot): void {
  const focused = isDocument(root) ? read(Document.prototype, root, 'activeElement') : root.activeElement;
  const isEditable = isDocument(root) && read(Document.prototype, root, 'designMode') === 'on';
  const isFocused = focused !== null && !['body', 'html', 'iframe'].includes(nameOf(focused));
  const willBeFocused = first(root, '[autofocus]') !== null; // gets the focus in the next frame at the latest
  if (isEditable || isFocused || willBeFocused) adoptRules(root, '* { caret-color: transparent !important; }');
}
