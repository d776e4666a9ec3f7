import { describe, expect, it } from 'vitest';
import { parseOptions, readTextFields } from '../../../src/core/capture/request/parse-options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';

const LIMITS = { maxWaitMs: 60_000 };
const URL = 'https://example.com/';

const complaintsOf = (actions: unknown): string | undefined => {
  try {
    parseOptions({ url: URL, actions }, LIMITS);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.details;
  }
};

describe('actions', () => {
  it('are parsed with their defaults', () => {
    const { actions } = parseOptions(
      {
        url: URL,
        actions: [
          { type: 'click', selector: '#buy' },
          { type: 'hover', selector: '#menu', optional: true },
          { type: 'type', text: 'one\ntwo' },
          { type: 'press', key: 'Control+A' },
          { type: 'select', selector: 'select', values: ['a', ''] },
          { type: 'check', selector: '#terms' },
          { type: 'scroll', y: 800 },
          { type: 'wait', milliseconds: 0 },
          { type: 'goto', url: 'http://example.com/next' },
        ],
      },
      LIMITS,
    ).capture;

    expect(actions).toEqual([
      { type: 'click', selector: '#buy', optional: false },
      { type: 'hover', selector: '#menu', optional: true },
      { type: 'type', text: 'one\ntwo', clear: false, optional: false },
      { type: 'press', key: 'Control+A' },
      { type: 'select', selector: 'select', values: ['a', ''], optional: false },
      { type: 'check', selector: '#terms', checked: true, optional: false },
      { type: 'scroll', y: 800, optional: false },
      { type: 'wait', milliseconds: 0, optional: false },
      { type: 'goto', url: 'http://example.com/next' },
    ]);
  });

  it('must not delay longer than a whole request may take', () => {
    const actions = [
      { type: 'wait', milliseconds: 600 },
      { type: 'wait', milliseconds: 300 },
    ];
    const limits = { ...LIMITS, captureTimeoutMs: 1_000 };

    expect(parseOptions({ url: URL, actions, delay_capture: 99 }, limits).capture.actions).toHaveLength(2);
    expect(() => parseOptions({ url: URL, actions, delay_capture: 100 }, limits)).toThrow(
      expect.objectContaining({
        details:
          'actions: all their waits and delay_capture together must stay below 1000, the time limit of a whole request',
      }),
    );
  });

  it('are JSON in a query', () => {
    const actions = '[{"type":"press","key":"Enter"}]';
    const fields = new Map([
      ['url', URL],
      ['actions', actions],
    ]);

    expect(parseOptions(readTextFields(fields), LIMITS).capture.actions).toEqual([{ type: 'press', key: 'Enter' }]);
  });

  it.each([
    ['click', 'actions: must be a list of at most 50 actions'],
    [
      Array.from({ length: 51 }, () => ({ type: 'press', key: 'Tab' })),
      'actions: must be a list of at most 50 actions',
    ],
    [['click'], 'actions[0]: must be an object with a type'],
    [
      [{ type: 'press', key: 'Tab' }, { type: 'tap' }],
      'actions[1].type: must be one of click, hover, type, press, select, check, scroll, wait, goto',
    ],
    [[{ selector: '#a' }], /^actions\[0\]\.type: must be one of click, /],
    [[{ type: 'click' }], 'actions[0].selector: must be text of 1 to 1024 characters'],
    [[{ type: 'click', selector: '#a', button: 'right' }], 'actions[0].button: is not a known field'],
    [[{ type: 'hover', selector: '' }], 'actions[0].selector: must be text of 1 to 1024 characters'],
    [[{ type: 'type' }], 'actions[0].text: must be text of at most 10000 characters'],
    [[{ type: 'type', text: 'x'.repeat(10_001) }], 'actions[0].text: must be text of at most 10000 characters'],
    [[{ type: 'type', text: '\ud800' }], 'actions[0].text: must be text of at most 10000 characters'],
    [[{ type: 'type', text: 'a', clear: 1 }], 'actions[0].clear: must be true or false'],
    [[{ type: 'press', key: 'Return' }], /^actions\[0\]\.key: must be Enter, Tab, Escape, .* F1 to F12 or a char/],
    [[{ type: 'press', key: 'Enter', optional: true }], 'actions[0].optional: is not a known field'],
    [[{ type: 'select', selector: 's', values: 'a' }], /^actions\[0\]\.values: must be a list of 1 to 100 texts/],
    [[{ type: 'select', selector: 's', values: [] }], /^actions\[0\]\.values: must be a list of 1 to 100 texts/],
    [[{ type: 'check', selector: 'a', checked: 'on' }], 'actions[0].checked: must be true or false'],
    [[{ type: 'scroll' }], 'actions[0]: must have exactly one of these: selector, to, or a position (x, y or both)'],
    [
      [{ type: 'scroll', to: 'top', y: 1 }],
      'actions[0]: must have exactly one of these: selector, to, or a position (x, y or both)',
    ],
    [[{ type: 'scroll', to: 'left' }], 'actions[0].to: must be one of top, bottom'],
    [[{ type: 'scroll', y: -1 }], 'actions[0].y: must be a number from 0 to 1000000'],
    [[{ type: 'wait' }], 'actions[0]: must have exactly one of milliseconds and selector'],
    [
      [{ type: 'wait', milliseconds: 1, selector: 'a' }],
      'actions[0]: must have exactly one of milliseconds and selector',
    ],
    [[{ type: 'wait', milliseconds: 30_001 }], 'actions[0].milliseconds: must be a whole number from 0 to 30000'],
    [[{ type: 'goto', url: 'file:///etc/passwd' }], /^actions\[0\]\.url: must be an absolute http: or https: address/],
    [[{ type: 'goto', url: '/next' }], /^actions\[0\]\.url: must be an absolute http: or https: address/],
  ])('are refused with the accepted values: %j', (actions, complaint) => {
    expect(complaintsOf(actions)).toMatch(complaint);
  });
});
