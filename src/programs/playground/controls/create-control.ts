import type { FieldSchema } from '../reference.ts';
import { choiceControl, switchControl, triStateControl } from './choice.ts';
import type { Control, ControlContext } from './control.ts';
import { filesControl } from './files.ts';
import { sequenceControl } from './sequence.ts';
import { sidesControl, sidesOf } from './sides.ts';
import { jsonControl, linesControl, membersControl, pairsControl, textOrJsonControl } from './structured.ts';
import { numberControl, textControl } from './text.ts';
import { make } from '../dom.ts';

/** Creates the control for a field from its schema, so new fields need no code here. */
export function createControl(schema: FieldSchema, context: ControlContext): Control {
  return kindOf(schema)(schema, context);
}

function kindOf(schema: FieldSchema): (schema: FieldSchema, context: ControlContext) => Control {
  if (schema.enum !== undefined || schema['x-choices'] !== undefined) return choiceControl;
  if (isAlsoText(schema)) return sidesOf(schema) === undefined ? textOrJsonControl : sidesControl;
  switch (schema.type) {
    case 'boolean':
      return schema.default === undefined ? triStateControl : switchControl;
    case 'integer':
    case 'number':
      return numberControl;
    case 'string':
      return textControl;
    case 'array':
      return kindOfList(schema);
    case 'object':
      return kindOfObject(schema);
    case undefined:
    default:
      return jsonControl;
  }
}

/** True for several types including text. A length, for example, is text, a number, or one value per side. */
function isAlsoText({ type, anyOf = [] }: FieldSchema): boolean {
  return Array.isArray(type) ? type.includes('string') : anyOf.some((each) => each.type === 'string');
}

function kindOfList({ items }: FieldSchema) {
  if (items?.enum !== undefined) return severalControl;
  if (items?.oneOf !== undefined || items?.properties !== undefined)
    return (schema: FieldSchema, context: ControlContext) => sequenceControl(schema, context, createControl);
  return items?.type === 'string' ? linesControl : jsonControl;
}

function kindOfObject({ properties, additionalProperties }: FieldSchema) {
  const members = Object.values(properties ?? {});
  const isPlain = members.every(
    ({ type }) => typeof type === 'string' && ['string', 'number', 'integer'].includes(type),
  );
  if (members.length > 0) return isPlain ? membersControl : jsonControl;
  const value: FieldSchema = Object(additionalProperties);
  if (isAlsoText(value)) return pairsControl;
  if (value.contentEncoding === 'base64') return filesControl;
  return value.type === 'string' ? pairsControl : jsonControl;
}

/** Checkboxes for any number of choices from a closed set. */
function severalControl(schema: FieldSchema, { id, describedBy, label }: ControlContext): Control {
  const boxes = (schema.items?.enum ?? []).map((value) => {
    const input = make('input', { id: `${id}-${value}`, type: 'checkbox' });
    return { value, input };
  });
  const labels = boxes.map(({ value, input }) => make('label', {}, input, make('span', {}, value)));
  return {
    element: make(
      'fieldset',
      { class: 'segments', 'aria-describedby': describedBy },
      make('legend', {}, label),
      make('div', { class: 'track is-wrapped' }, ...labels),
    ),
    inputs: boxes.map(({ input }) => input),
    isGroup: true,
    read: () => {
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      return chosen.length === 0 ? undefined : chosen;
    },
    write: (value) => {
      const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const box of boxes) box.input.checked = chosen.includes(box.value);
    },
  };
}
