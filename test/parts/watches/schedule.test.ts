import { describe, expect, it } from 'vitest';
import { checkSchedule, parseSchedule, spreadOf } from '../../../src/parts/watches/schedule.ts';

const ANCHOR_MS = Date.parse('2026-11-30T08:00:00Z');

/** Returns the starts after a time, as in `2026-11-30T09:00Z`. */
function startsOf(
  schedule: string,
  from: string,
  { timezone = 'UTC', count = 1, anchorMs = ANCHOR_MS } = {},
): string[] {
  const { after } = parseSchedule({ schedule, timezone, anchorMs });
  const starts: string[] = [];
  for (let at = Date.parse(from); starts.length < count;) {
    const next = after(at);
    if (next === undefined) return starts;
    starts.push(new Date(next).toISOString().replace(':00.000Z', 'Z'));
    at = next;
  }
  return starts;
}

const check = (schedule: string, leastMs: number): void =>
  checkSchedule(parseSchedule({ schedule, timezone: 'UTC', anchorMs: ANCHOR_MS }), ANCHOR_MS, leastMs);

describe('a schedule', () => {
  it.each([
    ['every 10 minutes', '2026-11-30T08:00:00Z', '2026-11-30T08:10Z'],
    ['every 1 minute', '2026-11-30T08:00:59Z', '2026-11-30T08:01Z'],
    ['every 90 seconds', '2026-11-30T08:01:30Z', '2026-11-30T08:03Z'],
    ['every 6 hours', '2026-11-30T21:30:00Z', '2026-12-01T02:00Z'],
    ['every 2 days', '2026-12-05T00:00:00Z', '2026-12-06T08:00Z'],
    ['*/5 * * * *', '2026-11-30T08:00:00Z', '2026-11-30T08:05Z'],
    ['0 9 * * 1-5', '2026-12-04T09:00:00Z', '2026-12-07T09:00Z'],
    ['0 9 * * MON', '2026-12-04T09:00:00Z', '2026-12-07T09:00Z'],
    ['0 0 1 * *', '2026-12-04T09:00:00Z', '2027-01-01T00:00Z'],
    ['0 0 29 2 *', '2026-12-04T09:00:00Z', '2028-02-29T00:00Z'],
    ['0 9 * * 7', '2026-12-04T09:00:00Z', '2026-12-06T09:00Z'],
    ['30 8,20 * * *', '2026-11-30T09:00:00Z', '2026-11-30T20:30Z'],
  ])('%s: after %s comes %s', (schedule, from, start) => {
    expect(startsOf(schedule, from)).toEqual([start]);
  });

  it('follows the clock of its time zone', () => {
    const timezone = 'Europe/Berlin';
    expect(startsOf('0 9 * * *', '2026-11-30T00:00:00Z', { timezone })).toEqual(['2026-11-30T08:00Z']);
    expect(startsOf('0 9 * * *', '2026-07-01T00:00:00Z', { timezone })).toEqual(['2026-07-01T07:00Z']);
    expect(startsOf('0 9 * * *', '2026-11-30T00:00:00Z', { timezone: 'Asia/Kathmandu' })).toEqual([
      '2026-11-30T03:15Z',
    ]);
  });

  // Each of these was a lost or a doubled run of another scheduler.
  it.each([
    [
      'begins at the end of the hour that summer time leaves out',
      'Europe/Berlin',
      '30 2 * * *',
      '2027-03-27T12:00:00Z',
      ['2027-03-28T01:00Z', '2027-03-29T00:30Z'],
    ],
    [
      'begins once in the hour that comes twice',
      'Europe/Berlin',
      '30 2 * * *',
      '2027-10-30T12:00:00Z',
      ['2027-10-31T00:30Z', '2027-11-01T01:30Z'],
    ],
    [
      'does the same in America',
      'America/New_York',
      '30 2 * * *',
      '2027-03-13T12:00:00Z',
      ['2027-03-14T07:00Z', '2027-03-15T06:30Z'],
    ],
    [
      'begins once in the hour that comes twice in America',
      'America/New_York',
      '30 1 * * *',
      '2027-11-06T12:00:00Z',
      ['2027-11-07T05:30Z', '2027-11-08T06:30Z'],
    ],
    [
      'begins also if summer time begins at midnight',
      'America/Santiago',
      '0 0 * * *',
      '2026-09-05T12:00:00Z',
      ['2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ],
    [
      'begins also if summer time leaves out half an hour',
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-02T16:00:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
  ])('%s (%s)', (_what, timezone, schedule, from, starts) => {
    expect(startsOf(schedule, from, { timezone, count: 2 })).toEqual(starts);
  });

  it.each(['*/5 * * * *', 'every 5 minutes'])(
    '%s has no hole and no double on the days that the clock changes',
    (schedule) => {
      for (const from of ['2027-03-27T23:00:00Z', '2027-10-30T22:00:00Z']) {
        const anchorMs = Date.parse(from);
        const starts = startsOf(schedule, from, { timezone: 'Europe/Berlin', count: 12 * 26, anchorMs }).map(
          Date.parse,
        );
        expect(new Set(starts.map((at, index) => at - (starts[index - 1] ?? anchorMs)))).toEqual(new Set([300_000]));
      }
    },
  );

  it('never begins in the past, whenever it is planned', () => {
    const { after } = parseSchedule({ schedule: '*/30 * * * *', timezone: 'Europe/Berlin', anchorMs: 0 });
    const night = Date.parse('2027-10-31T00:00:00Z');
    for (let ms = night; ms < night + 3 * 3_600_000; ms += 60_000) expect(after(ms)).toBeGreaterThan(ms);
  });

  it.each([
    '',
    'every',
    'every 0 minutes',
    'every 1.5 hours',
    'every -1 hours',
    'every 5 weeks',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '0 24 * * *',
    '@daily',
    '@reboot',
    'H * * * *',
    'tomorrow',
    '*/0 * * * *',
  ])('refuses %j and says what is accepted', (schedule) => {
    expect(() => parseSchedule({ schedule, timezone: 'UTC', anchorMs: 0 })).toThrow(
      /must be five fields of cron.*or every N/,
    );
  });

  it('refuses a schedule that never begins, that begins too often, or that counts years', () => {
    expect(() => check('0 0 31 2 *', 60_000)).toThrow('never starts');
    expect(() => check('every 30 seconds', 60_000)).toThrow('WATCH_MIN_INTERVAL is 60000 ms');
    expect(() => check('0,2 9 * * *', 300_000)).toThrow('starts twice within 120000 ms');
    expect(() => check('every 400 days', 60_000)).toThrow('at least once in 366 days');
    check('* * * * *', 60_000);
    check('every 366 days', 60_000);
  });
});

describe('the spread of starts', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `01a22a56-9441-7000-ba06-${index}`);

  it('is at most a tenth of the distance of two runs, and a minute', () => {
    for (const id of ids) {
      expect(spreadOf(id, 600_000)).toBeLessThan(60_000);
      expect(spreadOf(id, 60_000)).toBeLessThan(6_000);
      expect(spreadOf(id, 86_400_000)).toBeLessThan(60_000);
    }
  });

  it('spreads watches of one schedule evenly, each always by the same', () => {
    const tenths = ids.map((id) => Math.floor(spreadOf(id, 600_000) / 6_000));
    for (let tenth = 0; tenth < 10; tenth++) {
      const found = tenths.filter((each) => each === tenth).length;
      expect(found).toBeGreaterThan(60);
      expect(found).toBeLessThan(140);
    }
    expect(spreadOf('a', 600_000)).toBe(spreadOf('a', 600_000));
  });
});
