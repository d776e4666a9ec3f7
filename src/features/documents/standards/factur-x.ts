/** What the metadata of an e-invoice say about its data. */
export interface FacturX {
  readonly fileName: string;
  readonly profile: string;
}

export const FACTUR_X_NAME = 'factur-x.xml';
/** Profiles that are no invoice, only data for accounting. */
export const DATA_ONLY: ReadonlySet<string> = new Set(['MINIMUM', 'BASIC WL']);
/** Profiles of Factur-X by the last part of the guideline that the data name. */
const PROFILES: readonly (readonly [guideline: RegExp, profile: string])[] = [
  [/^urn:factur-x\.eu:1p0:minimum$/, 'MINIMUM'],
  [/^urn:factur-x\.eu:1p0:basicwl$/, 'BASIC WL'],
  [/#(?:compliant|conformant)#urn:factur-x\.eu:1p0:basic$/, 'BASIC'],
  [/^urn:cen\.eu:en16931:2017$/, 'EN 16931'],
  [/#(?:compliant|conformant)#urn:factur-x\.eu:1p0:extended$/, 'EXTENDED'],
  [
    /^urn:cen\.eu:en16931:2017#compliant#urn:(?:xoev-de|xeinkauf\.de):kosit:(?:standard:)?xrechnung_[\d.]+$/,
    'XRECHNUNG',
  ],
];
const GUIDELINE =
  /<(?:[\w.-]+:)?GuidelineSpecifiedDocumentContextParameter(?:\s[^>]*)?>\s*<(?:[\w.-]+:)?ID(?:\s[^>]*)?>\s*([^<\s]{1,200})\s*</;
/** Number of bytes in which the guideline is searched: it stands at the beginning of the data. */
const HEAD_LENGTH = 20_000;

/** Returns the profile that the data of an e-invoice name. Undefined if they name none of Factur-X. */
export function profileOf(data: Buffer): string | undefined {
  const [, guideline] = GUIDELINE.exec(data.toString('utf8', 0, HEAD_LENGTH)) ?? [];
  return PROFILES.find(([form]) => guideline !== undefined && form.test(guideline))?.[1];
}
