import type { FacturX } from './factur-x.ts';

/** What the packet says about the document. */
export interface XmpFacts {
  /** Entries of the document information by name, decoded. */
  readonly info: ReadonlyMap<string, string>;
  readonly language: string | undefined;
  /** Part of PDF/A, with conformance B. Undefined for no archive. */
  readonly archivePart: 2 | 3 | undefined;
  /** True for PDF/UA-1. */
  readonly isAccessible: boolean;
  readonly facturX: FacturX | undefined;
}

/** A schema that PDF/A does not know, and its properties with their descriptions. */
interface ExtensionSchema {
  readonly name: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly properties: readonly (readonly [
    name: string,
    type: string,
    category: 'external' | 'internal',
    description: string,
  ])[];
}

const FACTUR_X_SCHEMA: ExtensionSchema = {
  name: 'Factur-X PDFA Extension Schema',
  namespace: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
  prefix: 'fx',
  properties: [
    ['DocumentFileName', 'Text', 'external', 'Name of the embedded XML file'],
    ['DocumentType', 'Text', 'external', 'Type of the document'],
    ['Version', 'Text', 'external', 'Version of the XML standard'],
    ['ConformanceLevel', 'Text', 'external', 'Profile of the XML'],
  ],
};

const ACCESSIBLE_SCHEMA: ExtensionSchema = {
  name: 'PDF/UA Universal Accessibility Schema',
  namespace: 'http://www.aiim.org/pdfua/ns/id/',
  prefix: 'pdfuaid',
  properties: [['part', 'Integer', 'internal', 'Part of ISO 14289']],
};

/** Returns the metadata packet of a document (XMP): the document information, and the standards that it meets. */
export function xmpPacket({ info, language = 'x-default', archivePart, isAccessible, facturX }: XmpFacts): string {
  const text = (key: string): string | undefined => info.get(key);
  const one = (name: string, value: string | undefined): string =>
    value === undefined ? '' : `<${name}>${escaped(value)}</${name}>`;
  const alternatives = (name: string, value: string | undefined): string =>
    value === undefined
      ? ''
      : `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${escaped(value)}</rdf:li></rdf:Alt></${name}>`;
  const author = text('Author');
  const extensions = [
    ...(isAccessible ? [ACCESSIBLE_SCHEMA] : []),
    ...(facturX === undefined ? [] : [FACTUR_X_SCHEMA]),
  ];
  const parts = [
    alternatives('dc:title', text('Title')),
    author === undefined ? '' : `<dc:creator><rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq></dc:creator>`,
    alternatives('dc:description', text('Subject')),
    language === 'x-default'
      ? ''
      : `<dc:language><rdf:Bag><rdf:li>${escaped(language)}</rdf:li></rdf:Bag></dc:language>`,
    one('pdf:Keywords', text('Keywords')),
    one('pdf:Producer', text('Producer')),
    one('xmp:CreatorTool', text('Creator')),
    one('xmp:CreateDate', isoDate(text('CreationDate'))),
    one('xmp:ModifyDate', isoDate(text('ModDate'))),
    archivePart === undefined
      ? ''
      : `<pdfaid:part>${archivePart}</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>`,
    isAccessible ? '<pdfuaid:part>1</pdfuaid:part>' : '',
    facturX === undefined
      ? ''
      : `<fx:DocumentType>INVOICE</fx:DocumentType><fx:DocumentFileName>${facturX.fileName}</fx:DocumentFileName><fx:Version>1.0</fx:Version><fx:ConformanceLevel>${facturX.profile}</fx:ConformanceLevel>`,
    archivePart === undefined || extensions.length === 0
      ? ''
      : `<pdfaExtension:schemas><rdf:Bag>${extensions.map(described).join('')}</rdf:Bag></pdfaExtension:schemas>`,
  ];
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" ${NAMESPACES}>
${parts.filter((part) => part !== '').join('\n')}
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

const NAMESPACES = Object.entries({
  dc: 'http://purl.org/dc/elements/1.1/',
  pdf: 'http://ns.adobe.com/pdf/1.3/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  pdfaid: 'http://www.aiim.org/pdfa/ns/id/',
  pdfuaid: ACCESSIBLE_SCHEMA.namespace,
  fx: FACTUR_X_SCHEMA.namespace,
  pdfaExtension: 'http://www.aiim.org/pdfa/ns/extension/',
  pdfaSchema: 'http://www.aiim.org/pdfa/ns/schema#',
  pdfaProperty: 'http://www.aiim.org/pdfa/ns/property#',
})
  .map(([prefix, address]) => `xmlns:${prefix}="${address}"`)
  .join(' ');

function described({ name, namespace, prefix, properties }: ExtensionSchema): string {
  const listed = properties.map(
    ([property, type, category, description]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${property}</pdfaProperty:name><pdfaProperty:valueType>${type}</pdfaProperty:valueType><pdfaProperty:category>${category}</pdfaProperty:category><pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`,
  );
  return `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${name}</pdfaSchema:schema><pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>${prefix}</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>${listed.join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`;
}

/** Escapes text for XML, without the characters that XML does not have. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}

/** Returns a date of a document in the form of XMP. */
function isoDate(text: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, second, sign = 'Z', hours, minutes] =
    /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:([+-])(\d\d)'(\d\d)|Z)?/.exec(text ?? '') ?? [];
  if (year === undefined) return undefined;
  const zone = sign === 'Z' ? sign : `${sign}${hours ?? '00'}:${minutes ?? '00'}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
