import { DOMParser, type Element, onErrorStopParsing, XMLSerializer } from '@xmldom/xmldom';
import { xmpPacket } from '../../../features/documents/standards/xmp.ts';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XML = 'http://www.w3.org/XML/1998/namespace';
const DC = 'http://purl.org/dc/elements/1.1/';
const PDF = 'http://ns.adobe.com/pdf/1.3/';
const XMP = 'http://ns.adobe.com/xap/1.0/';
const UA = 'http://www.aiim.org/pdfua/ns/id/';
const ARCHIVE = 'http://www.aiim.org/pdfa/ns/id/';

/** A property of XMP, and how it is written: as text, a list, or texts by language. */
interface Property {
  readonly space: string;
  readonly name: string;
  readonly list?: 'Seq' | 'Alt';
}

/** Properties that say the same as entries of the document information. */
const PROPERTIES: ReadonlyMap<string, readonly Property[]> = new Map([
  ['Title', [{ space: DC, name: 'title', list: 'Alt' }]],
  ['Author', [{ space: DC, name: 'creator', list: 'Seq' }]],
  ['Subject', [{ space: DC, name: 'description', list: 'Alt' }]],
  // Older programs write keywords as a list, too, which would keep what was removed.
  [
    'Keywords',
    [
      { space: PDF, name: 'Keywords' },
      { space: DC, name: 'subject' },
    ],
  ],
  ['Creator', [{ space: XMP, name: 'CreatorTool' }]],
  ['Producer', [{ space: PDF, name: 'Producer' }]],
  ['CreationDate', [{ space: XMP, name: 'CreateDate' }]],
  ['ModDate', [{ space: XMP, name: 'ModifyDate' }]],
]);
const CLAIMS: readonly Property[] = [
  { space: UA, name: 'part' },
  ...['part', 'conformance', 'amd', 'rev'].map((name) => ({ space: ARCHIVE, name })),
];

/** Returns the values of a packet under the names of the document information. Empty if it is not well-formed. */
export function readPacket(packet: string): ReadonlyMap<string, string> {
  const descriptions = parsed(packet)?.descriptions ?? [];
  const values = new Map<string, string>();
  for (const [key, [property]] of PROPERTIES)
    for (const description of descriptions) {
      const text = property && valueIn(description, property);
      if (text !== undefined && text !== '' && !values.has(key)) values.set(key, text);
    }
  return values;
}

/**
 * Returns a packet with other values. One that is not well-formed is written anew, with what the document information
 * says.
 * @param facts texts by names of the document information; null removes one. Dates are ISO 8601
 * @param info the whole document information, as documents write it
 */
export function changedPacket(
  packet: string,
  facts: Readonly<Record<string, string | null>>,
  info: ReadonlyMap<string, string>,
): string {
  const tree = parsed(packet);
  const [first] = tree?.descriptions ?? [];
  if (tree === undefined || first === undefined) return newPacket(packet, info);
  for (const [key, value] of Object.entries(facts)) {
    const properties = PROPERTIES.get(key) ?? [];
    for (const description of tree.descriptions) for (const property of properties) remove(description, property);
    const [property] = properties;
    if (property !== undefined && value !== null) add(first, property, value);
  }
  return new XMLSerializer().serializeToString(tree.document);
}

/** Returns a packet without the claim to meet a standard: that of screen readers, or all. */
export function withoutClaims(packet: string, which: 'screen readers' | 'all'): string {
  const tree = parsed(packet);
  if (tree === undefined) return '';
  const claims = which === 'all' ? CLAIMS : CLAIMS.slice(0, 1);
  for (const description of tree.descriptions) for (const claim of claims) remove(description, claim);
  return new XMLSerializer().serializeToString(tree.document);
}

function newPacket(packet: string, info: ReadonlyMap<string, string>): string {
  const [, part] = /pdfaid:part\s*(?:=\s*["']|>)\s*([23])/.exec(packet) ?? [];
  const archivePart = part === '2' ? 2 : part === '3' ? 3 : undefined;
  const isAccessible = /pdfuaid:part\s*(?:=\s*["']|>)\s*1/.test(packet);
  return xmpPacket({ info, language: undefined, archivePart, isAccessible, facturX: undefined });
}

/** Longer packets, and those with more nodes, are written anew: the time of changes grows with the square. */
const MOST_CHARACTERS = 1_000_000;
const MOST_NODES_OF_DESCRIPTIONS = 5_000;

function parsed(packet: string) {
  if (packet.length > MOST_CHARACTERS) return undefined;
  try {
    const start = packet.indexOf('<');
    const document = new DOMParser({ onError: onErrorStopParsing }).parseFromString(packet.slice(start), 'text/xml');
    const [root] = [...document.getElementsByTagNameNS(RDF, 'RDF')];
    const children = [...(root?.childNodes ?? [])];
    const descriptions = children.filter((node): node is Element => hasName(node, RDF, 'Description'));
    const nodes = descriptions.reduce((sum, { childNodes }) => sum + childNodes.length, 0);
    return nodes > MOST_NODES_OF_DESCRIPTIONS ? undefined : { document, descriptions };
  } catch {
    return undefined; // not well-formed
  }
}

function hasName(node: unknown, space: string, name: string): boolean {
  const { namespaceURI, localName } = Object(node);
  return namespaceURI === space && localName === name;
}

function childrenOf(description: Element, { space, name }: Property): readonly Element[] {
  return [...description.childNodes].filter((node): node is Element => hasName(node, space, name));
}

function valueIn(description: Element, property: Property): string | undefined {
  const attribute = description.getAttributeNS(property.space, property.name);
  if (attribute !== null && attribute !== '') return attribute;
  const [child] = childrenOf(description, property);
  if (child === undefined) return undefined;
  const items = [...child.getElementsByTagNameNS(RDF, 'li')].map(({ textContent }) => textContent ?? '');
  return items.length === 0 ? (child.textContent ?? undefined) : property.list === 'Seq' ? items.join(', ') : items[0];
}

function remove(description: Element, property: Property): void {
  description.removeAttributeNS(property.space, property.name);
  for (const child of childrenOf(description, property)) description.removeChild(child);
}

function add(description: Element, { space, name, list }: Property, text: string): void {
  const { ownerDocument: document } = description;
  if (document === null) return;
  const prefix = space === DC ? 'dc' : space === PDF ? 'pdf' : 'xmp';
  const element = document.createElementNS(space, `${prefix}:${name}`);
  if (list === undefined) element.appendChild(document.createTextNode(text));
  else {
    const item = document.createElementNS(RDF, 'rdf:li');
    if (list === 'Alt') item.setAttributeNS(XML, 'xml:lang', 'x-default');
    item.appendChild(document.createTextNode(text));
    const all = document.createElementNS(RDF, `rdf:${list}`);
    all.appendChild(item);
    element.appendChild(all);
  }
  description.appendChild(element);
}
