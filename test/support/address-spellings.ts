import { type Arbitrary, array, constantFrom, integer, nat, oneof, tuple } from 'fast-check';

/**
 * IPv4 ranges that are not public (IANA's special-purpose registry, and Azure's WireServer): base and prefix length.
 */
const SPECIAL_V4: readonly (readonly [base: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** IPv6 ranges that are not public, as their first groups in hex. Every address with this prefix belongs to them. */
const SPECIAL_V6: readonly (readonly string[])[] = [
  ['0', '0', '0', '0', '0', '0'],
  ['64', 'ff9b', '1'],
  ['100', '0', '0', '0'],
  ['2001', '0'],
  ['2001', '2', '0'],
  ['2001', '10'],
  ['2001', '20'],
  ['2001', 'db8'],
  ['2002'],
  ['3fff', 'fff'],
  ['5f00'],
  ['fc00'],
  ['fdff'],
  ['fe80'],
  ['fec0'],
  ['ff02'],
];
const PUBLIC_V6: readonly (readonly string[])[] = [
  ['2400', 'cb00'],
  ['2606', '4700'],
  ['2a00', '1450'],
];

/** Addresses as 32-bit numbers. */
const specialV4 = constantFrom(...SPECIAL_V4).chain(([base, bits]) =>
  nat(2 ** (32 - bits) - 1).map((offset) => toNumber(base) + offset),
);
const publicV4 = integer({ min: 0x01_00_00_00, max: 0xdf_ff_ff_ff }).filter(
  (address) => !SPECIAL_V4.some((range) => isWithin(address, range)),
);

const specialV6 = groupsUnder(SPECIAL_V6).chain(spellV6);
const publicV6 = groupsUnder(PUBLIC_V6).chain(spellV6);

/** Adds a user name and a port to the host part of a URL. */
const around = (host: Arbitrary<string>): Arbitrary<string> =>
  tuple(constantFrom('', 'user@', 'public.example.net@', 'a:b@'), host, integer({ min: 1, max: 65_535 })).map(
    ([user, spelling, port]) => `http://${user}${spelling}:${port}/`,
  );

/** URLs of private addresses, in every equivalent spelling. */
export const privateUrls = around(oneof(specialV4.chain(spellV4), specialV6));
/** URLs of public addresses, in the same spellings. */
export const publicUrls = around(oneof(publicV4.chain(spellV4), publicV6));

function spellV4(address: number): Arbitrary<string> {
  const bytes = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255];
  const [high, low] = [address >>> 16, address & 0xff_ff].map((half) => half.toString(16));
  const radix = constantFrom(toDecimal, toOctal, toHex);
  const parts = array(radix, { minLength: 4, maxLength: 4 });
  // 1 to 4 parts: the last one contains all remaining bytes.
  const numeric = tuple(integer({ min: 1, max: 4 }), parts).map(([count, spell]) => {
    const last = bytes.slice(count - 1).reduce((value, byte) => value * 256 + byte, 0);
    const values = [...bytes.slice(0, count - 1), last];
    return values.map((value, index) => spell[index]?.(value)).join('.');
  });
  const dotted = bytes.join('.');
  const inV6 = constantFrom(
    `[::ffff:${dotted}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${dotted}]`,
    `[64:FF9B::${high}:${low}]`,
  );
  const dot = constantFrom('', '.');
  return oneof(
    tuple(numeric, dot).map((both) => both.join('')),
    inV6,
  );
}

function spellV6(groups: readonly number[]): Arbitrary<string> {
  const expanded = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
  const plain = groups.map((group) => group.toString(16)).join(':');
  const compressed = plain.replace(/(^|:)0(:0)+(:|$)/, '::');
  return constantFrom(expanded, plain, compressed, expanded.toUpperCase()).map((text) => `[${text}]`);
}

function groupsUnder(prefixes: readonly (readonly string[])[]): Arbitrary<readonly number[]> {
  return tuple(constantFrom(...prefixes), array(nat(0xff_ff), { minLength: 8, maxLength: 8 })).map(([prefix, random]) =>
    random.map((group, index) => Number.parseInt(prefix[index] ?? group.toString(16), 16)),
  );
}

function toNumber(dotted: string): number {
  return dotted.split('.').reduce((value, byte) => value * 256 + Number(byte), 0);
}

function isWithin(address: number, [base, bits]: readonly [string, number]): boolean {
  return Math.floor(address / 2 ** (32 - bits)) === Math.floor(toNumber(base) / 2 ** (32 - bits));
}

function toDecimal(value: number): string {
  return `${value}`;
}

function toOctal(value: number): string {
  return `0${value.toString(8)}`;
}

function toHex(value: number): string {
  return `0X${value.toString(16)}`;
}
