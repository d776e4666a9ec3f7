import { expect } from 'vitest';
import type { Evidence, HostileCase, Outcome } from '../hostile-case.ts';
import { ENDLESS_NAMES } from '../hostile-templates.ts';
import { type Call, callAs, callsAs, toolCall } from '../keyed-world.ts';

const FAULTY = '500 TemplateError';
const CARD = { template: 'card', data: { title: 'x' } };
/** A rendering may take a second; the rest is for a busy machine. */
const RENDER_MS = 3_000;

const X = 'x'.repeat(45_000);
const HARD_ARGUMENTS = [
  ...[1e9, 1e308, -1e308, '1e9', 'x', null].flatMap((argument) =>
    ['range', 'slice', 'truncate', 'limit'].map((what) => ({ what, argument, text: 'x', list: [1] })),
  ),
  ...['%999999999d', '%-0999999999N', '%'.repeat(90_000), '%+'].map((argument) => ({
    what: 'date',
    argument,
    text: 'now',
  })),
  { what: 'date', argument: '%Y', text: '9'.repeat(50_000) },
  ...['../x', 'x'.repeat(90_000), 'en-u-nu-x', ''].map((argument) => ({
    what: 'money',
    argument,
    text: 1e308,
  })),
  { what: 'replace', argument: 'x', text: X },
  { what: 'replace', argument: '', text: X },
  { what: 'split', argument: '', text: X },
  { what: 'strip', text: '<script'.repeat(14_000) },
  { what: 'strip', text: '<!--'.repeat(24_000) },
  { what: 'strip', text: '%'.repeat(99_000) },
  { what: 'where', argument: '__proto__', text: [{}, { __proto__: { a: 1 } }] },
];

/** Returns a case in which the shop sends these calls. */
function calls(
  id: string,
  title: string,
  outcomes: readonly Outcome[],
  given: readonly Call[],
  more: Pick<HostileCase, 'withinMs' | 'atOnce' | 'verify'>,
): HostileCase {
  return { id, title, outcomes, requests: (scene) => callsAs(scene, 'shop', given), ...more };
}

/** Throws unless the next capture with a template works. */
export async function expectCard({ scene }: Pick<Evidence, 'scene'>): Promise<void> {
  const { status, headers } = await callAs(scene, 'shop', ['/capture', CARD]);
  expect([status, headers['x-image-width']]).toEqual([200, '120']);
}

/** Checks the answers of three captures and of a tool call, which is third and whose errors are results. */
async function expectFourEnds(evidence: Evidence): Promise<void> {
  const { answers } = evidence;
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 200, 500]);
  expect(JSON.parse(answers[2]?.body.toString() ?? '').result.isError).toBe(true);
  await expectCard(evidence);
}

export const ENDLESS_TEMPLATE_CASES: readonly HostileCase[] = [
  calls(
    'V15',
    'templates that loop for ever, grow without end, or render hundreds of megabytes',
    [FAULTY],
    ENDLESS_NAMES.flatMap((template): Call[] => [['/capture', { template }]]),
    { withinMs: RENDER_MS, verify: expectCard },
  ),
  calls(
    'V15a',
    'four templates that never end, at once, also in a link, a job and a tool call',
    ['200', FAULTY],
    [
      ['/capture', { template: 'loop' }],
      ['/capture?template=tripling'],
      toolCall('capture_page', { template: 'list' }),
      ['/capture', { template: 'long-page' }],
    ],
    {
      atOnce: true,
      verify: expectFourEnds,
    },
  ),
  calls(
    'V15b',
    'filters and tags with arguments from the data: sizes, formats, texts that multiply',
    ['200', FAULTY],
    HARD_ARGUMENTS.map((data): Call => ['/capture', { template: 'filters', data }]),
    { withinMs: RENDER_MS, verify: expectCard },
  ),
];
