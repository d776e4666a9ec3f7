import { localeFlags, USUAL_LOCALE } from '../locale.ts';
import { hasSharedMemory } from './shared-memory.ts';

/** Puppeteer's defaults that do not fit a service: popups and IPC floods are what hostile pages use. */
const UNWANTED_DEFAULTS = [
  '--disable-popup-blocking',
  '--disable-ipc-flooding-protection',
  '--enable-automation',
];

const FLAGS = [
  '--disable-gpu', // software compositing: steady pixels, and no GPU process to hang
  '--hide-scrollbars',
  '--font-render-hinting=none', // the same glyph shapes at any density
  '--disable-lcd-text', // grey antialiasing: subpixel colours depend on the screen that a picture does not have
  '--disable-checker-imaging', // a picture that is still being decoded is waited for, not left blank
  // The compositor keeps the values of what it animates: of transitions that are over sooner than it thinks, it drew the beginning, in half of
  // the captures of a page that reveals itself on scroll.
  '--disable-threaded-animation',
  // Draws what lies outside the window when a picture includes it. The protocol's own way (`captureBeyondViewport`) makes the window 1 x 1
  // for a moment, which pages see: transitions start, charts are drawn again.
  '--blink-settings=mainFrameClipsContent=false',
  // The CSS property `image-animation` stops animated pictures (`still-pictures.ts`). The setting `imageAnimationPolicy=2` would stop SVG
  // animations in the page as well, and no script could seek them (headless shell 153, 2026-11-23).
  '--enable-blink-features=CSSImageAnimation',
  '--block-new-web-contents', // headless shell: window.open() gives null
  '--deny-permission-prompts',
  '--disable-notifications',
  '--disable-print-preview',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  '--no-default-browser-check',
  // Every document in a frame host of its own costs a capture 9 % of its processor time: the blank page's is used once and thrown
  // away (measured 2026-11-21). A page on another site gets another process all the same.
  '--disable-features=RenderDocument',
];

const GATE_FLAGS = [
  // Fail closed: a context without a gate of ours reaches nothing, loopback included, and resolves nothing.
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // UDP goes through no proxy. Full Chrome reads the first WebRTC switch, headless shell the second.
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

interface FlagOptions {
  readonly sandbox: boolean;
  /** What pages take their visitor to speak. */
  readonly locale?: string | undefined;
  /** False only for measuring what the gate costs: pages then reach whatever they like. */
  readonly gated?: boolean;
  /** Whether its processes may share memory in /dev/shm. */
  readonly sharedMemory?: boolean;
}

/** The command line of every browser that we start. */
export function launchFlags({
  sandbox,
  locale = USUAL_LOCALE,
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
      ...(gated ? GATE_FLAGS : []),
      ...(sandbox ? [] : ['--no-sandbox', '--disable-setuid-sandbox']),
    ],
    ignoreDefaultArgs: [...UNWANTED_DEFAULTS, ...(sharedMemory ? ['--disable-dev-shm-usage'] : [])],
  };
}
