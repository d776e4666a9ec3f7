import { attribute, closest } from '../../../core/steps/in-page/nodes.ts';

/** Elements that mean nothing themselves, so that their role or their display tells what they are. */
const PLAIN = /^(?:div|span|section|article|p|a|button|.*-.*)$/;
const OF_ROLES: Readonly<Record<string, string | undefined>> = {
  list: 'ul',
  listitem: 'li',
  table: 'table',
  grid: 'table',
  treegrid: 'table',
  row: 'tr',
  columnheader: 'th',
  rowheader: 'th',
  cell: 'td',
  gridcell: 'td',
  blockquote: 'blockquote',
  separator: 'hr',
};
const OF_DISPLAYS: Readonly<Record<string, string | undefined>> = {
  table: 'table',
  'inline-table': 'table',
  'table-row': 'tr',
  'table-cell': 'td',
};
const PART_OF_TABLE = /^t[dhr]$/;
const TABLES = 'table, [role="table"], [role="grid"], [role="treegrid"]';
const LISTS = 'ul, ol, menu, [role="list"]';
const MOST_LEVEL = 6;

/** Returns the name of the element that has the meaning of this one, by its role or its display as a table. */
export function meaningOf(element: Element, name: string, { display }: CSSStyleDeclaration): string {
  if (!PLAIN.test(name)) return name;
  const role = attribute(element, 'role')?.trim().toLowerCase() ?? '';
  if (role === 'heading') return `h${levelOf(element)}`;
  const meaning = Object.hasOwn(OF_ROLES, role) ? OF_ROLES[role] : undefined;
  if (meaning === 'li') return closest(element, LISTS) === null ? name : 'li';
  if (meaning !== undefined && PART_OF_TABLE.test(meaning)) return closest(element, TABLES) === null ? name : meaning;
  if (meaning !== undefined) return meaning;
  return (role === '' && /^(?:div|span|section)$/.test(name) && OF_DISPLAYS[display]) || name;
}

function levelOf(element: Element): number {
  const level = Number.parseInt(attribute(element, 'aria-level') ?? '', 10);
  return level >= 1 && level <= MOST_LEVEL ? level : 2;
}
