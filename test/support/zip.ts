import { crc32 } from 'node:zlib';

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const PROGRAM_MODE = 0o100755;

/** Creates an archive of programs without compression: 200 MB take a moment. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const fileName = Buffer.from(name);
    const facts = Buffer.alloc(26); // from "version needed" to "length of the extra field": the same in both headers
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(fileName.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), facts, fileName, content);

    const made = Buffer.alloc(2);
    made.writeUInt16LE(MADE_ON_UNIX);
    const where = Buffer.alloc(14);
    where.writeUInt32LE((PROGRAM_MODE << 16) >>> 0, 6);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), made, facts, where, fileName);
    offset += 4 + facts.length + fileName.length + content.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listing, Buffer.from('PK\x05\x06'), end]);
}
