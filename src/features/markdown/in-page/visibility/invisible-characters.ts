// Keeps the joiners that scripts and emoji need, the tags of flags, and one variation selector.
const INVISIBLE =
  /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0000}-\u{E007F}]+|[\u{AD}\u{61C}\u{115F}\u{1160}\u{180B}-\u{180F}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}]+|(?<=[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]+/gu;

/**
 * Returns a text without characters that only machines read: tag characters and variation selectors can carry letters.
 * `carried` has what they say.
 */
export function withoutInvisible(text: string): { readonly visible: string; readonly carried: readonly string[] } {
  // eslint-disable-next-line no-control-regex
  if (!/[^\u0000-\u00AC\u00AE-\u02FF]/.test(text)) return { visible: text, carried: [] };
  const carried: string[] = [];
  const visible = text.replaceAll(INVISIBLE, (found) => {
    const letters = Array.from(found, (each) => {
      const point = each.codePointAt(0) ?? 0;
      return point >= 0xe0020 && point <= 0xe007e ? String.fromCodePoint(point - 0xe0000) : '';
    });
    const said = letters.join('') || (found.length > 6 ? found : '');
    if (said !== '') carried.push(said);
    return '';
  });
  return { visible, carried };
}
