import { z } from 'zod';
import {
  booleanField,
  choiceField,
  fieldsOf,
  integerField,
  numberField,
  textField,
  webAddressField,
} from '../../core/steps/common/fields.ts';
import { MAX_SELECTOR_LENGTH } from '../../core/steps/area.ts';
import { KEY_FORM, parseKeys } from './keyboard-keys.ts';

const MAX_ACTIONS = 50;
const MAX_TEXT_LENGTH = 10_000;
const MAX_KEY_LENGTH = 40;
const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 1_024;
const MAX_DELAY_MS = 30_000;
const MAX_OFFSET = 1_000_000;

const LIST_ERROR = `must be a list of at most ${MAX_ACTIONS} actions`;
const TEXT_ERROR = `must be text of at most ${MAX_TEXT_LENGTH} characters`;
const KEY_ERROR = `must be ${KEY_FORM}`;
const VALUES_ERROR = `must be a list of 1 to ${MAX_VALUES} texts of at most ${MAX_VALUE_LENGTH} characters`;
const SCROLL_ERROR = 'must have exactly one of these: selector, to, or a position (x, y or both)';
const WAIT_ERROR = 'must have exactly one of milliseconds and selector';

const selectorOf = (what: string): z.ZodString =>
  textField(MAX_SELECTOR_LENGTH, {
    description: `CSS selector of ${what}`,
  });
const optional = booleanField({
  description: 'Skip the action if its element is not ready in time',
}).default(false);

/** Schema of one kind of action, with the name, members and example for documentation and playground. */
const kind = <const Type extends string, const Shape extends z.core.$ZodLooseShape>(
  type: Type,
  about: {
    readonly title: string;
    readonly description: string;
    readonly example: object;
    readonly oneOf?: readonly object[];
  },
  shape: Shape,
): z.ZodObject<{ type: z.ZodLiteral<Type> } & Shape, z.core.$strict> =>
  z.strictObject({ type: z.literal(type), ...shape }).meta({ ...about, example: { type, ...about.example } });

const click = kind(
  'click',
  {
    title: 'Click',
    description: 'Click an element. If the click opens another page, the service waits for it',
    example: { selector: '#accept' },
  },
  { selector: selectorOf('the element to click'), optional },
);

const hover = kind(
  'hover',
  {
    title: 'Hover',
    description: 'Move the mouse over an element and leave it there',
    example: { selector: 'nav .products' },
  },
  { selector: selectorOf('the element to hover'), optional },
);

const type = kind(
  'type',
  {
    title: 'Type',
    description: 'Type text into a field or into the focused element',
    example: { selector: '#email', text: 'reader@example.com' },
  },
  {
    selector: selectorOf('the field').optional(),
    text: z
      .string({ error: TEXT_ERROR })
      .max(MAX_TEXT_LENGTH, { error: TEXT_ERROR })
      .refine((text) => text.isWellFormed(), { error: TEXT_ERROR })
      .meta({
        description:
          'Text to type, key by key; a line break is Enter. More than 500 characters are pasted. For date, time and colour fields: the value, such as `2026-11-22`',
      }),
    clear: booleanField({ description: 'Clear the field first' }).default(false),
    optional,
  },
);

const press = kind(
  'press',
  {
    title: 'Press',
    description: 'Press a key in the focused element',
    example: { key: 'Enter' },
  },
  {
    key: z
      .string({ error: KEY_ERROR })
      .max(MAX_KEY_LENGTH, { error: KEY_ERROR })
      .refine((text) => parseKeys(text) !== undefined, { error: KEY_ERROR })
      .meta({
        description: 'Name of the key, such as `Enter`, `Escape`, `Shift+Tab`, `Control+A`',
        accepts: KEY_FORM,
      }),
  },
);

const select = kind(
  'select',
  {
    title: 'Select',
    description: 'Choose options of a select field',
    example: { selector: '#country', values: ['NZ'] },
  },
  {
    selector: selectorOf('the select field'),
    values: z
      .array(z.string({ error: VALUES_ERROR }).max(MAX_VALUE_LENGTH, { error: VALUES_ERROR }), {
        error: VALUES_ERROR,
      })
      .min(1, { error: VALUES_ERROR })
      .max(MAX_VALUES, { error: VALUES_ERROR })
      .meta({
        description: 'Values or labels of the options; several for a multiple select',
      }),
    optional,
  },
);

const check = kind(
  'check',
  {
    title: 'Check',
    description: 'Set a checkbox, a radio button or a switch. No effect if it has that state already',
    example: { selector: '#terms', checked: true },
  },
  {
    selector: selectorOf('the element to switch'),
    checked: booleanField({ description: 'The state to set' }).default(true),
    optional,
  },
);

const offset = numberField({ min: 0, max: MAX_OFFSET }, { description: 'CSS pixels from the edge of the page' });
const scroll = kind(
  'scroll',
  {
    title: 'Scroll',
    description: 'Scroll to an element, to an end of the page, or to a position',
    example: { to: 'bottom' },
    oneOf: [{ required: ['selector'] }, { required: ['to'] }, { anyOf: [{ required: ['x'] }, { required: ['y'] }] }],
  },
  {
    selector: selectorOf('the element to scroll to').optional(),
    to: choiceField(['top', 'bottom'], { description: 'An end of the page' }).optional(),
    x: offset.optional(),
    y: offset.optional(),
    optional,
  },
).refine(
  ({ selector, to, x, y }) =>
    [selector !== undefined, to !== undefined, x !== undefined || y !== undefined].filter(Boolean).length === 1,
  { error: SCROLL_ERROR },
);

const wait = kind(
  'wait',
  {
    title: 'Wait',
    description: 'Wait for a visible element, or for a fixed time',
    example: { selector: '#results' },
    oneOf: [{ required: ['milliseconds'] }, { required: ['selector'] }],
  },
  {
    milliseconds: integerField(
      { min: 0, max: MAX_DELAY_MS },
      { description: 'Duration in milliseconds of real time' },
    ).optional(),
    selector: selectorOf('the element to wait for').optional(),
    optional,
  },
).refine(({ milliseconds, selector }) => (milliseconds === undefined) !== (selector === undefined), {
  error: WAIT_ERROR,
});

const goTo = kind(
  'goto',
  {
    title: 'Go to',
    description:
      'Go to another page. The same address rules apply as for `url`. Credentials for the origin of `url` are not sent elsewhere',
    example: { url: 'https://example.com/account' },
  },
  { url: webAddressField({ description: 'Address of that page', example: 'https://example.com/account' }) },
);

const KINDS = [click, hover, type, press, select, check, scroll, wait, goTo] as const;
const TYPES = KINDS.map(({ shape }) => shape.type.value);

const action = z.discriminatedUnion('type', KINDS, {
  error: ({ input }) =>
    typeof input === 'object' && input !== null
      ? `must be one of ${TYPES.join(', ')}`
      : 'must be an object with a type',
});
/** One action on a page. */
export type Action = z.output<typeof action>;

export const actionFields = fieldsOf('act', {
  actions: z
    .array(action, { error: LIST_ERROR })
    .max(MAX_ACTIONS, { error: LIST_ERROR })
    .meta({
      description:
        'Actions on the page after load and before the waits, one after the other, with mouse and keyboard. A click, hover or text waits up to `wait_for_timeout` until its element is visible, not moving and not covered',
      example: [
        { type: 'click', selector: '#loaded' },
        { type: 'press', key: 'Escape' },
      ],
      accepts: `list of at most ${MAX_ACTIONS} objects with \`type\` (${TYPES.map((name) => `\`${name}\``).join(', ')}) and the members of that type`,
    })
    .optional(),
});
