/** A file of a saved page. */
export interface SavedPart {
  /** Media type, without parameters. */
  readonly type: string;
  /** Address that the page knows it by. Undefined for markup of a frame without one. */
  readonly address: string | undefined;
  /** Id in `cid:` addresses. */
  readonly id: string | undefined;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** Length of the head of the file and of each part, at most. */
const MAX_HEAD = 65_536;

/**
 * Returns the parts of a page that Chrome has saved, the page itself first.
 * @throws Error for a file that is not built as Chrome writes it
 */
export function readMhtml(file: Buffer): SavedPart[] {
  const head = file.toString('latin1', 0, MAX_HEAD);
  const [, boundary] = /\r\n\tboundary="([^"]{1,200})"/.exec(head) ?? [];
  if (boundary === undefined) throw new Error('The saved page has no boundary');
  const separator = Buffer.from(`\r\n--${boundary}`);
  const parts: SavedPart[] = [];
  let at = file.indexOf(separator);
  for (let next = 0; at !== -1; at = next) {
    const start = at + separator.length + 2; // the line break, or `--` at the end
    next = file.indexOf(separator, start);
    if (next === -1) break;
    const bodyAt = file.indexOf(HEAD_END, start);
    if (bodyAt === -1 || bodyAt > next) continue;
    parts.push(
      toPart(
        file.toString('utf8', start, Math.min(bodyAt, start + MAX_HEAD)),
        file.subarray(bodyAt + HEAD_END.length, next),
      ),
    );
  }
  return parts;
}

function toPart(head: string, written: Buffer): SavedPart {
  const valueOf = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*([^\\r\\n]*(?:\\r\\n[ \\t][^\\r\\n]*)*)`, 'im')
      .exec(head)?.[1]
      ?.replaceAll(/\r\n[ \t]/g, '')
      .trim();
  const encoding = valueOf('Content-Transfer-Encoding')?.toLowerCase();
  return {
    type: (valueOf('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    address: valueOf('Content-Location'),
    id: valueOf('Content-ID')?.replaceAll(/^<|>$/g, ''),
    body:
      encoding === 'base64'
        ? Buffer.from(written.toString('latin1'), 'base64')
        : encoding === 'quoted-printable'
          ? fromQuotedPrintable(written)
          : written,
  };
}

/** Chrome names the encoding of the page at the start of each document and sheet. */
const ENCODING =
  /^@charset "([^"]{1,40})"|<meta http-equiv="Content-Type" content="[\w/+]{1,40}; charset=([^"]{1,40})"/;
const ENCODING_WITHIN = 1_000;
const XHTML = 'application/xhtml+xml';

export function isDocument({ type }: SavedPart): boolean {
  return type === 'text/html' || type === XHTML;
}

/** Returns the text of a document or sheet that Chrome has saved, which is in the encoding of the page. */
export function textOf({ body, type }: SavedPart): string {
  const [, ofSheet, ofDocument] = ENCODING.exec(body.toString('latin1', 0, ENCODING_WITHIN).replaceAll('\0', '')) ?? [];
  const text = decoderOf(ofSheet ?? ofDocument).decode(body);
  return type === XHTML ? toHtml(text) : text;
}

/** Makes XHTML readable as HTML, with the same layout: all XHTML has the standards mode. */
function toHtml(text: string): string {
  const [before = '', ...sections] = text.split('<![CDATA[');
  const escaped = sections.map((section) => {
    const end = section.indexOf(']]>');
    if (end === -1) return section;
    return section.slice(0, end).replaceAll('&', '&amp;').replaceAll('<', '&lt;') + section.slice(end + 3);
  });
  return `<!DOCTYPE html>${before}${escaped.join('')}`;
}

function decoderOf(encoding = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder(); // a sheet that was not saved by Chrome can name any
  }
}

const [EQUALS, RETURN] = ['='.charCodeAt(0), '\r'.charCodeAt(0)];

function fromQuotedPrintable(written: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(written.length);
  let length = 0;
  for (let at = 0; at < written.length; at++) {
    if (written[at] !== EQUALS) decoded[length++] = written[at] ?? 0;
    else {
      if (written[at + 1] !== RETURN)
        decoded[length++] = Number.parseInt(written.toString('latin1', at + 1, at + 3), 16);
      at += 2; // the code, or the line break
    }
  }
  return decoded.subarray(0, length);
}
