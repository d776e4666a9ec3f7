import { createHash, type X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/**
 * Attributes of PKCS #11 and NSS, as columns of the table: `a` and the number in hexadecimal. NSS reads columns by
 * these names, and needs all that it may ask for.
 */
const COLUMNS =
  '0 1 2 3 10 11 12 80 81 82 83 84 85 86 87 88 89 8a 8b 90 100 101 102 103 104 105 106 107 108 109 10a 10b 10c 110 111 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 160 161 162 163 164 165 166 170 180 181 200 201 202 210 300 301 302 400 401 402 403 404 405 406 480 481 482 500 501 502 503 40000211 40000212 80000001 ce534351 ce534352 ce534353 ce534354 ce534355 ce534356 ce534357 ce534358 ce534364 ce534365 ce534366 ce534367 ce534368 ce534369 ce534373 ce534374 ce536351 ce536352 ce536353 ce536354 ce536355 ce536356 ce536357 ce536358 ce536359 ce53635a ce53635b ce53635c ce53635d ce53635e ce53635f ce536360 ce5363b4 ce5363b5 d5a0db00'.split(
    ' ',
  );

const [CERTIFICATE, TRUST] = [number(1), number(0xce_53_43_53)]; // CKO_CERTIFICATE, CKO_NSS_TRUST
// CKT_NSS_TRUSTED_DELEGATOR, CKT_NSS_MUST_VERIFY
const [IS_TRUSTED, MUST_BE_VERIFIED] = [number(0xce_53_43_52), number(0xce_53_43_53)];
const [TRUE, FALSE] = [Buffer.from([1]), Buffer.from([0])];

/**
 * Returns a certificate database of NSS (cert9.db). Chrome on Linux trusts its authorities for servers, in addition to
 * Chrome's own. It is written here because most machines lack the tool certutil.
 */
export async function trustDatabase(authorities: readonly X509Certificate[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'capture-service-trust-'));
  try {
    const path = join(folder, 'cert9.db');
    // an older Node would end with an error that does not name the cause
    const { DatabaseSync } = await import('node:sqlite');
    writeDatabase(new DatabaseSync(path), authorities);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function writeDatabase(database: DatabaseSync, authorities: readonly X509Certificate[]): void {
  try {
    const columns = COLUMNS.map((attribute) => `a${attribute}`);
    database.exec(`CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${columns.join(', ')})`);
    for (const column of ['a81', 'a101', 'a3', 'a102'])
      database.exec(`CREATE INDEX index_${column} ON nssPublic (${column})`);
    for (const [index, authority] of authorities.entries()) {
      const [certificate, trust] = recordsOf(authority, `authority ${index + 1}`);
      insert(database, 2 * index + 1, certificate);
      insert(database, 2 * index + 2, trust);
    }
  } finally {
    database.close();
  }
}

type Attributes = Readonly<Record<string, Buffer>>;

function insert(database: DatabaseSync, id: number, attributes: Attributes): void {
  const columns = Object.keys(attributes);
  const places = columns.map(() => '?').join(', ');
  database
    .prepare(`INSERT INTO nssPublic (id, ${columns.join(', ')}) VALUES (?, ${places})`)
    .run(id, ...Object.values(attributes));
}

function recordsOf({ raw }: X509Certificate, label: string): readonly [Attributes, Attributes] {
  const { serial, issuer, subject } = namesOf(raw);
  const common = { a1: TRUE, a2: FALSE, a170: TRUE, a81: issuer, a82: serial }; // on a token, not private, modifiable
  const certificate = {
    ...common,
    a0: CERTIFICATE,
    a3: Buffer.from(label),
    a11: raw,
    a80: number(0), // X.509
    a101: subject,
    a102: createHash('sha1').update(raw).digest(),
  };
  const trust = {
    ...common,
    a0: TRUST,
    a3: Buffer.from(`trust of ${label}`),
    ace536358: IS_TRUSTED, // for certificates of servers
    ace536359: MUST_BE_VERIFIED, // of clients
    ace53635a: MUST_BE_VERIFIED, // of e-mail
    ace53635b: MUST_BE_VERIFIED, // of code
    ace536360: FALSE,
    ace5363b4: createHash('sha1').update(raw).digest(),
  };
  return [certificate, trust];
}

/** Returns the encoded names of a certificate (RFC 5280, 4.1). */
function namesOf(certificate: Buffer): Readonly<Record<'serial' | 'issuer' | 'subject', Buffer>> {
  const [body = Buffer.alloc(0)] = elementsOf(certificate);
  const elements = elementsOf(body);
  const hasVersion = elements[0]?.[0] === 0xa0;
  const [serial, , issuer, , subject] = hasVersion ? elements.slice(1) : elements;
  if (serial === undefined || issuer === undefined || subject === undefined) {
    throw new Error('a certificate has no names');
  }
  return { serial, issuer, subject };
}

/** Returns the encoded elements inside an element in DER. */
function elementsOf(element: Buffer): readonly Buffer[] {
  const { start, end } = contentOf(element, 0);
  const elements: Buffer[] = [];
  for (let at = start; at < end;) {
    const next = contentOf(element, at).end;
    elements.push(element.subarray(at, next));
    at = next;
  }
  return elements;
}

function contentOf(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const size = first - 0x80;
  const start = at + 2 + size;
  return { start, end: start + bytes.readUIntBE(at + 2, size) };
}

/** A number as NSS stores it. */
function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
