/**
 * Checks whether a URL can be public: `http:` or `https:`, no credentials, and no host name or IP address of a private
 * network. Does not resolve the host name. The service, which fetches the page, must check the resolved IP address.
 */
export function isPublicUrl(href: string): boolean {
  if (!URL.canParse(href)) return false;
  const { protocol, hostname, username, password } = new URL(href);
  const isWebProtocol = protocol === 'https:' || protocol === 'http:';
  if (!isWebProtocol || username !== '' || password !== '') return false;
  const host = hostname.toLowerCase().replace(/\.$/u, '');
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  // The URL parser converts every notation of an IPv4 address to this notation.
  if (/^\d+(?:\.\d+){3}$/u.test(host)) return isPublicIpv4(host.split('.').map(Number));
  return host.includes('.') && !privateNamesPattern.test(host);
}

const privateNamesPattern =
  /\.(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/u;

function isPublicIpv4([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b < 128) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b < 32) return false;
  return (
    !(a === 192 && b === 168) && !(a === 192 && b === 0) && !(a === 198 && (b === 18 || b === 19))
  );
}

/** Checks for an IPv6 address in 2000::/3 that is assigned and does not embed an IPv4 address. */
const isPublicIpv6 = (host: string): boolean =>
  /^[23][\da-f]{3}:/u.test(host) && !/^(?:2002:|2001:0?:|2001:db8:)/u.test(host);
