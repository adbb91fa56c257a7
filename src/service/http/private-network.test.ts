import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ServiceError } from './failure.ts';
import { findBaseUrlFailure, parseBaseUrl } from './endpoint.ts';
import { classifyHost, isPrivateAddress } from './private-network.ts';

/**
 * Address ranges in which the user can permit unencrypted connections. Uses `BlockList` of Node.js, which shares no
 * code with the tested functions.
 */
const privateRanges = new BlockList();
for (const [address, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  privateRanges.addSubnet(address, prefix, 'ipv4');
privateRanges.addSubnet('fc00::', 7, 'ipv6');
privateRanges.addSubnet('fe80::', 10, 'ipv6');

const ipv4MetadataAddresses = [
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [169, 254, 170, 23],
  [169, 254, 0, 23],
  [169, 254, 42, 42],
] as const;
const ipv6MetadataAddresses = [
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fe80::a9fe:a9fe',
  'fd00:42::42',
] as const;
const metadataAddresses: readonly string[] = [
  ...ipv4MetadataAddresses.map((bytes) => bytes.join('.')),
  ...ipv6MetadataAddresses,
];

/** Creates a pseudo-random number generator that returns the same numbers in each run. */
function createRandom(): (limit: number) => number {
  let generatorState = 19;
  return (limit) => {
    generatorState = (generatorState * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((generatorState / 2_147_483_648) * limit);
  };
}
const random = createRandom();
const firstBytes = [10, 172, 192, 169, 127, 100, 0, 255];
const secondBytes = [0, 15, 16, 31, 32, 168, 254, 255];
const pickNumber = (values: readonly number[]): number =>
  random(2) === 0 ? (values[random(values.length)] ?? 0) : random(256);
const ipv4Samples = Array.from(
  { length: 2_000 },
  () => [pickNumber(firstBytes), pickNumber(secondBytes), random(256), random(256)] as const,
);
const ipv6Samples = Array.from({ length: 2_000 }, () => {
  const firstGroups = [
    0xfb_ff, 0xfc_00, 0xfd_ff, 0xfe_00, 0xfe_7f, 0xfe_80, 0xfe_bf, 0xfe_c0, 0x20_01, 0,
  ];
  const groups = [
    firstGroups[random(firstGroups.length)] ?? 0,
    ...Array.from({ length: 7 }, () => random(3) * random(65_536)),
  ];
  return groups.map((group) => group.toString(16)).join(':');
});

/** Lists the notations of an IPv4 address that browsers and resolvers accept. */
function listNotations([a, b, c, d]: readonly [number, number, number, number]): readonly string[] {
  const addressNumber = ((a * 256 + b) * 256 + c) * 256 + d;
  const toHex = (value: number): string => `0x${value.toString(16)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(addressNumber),
    toHex(addressNumber),
    `0${addressNumber.toString(8)}`,
    [a, b, c, d].map(toHex).join('.'),
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[0:0:0:0:0:FFFF:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
  ];
}

const isConfirmable = (host: string): boolean =>
  findBaseUrlFailure(`http://${host}:8080/v1`, new Set())?.code === 'unencrypted-address';

test('the user can confirm a private IPv4 address in any notation, unless it is the address of a cloud metadata service', () => {
  for (const sample of ipv4Samples) {
    const address = sample.join('.');
    const expected = privateRanges.check(address, 'ipv4') && !metadataAddresses.includes(address);
    for (const host of listNotations(sample))
      expect([host, isConfirmable(host)]).toEqual([host, expected]);
  }
});

test('the user can confirm an IPv6 address only if it is in fc00::/7 or link-local', () => {
  for (const address of ipv6Samples) {
    const expected = privateRanges.check(address, 'ipv6') && !metadataAddresses.includes(address);
    expect([address, isConfirmable(`[${address}]`)]).toEqual([address, expected]);
    expect([address, isPrivateAddress(`${address}%eth0`)]).toEqual([address, expected]);
  }
});

describe('the address of a cloud metadata service', () => {
  const hosts = [
    ...ipv4MetadataAddresses.flatMap(listNotations),
    ...ipv6MetadataAddresses.map((address) => `[${address}]`),
    '[FD00:0EC2:0:0::0254]',
    '[FE80:0:0::169.254.169.254]',
  ];
  test.each(hosts)(
    'is rejected in the notation %s, even if the user confirmed its origin',
    (host) => {
      const allOrigins = { has: () => true };
      for (const scheme of ['http', 'https'])
        expect(findBaseUrlFailure(`${scheme}://${host}/v1`, allOrigins)?.code).toBe(
          'invalid-address',
        );
    },
  );
});

test.each(metadataAddresses)(
  'the address %s of a cloud metadata service does not count as private, so a .local name never connects to this address',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
    expect(isPrivateAddress(`${address}%eth0`)).toBe(false);
  },
);

test.each([
  ['printer.local', 'local-name'],
  ['Server.Home.LOCAL.', 'local-name'],
  ['local', 'other'],
  ['.local', 'other'],
  ['printer.local.example', 'other'],
  ['printerlocal', 'other'],
  ['localhost', 'loopback'],
  ['[::1]', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['192.168.1.1.example', 'other'],
  ['[64:ff9b::c0a8:101]', 'other'],
  ['[::192.168.1.1]', 'other'],
  ['[2002:c0a8:101::]', 'other'],
])('classifyHost classifies the host %s as %s', (host, kind) => {
  expect(classifyHost(host)).toBe(kind);
});

test.each([
  'http://example.com/v1',
  'http://8.8.8.8/v1',
  'http://192.168.1.1@example.com/v1',
  'http://[fe80::1%25eth0]/v1',
  'http://[fe80::1%eth0]/v1',
  'http://192.168.1.256/v1',
  'http://local/v1',
])(
  'findBaseUrlFailure returns a failure for the public or invalid address %s, even if the user confirmed the address',
  (url) => {
    expect(findBaseUrlFailure(url, { has: () => true })?.code).toBe('invalid-address');
  },
);

test('the confirmation of an unencrypted address applies to one origin only, and an https address needs no confirmation', () => {
  const confirmedOrigins = new Set(['http://192.168.1.5:8080']);
  expect(parseBaseUrl('http://192.168.1.5:8080/v1/', confirmedOrigins).href).toBe(
    'http://192.168.1.5:8080/v1',
  );
  expect(parseBaseUrl('http://0xC0A80105:8080/v1', confirmedOrigins).host).toBe('192.168.1.5:8080');
  for (const otherUrl of ['http://192.168.1.5/v1', 'http://192.168.1.6:8080/v1'])
    expect(findBaseUrlFailure(otherUrl, confirmedOrigins)?.code).toBe('unencrypted-address');
  expect(findBaseUrlFailure('https://192.168.1.5:8443/v1', confirmedOrigins)).toBeUndefined();
});

test('the failure for an unconfirmed address names the host and the data that is sent unencrypted', () => {
  const parse = () => parseBaseUrl('http://gpu.local:8000/v1', new Set());
  expect(parse).toThrow(ServiceError);
  expect(parse).toThrow(/key, prompts and files travel unencrypted to gpu\.local:8000/);
});

test('parseBaseUrl without confirmed origins, as for wallet requests, accepts unencrypted addresses on this machine only', () => {
  expect(() => parseBaseUrl('http://192.168.1.5/v1')).toThrow('only for this machine');
});
