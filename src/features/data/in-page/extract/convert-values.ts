import { attribute, closest, rootElement } from '../../../../core/steps/in-page/nodes.ts';

/** Returns the character before decimals in the language of an element. Runs in the page. */
export function decimalMarkOf(element: Element): string {
  const root = rootElement();
  const language = closest(element, '[lang]') ?? root;
  const name = language === null ? null : attribute(language, 'lang');
  try {
    const parts = new Intl.NumberFormat(name ?? 'en').formatToParts(1.5);
    return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
  } catch {
    return '.'; // no language
  }
}

const TRUE = /^(?:true|yes|on|1|checked)$/i;
const FALSE = /^(?:false|no|off|0)?$/i;

/** Returns whether a value means yes. An attribute means yes by being there. Null for other texts. Runs in the page. */
export function toBoolean(raw: string | number | boolean | null, isAttribute: boolean): boolean | null {
  if (isAttribute) return raw !== null && !/^(?:false|no|off|0)$/i.test(String(raw));
  if (typeof raw === 'boolean') return raw;
  const text = raw === null ? null : String(raw).trim();
  if (text === null) return null;
  return TRUE.test(text) ? true : FALSE.test(text) ? false : null;
}
