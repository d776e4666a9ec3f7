/**
 * The time limits inside a capture, in milliseconds, from the smallest part to the largest. Each holds those before it that it contains
 * (test/time-limits.test.ts). Around all of them: `wait_for_timeout` for each wait that a client asks for, and CAPTURE_TIMEOUT_MS.
 */
export const LIMIT_MS = {
  /** Frames of other sites, while time is granted to them: those that share a process take each other's grants away. */
  grantInFrame: 100,
  /** A worker that has something to do: it lives in the world's time. */
  worker: 150,
  /** A frame in a document of another site. */
  frameOfOtherSite: 200,
  /** One piece of work in one frame: hiding blocked parts, stopping animations. */
  workInFrame: 250,
  /** For the news of what a held request is. */
  requestType: 250,
  /** Two frames after an action: a page that is busy, or has no timers, has none. */
  framesOfAction: 250,
  /** For the news of a renderer's end to follow what it looked like before: a download. */
  crashNews: 300,
  /** A frame of a video, to be presented: one that nobody can see never is. */
  videoFrame: 500,
  /** For the requests of a page, before it is looked at for a late cookie banner: at each time. */
  bannerRequests: 500,
  /** A frame of the page: none comes to one that is kept from drawing, and late ones to a busy machine. */
  frame: 1_000,
  /** To bring what moves to rest. */
  still: 1_000,
  /** A picture, while the time of its page stands still: where it needs some, it gets it then. */
  heldPicture: 1_000,
  /** A look at a page for a cookie banner. */
  bannerLook: 1_000,
  /** What an optional action waits for: the page has come to rest before. */
  optionalAction: 2_000,
  /** To close the context of a page, which takes for ever while its renderer is stuck. */
  closePage: 2_000,
  /** One request, while the page's time runs ahead. */
  requestAhead: 2_500,
  /** A script that waits in a loop for the time of day to change never ends while that stands still. */
  stuck: 3_000,
  /** Our time, in which the page's may run ahead. */
  runAhead: 4_000,
  /** The requests that a loaded page has in flight, and those that follow from their answers. */
  requests: 5_000,
  /** Fonts and pictures that will be in view. */
  paint: 5_000,
  /** To refuse cookie banners, or to take them off the page, at each time that it is looked at. */
  banner: 5_000,
  /** To render a document that was left while it loaded: it may never be painted. */
  renderRestless: 5_000,
  /** As `stuck`, while nobody is in a hurry: others are busy, too. */
  stuckAtPace: 8_000,
  /** To scroll through a whole page. */
  scroll: 10_000,
  /** A step, besides the one wait and the pause that the client may have asked for. */
  step: 20_000,
  /** To make markdown of a page; as long again for its text alone. */
  convert: 25_000,
  /** To render a document. */
  render: 60_000,
  /** Any call to the browser. A last resort: each is raced against its capture's deadline. */
  protocolCall: 120_000,
};
