/**
 * Kind of a host name, which decides whether an unencrypted connection is permitted. `private`: an address of RFC 1918,
 * a link-local address or an address in fc00::/7. `local-name`: a name that ends in `.local`. `metadata`: an address
 * from which a cloud machine can read its credentials.
 */
export type HostKind = 'loopback' | 'private' | 'local-name' | 'metadata' | 'other';

/**
 * Returns the kind of the host name in `URL.hostname`. The URL parser has already normalized decimal, octal and
 * hexadecimal notations of IPv4 addresses.
 */
export function classifyHost(hostname: string): HostKind {
  const host = hostname.replace(/^\[(.*)\]$/u, '$1').toLowerCase();
  const address = parseAddress(host);
  if (address !== undefined) return getAddressKind(address);
  if (host === 'localhost') return 'loopback';
  return /^[^.]+(?:\.[^.]+)*\.local\.?$/u.test(host) ? 'local-name' : 'other';
}

/** Checks whether a resolved address is private. An IPv6 address may have a zone such as `%eth0`. */
export const isPrivateAddress = (address: string): boolean => {
  const parsedAddress = parseAddress(address.replace(/%.*$/u, '').toLowerCase());
  return parsedAddress !== undefined && getAddressKind(parsedAddress) === 'private';
};

/**
 * Checks whether a URL is unencrypted and in the local network. Such a URL may be used only after the user has
 * confirmed its origin.
 */
export const isUnencryptedPrivateUrl = ({ protocol, hostname }: URL): boolean => {
  const kind = classifyHost(hostname);
  return protocol === 'http:' && (kind === 'private' || kind === 'local-name');
};

/** Bytes of an IPv4 address, or 16-bit groups of an IPv6 address. */
type IpAddress =
  | { readonly version: 4; readonly bytes: readonly number[] }
  | { readonly version: 6; readonly groups: readonly number[] };

function parseAddress(host: string): IpAddress | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(host)) {
    const bytes = host.split('.').map(Number);
    return bytes.every((byte) => byte < 256) ? { version: 4, bytes } : undefined;
  }
  if (!host.includes(':') || !URL.canParse(`http://[${host}]`)) return undefined;
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const [firstGroups, lastGroups] = [toGroups(head), toGroups(tail ?? '')];
  const zeros = Array.from({ length: 8 - firstGroups.length - lastGroups.length }, () => 0);
  return toAddress([...firstGroups, ...zeros, ...lastGroups]);
}

const toGroups = (text: string): readonly number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

/**
 * Converts the 16-bit groups of an IPv6 address to an address. Converts an IPv4-mapped address (::ffff:0:0/96) to the
 * IPv4 address that it contains.
 */
function toAddress(groups: readonly number[]): IpAddress {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xff_ff;
  if (!isMapped) return { version: 6, groups };
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
  return { version: 4, bytes };
}

const getAddressKind = (address: IpAddress): HostKind =>
  address.version === 4 ? getIpv4Kind(address.bytes) : getIpv6Kind(address.groups);

const ipv4MetadataAddresses: ReadonlySet<string> = new Set([
  // AWS, Azure, Google and others
  '169.254.169.254',
  // AWS containers
  '169.254.170.2',
  '169.254.170.23',
  // Tencent Cloud
  '169.254.0.23',
  // Scaleway
  '169.254.42.42',
]);

function getIpv4Kind(bytes: readonly number[]): HostKind {
  const [a = 0, b = 0] = bytes;
  if (ipv4MetadataAddresses.has(bytes.join('.'))) return 'metadata';
  if (a === 127) return 'loopback';
  const isPrivate = a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168);
  return isPrivate || (a === 169 && b === 254) ? 'private' : 'other';
}

const ipv6MetadataAddresses: ReadonlySet<string> = new Set([
  // AWS, and its containers
  'fd00:ec2:0:0:0:0:0:254',
  'fd00:ec2:0:0:0:0:0:23',
  // Google
  'fd20:ce:0:0:0:0:0:254',
  // Oracle
  'fd00:c1:0:0:0:0:a9fe:a9fe',
  // OpenStack
  'fe80:0:0:0:0:0:a9fe:a9fe',
  // Scaleway
  'fd00:42:0:0:0:0:0:42',
]);

function getIpv6Kind(groups: readonly number[]): HostKind {
  const [firstGroup = 0] = groups;
  const text = groups.map((group) => group.toString(16)).join(':');
  if (ipv6MetadataAddresses.has(text)) return 'metadata';
  if (text === '0:0:0:0:0:0:0:1') return 'loopback';
  const isPrivate = (firstGroup & 0xfe_00) === 0xfc_00 || (firstGroup & 0xff_c0) === 0xfe_80;
  return isPrivate ? 'private' : 'other';
}
