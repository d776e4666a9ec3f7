/** What the metadata of an e-invoice say about its data. */
export interface FacturX {
  readonly fileName: string;
  readonly profile: string;
}

/** Names that readers look for. The German profile has a name of its own. */
const USUAL_NAME = 'factur-x.xml';
const XRECHNUNG_NAME = 'xrechnung.xml';
export const INVOICE_NAMES: ReadonlySet<string> = new Set([USUAL_NAME, XRECHNUNG_NAME]);
/** Profiles that are no invoice, only data for accounting. */
export const DATA_ONLY: ReadonlySet<string> = new Set(['MINIMUM', 'BASIC WL']);
/** Profiles of Factur-X by the last part of the guideline that the data name. */
const PROFILES: readonly (readonly [guideline: RegExp, profile: string])[] = [
  [/^urn:factur-x\.eu:1p0:minimum$/, 'MINIMUM'],
  [/^urn:factur-x\.eu:1p0:basicwl$/, 'BASIC WL'],
  [/#(?:compliant|conformant)#urn:factur-x\.eu:1p0:basic$/, 'BASIC'],
  [/^urn:cen\.eu:en16931:2017$/, 'EN 16931'],
  [/#(?:compliant|conformant)#urn:factur-x\.eu:1p0:extended$/, 'EXTENDED'],
  [/#(?:compliant|conformant)#urn[.:]cpro\.gouv\.fr:1p0:extended-ctc-fr$/, 'EXTENDED'],
  [
    /^urn:cen\.eu:en16931:2017#compliant#urn:(?:xoev-de|xeinkauf\.de):kosit:(?:standard:)?xrechnung_[\d.]+(?:#conformant#urn:xeinkauf\.de:kosit:extension:xrechnung_[\d.]+)?$/,
    'XRECHNUNG',
  ],
];
const GUIDELINE =
  /<(?:[\w.-]+:)?GuidelineSpecifiedDocumentContextParameter(?:\s[^>]*)?>\s*<(?:[\w.-]+:)?ID(?:\s[^>]*)?>\s*([^<\s]{1,200})\s*</;
/** XML whose root element is a Cross Industry Invoice. */
const INVOICE = /^\uFEFF?(?:\s|<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->)*<(?:[\w.-]+:)?CrossIndustryInvoice[\s>]/;
/** Number of bytes in which the guideline is searched: it stands at the beginning of the data. */
const HEAD_LENGTH = 64_000;

/** Returns the profile that the data of an e-invoice name. Undefined if they name none of Factur-X. */
export function profileOf(data: Buffer): string | undefined {
  const [, guideline] = GUIDELINE.exec(headOf(data)) ?? [];
  return PROFILES.find(([form]) => guideline !== undefined && form.test(guideline))?.[1];
}

/** True for data of an e-invoice, whatever their name: a Cross Industry Invoice. */
export function isInvoice(data: Buffer): boolean {
  return INVOICE.test(headOf(data));
}

/** Returns the name that the data of a profile must have. */
export function nameFor(profile: string): string {
  return profile === 'XRECHNUNG' ? XRECHNUNG_NAME : USUAL_NAME;
}

/** Returns the beginning of XML in UTF-8 or UTF-16. */
function headOf(data: Buffer): string {
  const head = data.subarray(0, HEAD_LENGTH);
  const isBigEndian = head[0] === 0xfe || head[0] === 0;
  if (isBigEndian)
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le');
  return head.toString(head[0] === 0xff || head[1] === 0 ? 'utf16le' : 'utf8');
}
