/**
 * Time limits inside a capture in milliseconds, from the smallest to the largest. Each exceeds the limits that it
 * contains (test/core/ground/time-limits.test.ts). Around them: `wait_for_timeout` for each wait of the request, and
 * CAPTURE_TIMEOUT_MS.
 */
export const LIMIT_MS = {
  /**
   * Time limit for granting page time to a cross-site frame. Frames that share a process replace each other's grants.
   */
  grantInFrame: 100,
  /** Time limit for a busy worker, which runs in real time. */
  worker: 150,
  /** A call to a cross-site frame. */
  frameOfOtherSite: 200,
  /** One task in one frame in another process: hiding blocked elements, stopping animations. */
  workInFrame: 250,
  /** Waiting for the type of an intercepted request. */
  requestType: 250,
  /** Two frames after an action. A busy page, or one without timers, has none. */
  framesOfAction: 250,
  /** Waiting for the crash event that may follow a download event. */
  crashNews: 300,
  /** Presenting a video frame. An invisible video presents none. */
  videoFrame: 500,
  /** Requests of a page before each late check for cookie banners. */
  bannerRequests: 500,
  /** An animation frame. Hidden pages have none, and a busy machine delays them. */
  frame: 1_000,
  /** Stopping animations. */
  still: 1_000,
  /** A screenshot while page time is stopped. If it needs page time, the time continues then. */
  heldPicture: 1_000,
  /** A check for cookie banners. */
  bannerLook: 1_000,
  /** Real time in which the last part of the usual page time runs ahead. */
  runAheadLonger: 1_000,
  /** Waiting for an element before the page is scrolled: it may appear with the scroll. */
  elementBeforeScroll: 1_000,
  /** Waiting for the element of an optional action. The page is idle before. */
  optionalAction: 2_000,
  /** Scripts that draw for the paper of a document. */
  paper: 2_000,
  /** Animation frames of workers. Endless ones are not awaited longer. */
  workerFrames: 2_000,
  /** Closing the context of a page. It never ends while the renderer is stuck. */
  closePage: 2_000,
  /** A single request while page time runs ahead. */
  requestAhead: 2_500,
  /** A script that waits in a loop for the clock to change never ends while page time is stopped. */
  stuck: 3_000,
  /** Real time in which page time runs ahead. */
  runAhead: 4_000,
  /** An answer of a page between two long tasks: a frame of software rendering on a busy machine takes seconds. */
  betweenTasks: 5_000,
  /** Pictures that show whether a person can see the doubtful texts of a page. */
  visibleText: 5_000,
  /** A page that reloads itself: its board stays if the second visit is not answered. */
  reload: 5_000,
  /** Requests in flight at load, and requests that follow from them. */
  requests: 5_000,
  /** Messages and work that the page awaits, such as cryptography and databases. */
  work: 5_000,
  /** Painting frames of other origins that lie outside of the window. */
  framesBeyondWindow: 5_000,
  /** Fonts and pictures in view. */
  paint: 5_000,
  /** Rejecting or removing cookie banners, at each check. */
  banner: 5_000,
  /** Rendering a document that was replaced while it loaded: it may never be painted. */
  renderRestless: 5_000,
  /** Scrolling through a full page. */
  scroll: 10_000,
  /** Like `betweenTasks`, after running ahead, when a busy machine is the more likely cause. */
  stuckAtPace: 10_000,
  /** A step, in addition to the waits and delays of the request. */
  step: 20_000,
  /** Comparing two pictures. It takes tens of milliseconds, and one process compares for all clients. */
  comparison: 20_000,
  /** Converting a page to markdown. The same limit applies to its plain text. */
  convert: 25_000,
  /** Rendering a document. */
  render: 60_000,
  /** Any protocol call. A last resort: each call is raced against the deadline of its capture. */
  protocolCall: 120_000,
};
