import { z } from 'zod';

/** Renders the tables of docs/reference.md by the name of their markers, from the data that the code uses. */
export function renderTables({ captureSchema, settings, errors, warnings, headers, metrics, tools, conflicts }) {
  return {
    fields: fieldTable(captureSchema),
    actions: actionTable(captureSchema),
    conflicts: conflicts.map((rule) => `- ${rule.replace(/^\w+(?=:)/, '`$&`')}`).join('\n'),
    settings: settingTable(settings),
    errors: errorTable(errors),
    warnings: table(
      ['Code', 'Meaning'],
      Object.entries(warnings).map(([code, sentence]) => [`\`${code}\``, sentence]),
    ),
    headers: table(
      ['Header', 'On', 'Meaning'],
      headers.map(({ name, on, meaning }) => [`\`${name}\``, on, meaning]),
    ),
    tools: table(
      ['Tool', 'Purpose', 'Fields'],
      tools.map(({ name, title, fields }) => [`\`${name}\``, title, fields.map((field) => `\`${field}\``).join(', ')]),
    ),
    metrics: table(
      ['Metric', 'Kind', 'Labels', 'Meaning'],
      metrics.map(({ name, kind, labels, help }) => [
        `\`${name}\``,
        kind,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    ),
  };
}

const KINDS = { same: 'Same', near: 'Near', ignored: 'Ignored', refused: 'Refused' };

/**
 * Renders the tables of options of docs/coming-from.md by the name of the service. Options with the same text share a
 * row.
 */
export function renderCompat(services) {
  return Object.fromEntries(
    Object.entries(services).map(([name, { options }]) => {
      const rows = Object.entries(KINDS).flatMap(([kind, title]) => [
        [`**${title}**`, ''],
        ...optionRows(Object.entries(options), kind),
      ]);
      return [name, table(['Option', 'Here'], rows)];
    }),
  );
}

/** Rows of the options of one kind, in groups with the same text. */
function optionRows(options, kind) {
  const texts = options
    .filter(([, { is }]) => is === kind)
    .map(([option, { ours, note }]) => {
      const fields = ours === option ? 'the same name' : ours?.replace(/\w+/g, '`$&`');
      return { option: `\`${option}\``, text: [fields, note].filter(Boolean).join(': ') };
    });
  const groups = Map.groupBy(texts, ({ text }) => text);
  return [...groups].map(([text, group]) => [group.map(({ option }) => option).join(', '), text]);
}

/** Replaces each table between its markers. @throws Error if the markers of a table are missing */
export function fillIn(text, tables) {
  return Object.entries(tables).reduce((filled, [name, content]) => {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
    const [from, to] = [filled.indexOf(start), filled.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`There is no "${start}" followed by "${end}".`);
    return `${filled.slice(0, from)}${start}\n\n${content}\n\n${filled.slice(to)}`;
  }, text);
}

function fieldTable(captureSchema) {
  const { properties } = z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' });
  const defaults = captureSchema.parse({});
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    field.accepts ?? describeAccepted(field),
    defaults[name] === undefined ? '' : `\`${defaults[name]}\``,
    field.description,
  ]);
  return table(['Field', 'Accepts', 'Default', 'Meaning'], rows);
}

function actionTable(captureSchema) {
  const { properties } = z.toJSONSchema(captureSchema, { io: 'input', unrepresentable: 'any' });
  const rows = properties.actions.items.oneOf.map(({ description, properties: members, required }) => {
    const { type, optional: _, ...others } = members; // every action with an element has `optional`
    const texts = Object.entries(others).map(([name, member]) => {
      const needed = required.includes(name) ? '' : ', optional';
      return `\`${name}\` (${member.accepts ?? describeAccepted(member)}${needed}): ${member.description}`;
    });
    return [`\`${type.const}\``, description, texts.join('<br>')];
  });
  return table(['Type', 'Purpose', 'Members'], rows);
}

function describeAccepted({ type, enum: choices, minimum, maximum, maxLength, properties }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return `${type}, ${minimum} to ${maximum}`;
  if (type === 'array') return 'list';
  if (properties !== undefined)
    return `object with ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`;
  if (type === 'object') return 'object';
  return maxLength === undefined ? 'text' : `text, up to ${maxLength}`;
}

function settingTable(settings) {
  const rows = settings.map(({ name, defaultText, defaultIsProse, form, meaning }, index) => [
    `\`${name}\``,
    // two asterisks would be italics
    form === settings[index - 1]?.form ? 'the same' : shorten(form).replaceAll('*', '\\*'),
    defaultIsProse ? defaultText : `\`${defaultText}\``,
    meaning,
  ]);
  return table(['Variable', 'Accepts', 'Default', 'Meaning'], rows);
}

/** The forms complete "Set it to" in messages. */
function shorten(form) {
  return form
    .replace(/^a whole number from /, 'integer, ')
    .replace(/^a comma-separated list of /, 'list, separated by commas, of ');
}

function errorTable(errors) {
  const rows = Object.entries(errors).map(([type, { status, otherStatus, when }]) => [
    otherStatus === undefined ? `${status}` : `${otherStatus}, ${status}`,
    `\`${type}\``,
    when,
  ]);
  return table(['Status', '`error_type`', 'When'], rows);
}

function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map(escapeBars).join(' | ')} |`).join('\n');
}

/** Escapes bars, which end a cell even inside code. */
function escapeBars(text) {
  return text.replaceAll('|', '\\|');
}
