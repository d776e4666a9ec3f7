import type { Fields, HostileCase, Scene } from '../hostile-case.ts';

/** Each spelling of an address is refused before any page is opened. */
function refused(
  id: string,
  title: string,
  hosts: readonly string[] | ((scene: Scene) => readonly string[]),
  isCore = false,
): HostileCase {
  return {
    id,
    title,
    isCore,
    requests: (scene) => (typeof hosts === 'function' ? hosts(scene) : hosts).map((host) => at(host, scene)),
    outcomes: ['400 DestinationNotAllowedError'],
    verify: ({ queries, requested }) => {
      if (queries.length > 0) throw new Error(`DNS was queried: ${queries.join()}`);
      if (requested.length > 0) throw new Error(`a site was requested: ${requested.join()}`);
    },
  };
}

function at(host: string, { port }: Scene): Fields {
  return { url: `http://${host}:${port}/` };
}

export const ADDRESS_CASES: readonly HostileCase[] = [
  refused('S01', 'loopback', ['127.0.0.1', '127.0.0.53', '127.255.255.254'], true),
  refused('S02', 'localhost', ['localhost', 'LOCALHOST', 'localhost.'], true),
  refused('S03', 'names below localhost', ['foo.localhost', 'a.b.localhost.']),
  refused('S04', 'loopback in IPv6', ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]'], true),
  refused('S05', 'the unspecified address', ['0', '0.0.0.0', '[::]', '[::0]']),
  refused('S06', 'shortened IPv4 forms', ['127.1', '127.0.1', '10.1']),
  refused('S07', 'octal and hexadecimal IPv4', ['0177.0.0.1', '0x7f.0.0.1', '0X7F.0x0.00.1', '0x7f000001'], true),
  refused('S08', 'IPv4 as one number', ['2130706433', '0x7f000001', '017700000001', '2852039166']),
  refused('S09', 'full-width digits and other Unicode dots', [
    '①②⑦.0.0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
  ]),
  refused('S10', 'a trailing dot', ['127.0.0.1.', '169.254.169.254.', '0x7f.1.']),
  refused('S12', 'IPv4 mapped into IPv6', ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:0A00:1]'], true),
  refused('S13', 'the metadata address, mapped into IPv6', ['[::ffff:a9fe:a9fe]', '[0:0:0:0:0:ffff:169.254.169.254]']),
  refused('S14', 'IPv4-compatible and IPv4-translated IPv6', ['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]']),
  refused('S15', 'NAT64', ['[64:ff9b::7f00:1]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::a00:1]']),
  refused('S16', '6to4', ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '192.88.99.1']),
  refused('S17', 'Teredo', ['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001::1]']),
  refused('S18', 'ISATAP', ['[2a00:1450::5efe:10.0.0.1]', '[2a00:1450::200:5efe:7f00:1]']),
  refused('S19', 'link-local IPv6', ['[fe80::1]', '[febf::1]'], true),
  {
    id: 'S20',
    title: 'zone identifiers',
    requests: (scene) => ['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]'].map((host) => at(host, scene)),
    outcomes: ['400 ValidationError'],
  },
  refused('S21', 'site-local, multicast, unique local', ['[fec0::1]', '[ff02::1]', '[fd00:ec2::254]', '[fc00::1]']),
  refused('S22', 'private networks, including their first and last address', [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
  ]),
  refused('S23', 'metadata services', ['169.254.169.254', '169.254.170.2', '169.254.170.23'], true),
  refused('S24', 'carrier-grade NAT', ['100.64.0.1', '100.100.100.200', '100.127.255.255']),
  refused('S25', 'protocol assignments', ['192.0.0.192', '192.0.0.8']),
  refused('S26', "Azure's WireServer, which has a public address", ['168.63.129.16'], true),
  refused('S27', 'reserved, documentation, benchmark, multicast and broadcast addresses', [
    '198.18.0.1',
    '198.19.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '[2001:db8::1]',
    '[100::1]',
  ]),
  refused('S29', 'addresses of the machine itself', (scene) => ['127.0.0.1', ...scene.ownHosts], true),
  {
    id: 'S29a',
    title: 'the service itself, by each of its addresses',
    requests: ({ service, ownHosts }) =>
      ['127.0.0.1', '127.0.0.2', '0.0.0.0', '[::ffff:127.0.0.2]', ...ownHosts].map((host) => ({
        url: `http://${host}:${new URL(service).port}/capture?html_content=x`,
      })),
    outcomes: ['400 DestinationNotAllowedError'],
  },
  refused('S30', 'user names before the host', ['user@127.0.0.1', 'site.example.net@127.0.0.1', 'a:b@[::1]'], true),
];
