import { all, boxOf, isConnected, isRendered, read } from '../../../core/steps/in-page/nodes.ts';
import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';
import { bannerWords, type LibraryWords } from './banner-words.ts';
import { type CookiePopup, cookiePopups, type Overlays } from './cookie-popups.ts';
import { removeElement } from './remove-element.ts';
import { settingsTabs } from './settings-tabs.ts';

/** A consent manager with a rule. */
interface Manager {
  readonly name: string;
  readonly isCosmetic: boolean;
  readonly prehideSelectors?: readonly string[];
  readonly detectPopup: () => Promise<boolean>;
}

/** The used parts of the library. Some are not exported, and the version is pinned. */
export interface ConsentLibrary extends LibraryWords {
  readonly AutoConsent: new (
    send: () => Promise<void>,
    config: null,
    rules: unknown,
  ) => {
    foundCmp?: Manager;
    readonly domActions: { waitForMutation: () => Promise<boolean> };
    readonly initialize: (config: Readonly<Record<string, unknown>>, rules: null) => void;
    readonly findCmp: (retries: number) => Promise<Manager[]>;
    readonly doOptOut: () => Promise<boolean>;
  };
  /** Base class of all managers. */
  readonly ManagerBase: { readonly prototype: { mainWorldEval: (snippet: string) => Promise<boolean> } };
}

/** Commands to the banner code. */
export type Command = 'check' | 'refuse' | 'hide';

/** Reply to a command: the final state, or snippets to run in the page's own world first. */
interface Reply {
  readonly snippets?: readonly string[];
  readonly done?: { readonly found: boolean; readonly refusable: boolean; readonly frames: number };
}

export interface ConsentWorld {
  readonly start: (command: Command) => Promise<Reply>;
  /** Continues with the results of the snippets. */
  readonly next: (results: readonly boolean[]) => Promise<Reply>;
  readonly frameAt: (index: number) => HTMLIFrameElement | undefined;
  readonly hideFrame: (index: number) => void;
  /** Waits until the frame is closed. False if it is still visible. */
  readonly waitForFrameClose: (index: number) => Promise<boolean>;
}

/** Some managers show a second banner. */
const MAX_REFUSALS = 2;
const MAX_CLICKS = 3;
const MAX_PARTS = 20;
const MAX_ELEMENTS = 2_000;
const CLOSE_CHECKS = 21;
const CLOSE_CHECK_MS = 50;
/** Number of microtasks to wait, so that concurrent rules can queue their snippets. */
const MICROTASKS = 30;
const NOTHING = { found: false, refusable: false, frames: 0 };

/**
 * Finds and rejects cookie banners in a document, by the rules of the library or, without a rule, by text. Lives in an
 * isolated world. Runs in the page.
 */
export function consentWorld(library: ConsentLibrary, rules: unknown, isFramed: boolean): ConsentWorld {
  const snippets = createSnippets(library);
  const banners = createBanners(library, rules, isFramed);
  let run = 0;
  return {
    start: async (command) => {
      const mine = ++run;
      snippets.reset();
      const end = (outcome: Reply['done']): void => {
        if (mine === run) snippets.finish(outcome); // otherwise the command was cancelled
      };
      banners[command]().then(end, () => end(NOTHING));
      return await snippets.nextReply();
    },
    next: async (results) => {
      snippets.answer(results);
      return await snippets.nextReply();
    },
    frameAt: (index) => banners.frameAt(index)?.frame,
    hideFrame: (index) => {
      const over = banners.frameAt(index);
      if (over !== undefined) removeElement(over.element);
    },
    waitForFrameClose: async (index) => {
      const over = banners.frameAt(index);
      if (over === undefined) return true;
      await waitUntilClosed(() => isSeen(over.frame));
      return !isSeen(over.frame);
    },
  };
}

/** Collects the snippets that rules run in the page's own world, and passes on their results. */
function createSnippets(library: ConsentLibrary) {
  let queued: { snippet: string; answer: (result: boolean) => void }[] = [];
  let sent: typeof queued = [];
  let done: Reply['done'];
  let wake: (() => void) | undefined;
  // The original function uses a timer for each snippet, which makes the page check busy.
  library.ManagerBase.prototype.mainWorldEval = (snippet) =>
    new Promise((answer) => {
      queued.push({ snippet, answer });
      wake?.();
    });

  return {
    reset: () => {
      done = undefined;
      queued = [];
    },
    finish: (outcome: Reply['done']) => {
      done = outcome;
      wake?.();
    },
    answer: (results: readonly boolean[]) => {
      const answered = sent;
      sent = [];
      for (const [index, { answer }] of answered.entries()) answer(results[index] === true);
    },
    nextReply: async (): Promise<Reply> => {
      if (queued.length === 0 && done === undefined) await new Promise<void>((resolve) => (wake = resolve));
      for (let rest = MICROTASKS; rest > 0; rest--) await Promise.resolve();
      if (done !== undefined) return { done };
      sent = queued;
      queued = [];
      return { snippets: sent.map(({ snippet }) => snippet) };
    },
  };
}

function startLibrary(library: ConsentLibrary, rules: unknown): InstanceType<ConsentLibrary['AutoConsent']> {
  const manager = new library.AutoConsent(async () => undefined, null, { autoconsent: [], compact: rules });
  // Does not set `enabled`: the library would start by itself and poll for ten seconds. We start it.
  manager.initialize(
    {
      enabled: false,
      autoAction: 'optOut',
      enablePrehide: false,
      enableHeuristicDetection: false,
      heuristicMode: 'off',
      logs: { errors: false },
    },
    null,
  );
  // disabled, because our own loop makes the next check
  manager.domActions.waitForMutation = () => new Promise(() => undefined);
  return manager;
}

/** The banners of the document, and the commands for them. */
function createBanners(library: ConsentLibrary, rules: unknown, isFramed: boolean) {
  const manager = startLibrary(library, rules);
  const words = bannerWords(library);
  let overlays: Overlays = { layers: [], popups: [], frames: [] };
  let open: Manager | undefined;
  /** Number of rejections per banner, to stop at banners that stay. */
  const refusals = new Map<string | Element, number>();
  const touched = new Set<string>();
  const mayRefuse = (one: string | Element): boolean => (refusals.get(one) ?? 0) < MAX_REFUSALS;
  const count = (one: string | Element): void => void refusals.set(one, (refusals.get(one) ?? 0) + 1);
  /** Rules count a transparent element as open. So managers that we have handled must also have a visible element. */
  const isOpen = async (one: Manager): Promise<boolean> => {
    if (!(await one.detectPopup().catch(() => false))) return false;
    return !touched.has(one.name) || hasSeenPart(one);
  };
  const check = async (): Promise<Reply['done']> => {
    open = undefined;
    const managers = await manager.findCmp(0);
    // Managers that can only be hidden come last.
    for (const each of managers.toSorted((a, b) => Number(a.isCosmetic) - Number(b.isCosmetic))) {
      if (!(await isOpen(each))) continue;
      open = each;
      break;
    }
    overlays = cookiePopups(words, isFramed);
    if (!isFramed) for (const tab of settingsTabs(overlays.layers)) removeElement(tab);
    const found = open !== undefined || overlays.popups.length > 0;
    const refusable =
      (open !== undefined && mayRefuse(open.name)) ||
      overlays.popups.some(({ element, reject }) => reject !== undefined && mayRefuse(element));
    return { found, refusable, frames: overlays.frames.length };
  };
  const refuse = async (): Promise<Reply['done']> => {
    if (open !== undefined && mayRefuse(open.name)) {
      const opened = open;
      count(opened.name);
      touched.add(opened.name);
      manager.foundCmp = opened;
      await manager.doOptOut().catch(() => false);
      await waitUntilClosed(() => isOpen(opened));
      return await check();
    }
    const popup = overlays.popups.find(({ element, reject }) => reject !== undefined && mayRefuse(element));
    if (popup === undefined) return await check();
    count(popup.element);
    await clickReject(popup);
    return await check();
  };
  const hide = async (): Promise<Reply['done']> => {
    if (open !== undefined) touched.add(open.name);
    const parts = open === undefined ? [] : partsOf(open);
    for (const element of [...parts, ...overlays.popups.map((popup) => popup.element)]) removeElement(element);
    return await check();
  };
  return { check, refuse, hide, frameAt: (index: number) => overlays.frames[index] };
}

/** Clicks again if nothing happened: the page may attach its listener late. */
async function clickReject({ element, core, reject }: CookiePopup): Promise<void> {
  for (let clicks = 0; clicks < MAX_CLICKS && isSeen(core); clicks++) {
    reject?.click();
    await waitUntilClosed(() => isSeen(core), CLOSE_CHECKS / MAX_CLICKS);
  }
  if (isSeen(core)) removeElement(element);
}

function isSeen(element: Element): boolean {
  if (!isConnected(element) || !isRendered(element, { visibilityProperty: true, opacityProperty: true })) return false;
  const { width, height, bottom, right, top, left } = boxOf(element);
  return width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

/** Returns the elements of a consent manager that its rule would hide. */
function partsOf({ prehideSelectors = [] }: Manager): HTMLElement[] {
  return prehideSelectors.flatMap((selector) => all<HTMLElement>(document, selector)).slice(0, MAX_PARTS);
}

function hasSeenPart(one: Manager): boolean {
  const inside = partsOf(one).flatMap((part) => [part, ...all(part, '*')]);
  const trees = inside.flatMap((element) => {
    const shadow = read(Element.prototype, element, 'shadowRoot');
    return shadow === null ? [] : [...rootsOf(shadow)];
  });
  const elements = [...inside, ...trees.flatMap((tree) => all(tree, '*'))];
  return elements.slice(0, MAX_ELEMENTS).some(isSeen);
}

async function waitUntilClosed(isShown: () => boolean | Promise<boolean>, tries = CLOSE_CHECKS): Promise<void> {
  for (let left = tries; left > 0 && (await isShown()); left--)
    await new Promise((resolve) => setTimeout(resolve, CLOSE_CHECK_MS));
}
