import type { Protocol } from 'puppeteer';
import { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import { fieldsOf } from '../../core/steps/common/fields.ts';
import type { Step, StepContext } from '../../core/steps/common/step.ts';
import { announcedSockets } from './announced-sockets.ts';
import { followRequestTypes } from './request-types.ts';
import {
  heldTypesFor,
  nameOfNetworkType,
  namesOfHeldType,
  RESOURCE_NAMES,
  type ResourceName,
} from './resource-names.ts';

const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 2_048;
const PATTERNS_ERROR = `must be a list of at most ${MAX_PATTERNS} patterns`;
const PATTERN_ERROR = `must be text of 1 to ${MAX_PATTERN_LENGTH} characters, not blank`;
const NO_ADDRESS_ERROR = 'must match a whole URL: use * for any text, as in *analytics.example*';
const NAMES_ERROR = `must be a list of ${RESOURCE_NAMES.join(', ')}`;

const schema = fieldsOf('look', {
  block_requests: z
    .array(
      z
        .string({ error: PATTERN_ERROR })
        .max(MAX_PATTERN_LENGTH, { error: PATTERN_ERROR })
        .refine((pattern) => pattern.trim() !== '', { error: PATTERN_ERROR, abort: true })
        .refine((pattern) => pattern.includes('*') || URL.canParse(pattern), { error: NO_ADDRESS_ERROR }),
      { error: PATTERNS_ERROR },
    )
    .max(MAX_PATTERNS, { error: PATTERNS_ERROR })
    .meta({
      description:
        'Block requests whose URL matches any of these patterns, except for the page itself. `*` matches anything; no other character is special. A pattern must match the whole URL without its fragment. Of a longer URL, the first and the last 8,192 characters count',
      example: ['*://*.analytics.example/*', '*/banner.js'],
      accepts: `list of at most ${MAX_PATTERNS} patterns`,
    })
    .optional(),
  block_resources: z
    .array(z.enum(RESOURCE_NAMES, { error: `must be one of ${RESOURCE_NAMES.join(', ')}` }), {
      error: NAMES_ERROR,
    })
    .max(RESOURCE_NAMES.length, { error: NAMES_ERROR })
    .meta({
      description:
        'Block requests of these types. `iframe`: documents in frames. `other`: types without their own name, such as beacons, event sources and prefetches',
      example: ['font', 'media'],
      accepts: `list of ${RESOURCE_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
});

type Held = Protocol.Fetch.RequestPausedEvent;

/**
 * Blocks requests by URL pattern or resource type. Intercepts only requests that may match, and never the document of
 * the page.
 */
export const blockByRequest: Step<typeof schema> = {
  name: 'block-by-request',
  schema,
  apply: async (page, { block_requests: patterns = [], block_resources: names = [] }, context) => {
    const blockedTypes = new Set(names);
    if (patterns.length + blockedTypes.size === 0) return;
    const globs = patterns.map(toGlob);
    const isMatch: Glob = (url) => {
      const judged = url.length > 2 * MOST_JUDGED ? url.slice(0, MOST_JUDGED) + url.slice(-MOST_JUDGED) : url;
      return globs.some((glob) => glob(judged));
    };
    const [isBlockedType] = await Promise.all([
      kindJudge(page, blockedTypes),
      blockSockets(page, context, { isMatch, none: blockedTypes.has('websocket'), some: globs.length > 0 }),
    ]);
    context.blocked.followRedirects(page);

    const held = heldTypesFor(blockedTypes);
    if (globs.length + held.length === 0) return;
    await page.intercept({
      patterns: [
        ...coarsePatterns(patterns).map((urlPattern) => ({ urlPattern, requestStage: 'Request' as const })),
        ...held.map((resourceType) => ({
          urlPattern: '*',
          resourceType,
          requestStage: 'Request' as const,
        })),
      ],
      onRequest: async (paused) => {
        const { requestId, networkId = requestId, request, resourceType, frameId } = paused;
        if (resourceType === 'Document' && frameId === page.mainFrameId) return undefined;
        const isNamed = isMatch(request.url);
        if (!isNamed && !(await isBlockedType(paused))) return undefined;
        const { url } = request;
        context.blocked.add({ requestId: networkId, url, resourceType, frameId, keepsPlace: !isNamed });
        return { block: true };
      },
    });
  },
};

/**
 * Tells whether an intercepted request has a blocked type. Waits for the Network domain if the Fetch domain does not
 * distinguish the types.
 */
async function kindJudge(
  page: Page,
  blockedTypes: ReadonlySet<ResourceName>,
): Promise<(paused: Held) => Promise<boolean>> {
  const areMixed = heldTypesFor(blockedTypes).some(
    (type) => !namesOfHeldType(type).every((name) => blockedTypes.has(name)),
  );
  const types = areMixed ? await followRequestTypes(page) : undefined;
  return async ({ resourceType, networkId }) => {
    const names = namesOfHeldType(resourceType);
    if (!names.some((name) => blockedTypes.has(name))) return false;
    if (names.every((name) => blockedTypes.has(name))) return true;
    const type = networkId === undefined ? undefined : await types?.typeOf(networkId);
    return blockedTypes.has(type === undefined ? names[0] : nameOfNetworkType(type));
  };
}

interface BlockedSockets {
  readonly isMatch: Glob;
  /** True if all sockets are blocked. */
  readonly none: boolean;
  /** True if sockets with a matching URL are blocked. */
  readonly some: boolean;
}

/** The Fetch domain does not intercept WebSockets, so they are blocked at the gate. */
async function blockSockets(
  page: Page,
  { gateSession, blocked }: StepContext,
  { isMatch, none, some }: BlockedSockets,
): Promise<void> {
  if (!none && !some) return;
  const announced = announcedSockets(page);
  gateSession.block(async ({ host, port, isWebSocket }) => {
    if (!isWebSocket) return false;
    const url = none ? undefined : await announced(host, port);
    if (!none && (url === undefined || !isMatch(url))) return false;
    blocked.addOne();
    return true;
  });
}

/** A pattern without a star is a URL in any spelling. */
function toGlob(pattern: string): Glob {
  if (pattern.includes('*')) return createGlob(pattern);
  return createGlob(normalAddress(pattern));
}

/** Number of characters at each end of a long address that patterns are compared with. */
const MOST_JUDGED = 8_192;

/** Patterns that Chrome compares with addresses, and characters of each. */
const [MOST_COARSE, COARSE_LENGTH] = [16, 12];

/**
 * Returns short patterns for Chrome that match at least the same addresses. Chrome compares in its one browser process,
 * and takes time for the length of the pattern times that of the address: 100 patterns of 200 characters and addresses
 * of 100 KB made it hang, and with it the captures of all clients.
 */
function coarsePatterns(patterns: readonly string[]): readonly string[] {
  if (patterns.length > MOST_COARSE) return ['*'];
  return patterns.map((pattern) => {
    const pieces = (pattern.includes('*') ? pattern : normalAddress(pattern)).split('*');
    const longest = pieces.reduce((one, two) => (two.length > one.length ? two : one));
    // For Chrome, `?` matches any character and `\` escapes the next one.
    return `*${longest.slice(-COARSE_LENGTH).replaceAll(/[\\?]/g, String.raw`\$&`)}*`;
  });
}

function normalAddress(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

/** Tells whether a whole text matches. */
export type Glob = (text: string) => boolean;

/**
 * Compiles a pattern in which `*` matches any text, including none, and every other character matches itself. Searches
 * each piece between stars once, so matching takes linear time, unlike regular expressions.
 */
export function createGlob(pattern: string): Glob {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  const pieces = rest.map((piece) => ({ length: piece.length, find: createFind(piece) }));

  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const { length, find } of pieces) {
      const at = find(text, from);
      if (at === -1) return false;
      from = at + length;
    }
    return from <= text.length - last.length; // the end must not overlap with the preceding pieces
  };
}

/** Longest text for `indexOf`, which can compare all of it at each position. */
const MOST_NATIVE = 32;

/** Returns `indexOf` for a text that is searched often, in linear time (Knuth-Morris-Pratt). */
function createFind(piece: string): (text: string, from: number) => number {
  if (piece.length <= MOST_NATIVE) return (text, from) => text.indexOf(piece, from);
  const codes = Uint16Array.from({ length: piece.length }, (_, index) => piece.charCodeAt(index));
  /** Length of the longest beginning that is also the end of the first characters, by their number. */
  const borders = new Int32Array(codes.length + 1);
  for (let index = 1, length = 0; index < codes.length; index++) {
    while (length > 0 && codes[length] !== codes[index]) length = borders[length] ?? 0;
    if (codes[length] === codes[index]) length++;
    borders[index + 1] = length;
  }
  return (text, from) => {
    for (let index = from, length = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      while (length > 0 && codes[length] !== code) length = borders[length] ?? 0;
      if (codes[length] === code) length++;
      if (length === codes.length) return index + 1 - length;
    }
    return -1;
  };
}
