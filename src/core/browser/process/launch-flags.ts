import { localeFlags, USUAL_LOCALE } from '../locale.ts';
import { USUAL_WINDOW } from '../page/screen.ts';
import { hasSharedMemory } from './shared-memory.ts';

/** Puppeteer's default flags that don't fit a service: hostile pages abuse popups and IPC floods. */
const UNWANTED_DEFAULTS = ['--disable-popup-blocking', '--disable-ipc-flooding-protection', '--enable-automation'];

const FLAGS = [
  '--disable-gpu', // software compositing: stable pixels, and no GPU process that can hang
  '--hide-scrollbars',
  '--font-render-hinting=none', // gives the same glyph shapes at every density
  '--disable-lcd-text', // grey antialiasing: subpixel colours fit a screen, not a picture
  '--disable-checker-imaging', // waits for pictures that are still being decoded, so that they are not blank
  '--disable-partial-raster', // redraws a whole tile: the edges of a redrawn part had slightly different antialiasing
  // The compositor keeps values of animations. It drew the start of transitions that had already ended, in half of the
  // captures of a page with reveals on scroll.
  '--disable-threaded-animation',
  // Draws what lies outside the window when a picture includes it. The protocol's own way (`captureBeyondViewport`)
  // makes the window 1 x 1 for a moment, which pages see: transitions start, charts are drawn again. A headless browser
  // has no mouse, and pages would show it their layout for touch screens.
  '--blink-settings=mainFrameClipsContent=false,' +
    'primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4', // a mouse
  // The CSS property `image-animation` stops animated pictures (`stop-pictures.ts`). The setting
  // `imageAnimationPolicy=2` would stop SVG animations in the page as well, and no script could seek them (headless
  // shell 153, 2026-11-23).
  '--enable-blink-features=CSSImageAnimation',
  // With a window of 1920 x 1080, a capture took 10 % more processor time (headless shell 153, 2026-11-29).
  `--window-size=${USUAL_WINDOW.width},${USUAL_WINDOW.height}`,
  '--block-new-web-contents', // headless shell: window.open() gives null
  '--deny-permission-prompts',
  '--disable-notifications',
  '--disable-print-preview',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  '--no-default-browser-check',
  // A separate frame host for each document costs 9 % of the processor time of a capture, because the host of the blank
  // page is used once (measured 2026-11-21). Cross-site pages still get their own process.
  '--disable-features=RenderDocument',
];

const GATE_FLAGS = [
  // Fails closed: a context without a gate reaches and resolves nothing, not even loopback.
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // UDP ignores proxies. Full Chrome reads the first WebRTC switch, headless shell the second.
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

interface FlagOptions {
  readonly sandbox: boolean;
  /** Language that pages see. */
  readonly locale?: string | undefined;
  /** User agent of everything, also of the first request of a shared worker. */
  readonly userAgent?: string | undefined;
  /** False disables the gate, only to measure its cost. Pages then reach every address. */
  readonly gated?: boolean;
  /** True if browser processes may share memory in /dev/shm. */
  readonly sharedMemory?: boolean;
}

/** Returns the command line flags of every browser. */
export function launchFlags({
  sandbox,
  locale = USUAL_LOCALE,
  userAgent,
  gated = true,
  sharedMemory = hasSharedMemory(),
}: FlagOptions): {
  args: string[];
  ignoreDefaultArgs: string[];
} {
  return {
    args: [
      ...FLAGS,
      ...localeFlags(locale),
      ...(userAgent === undefined ? [] : [`--user-agent=${userAgent}`]),
      ...(gated ? GATE_FLAGS : []),
      ...(sandbox ? [] : ['--no-sandbox', '--disable-setuid-sandbox']),
    ],
    ignoreDefaultArgs: [...UNWANTED_DEFAULTS, ...(sharedMemory ? ['--disable-dev-shm-usage'] : [])],
  };
}
