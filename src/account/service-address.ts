import { classifyHost } from '../service/http/private-network.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

/** Base URLs that the address in the connect form may mean. */
export interface AddressCandidates {
  /**
   * Base URLs that complete the typed address, best first. They have the typed origin, so requests to them need no
   * further consent of the user.
   */
  readonly completions: readonly string[];
  /**
   * Corrected base URLs, which differ from the typed address. The extension uses one only after the user accepts it.
   */
  readonly fixes: readonly string[];
}

/**
 * Result of a request for the model list without a key: the server listed its models, rejected the missing key, or
 * failed.
 */
export type ProbeResult = 'models' | 'locked' | ServiceFailure;

/**
 * Paths that base URLs can have: the first at a deployment of the service, the second at any other server with an
 * OpenAI-style API.
 */
const basePaths = ['/api/v1', '/v1'] as const;
/**
 * Matches the path of an API endpoint, such as `/models`, at the end of a copied address. Base URLs do not contain
 * this path.
 */
const copiedRoutePattern =
  /\/(?:chat\/completions|completions|responses|embeddings|models|images\/generations|image\/generate)$/iu;

/**
 * Lists the base URLs that a typed address may mean. Completes a missing scheme (`http://` for this machine, otherwise
 * `https://`) and a missing path (`/api/v1` or `/v1`). Lists an unusable address unchanged, so that
 * `findBaseUrlFailure` reports its problem. For an address with a query or an endpoint path, lists only fixes.
 */
export function listAddressCandidates(text: string): AddressCandidates {
  const trimmedText = text.trim();
  const typedAddress =
    trimmedText === '' || hasScheme(trimmedText) ? trimmedText : addScheme(trimmedText);
  const isUsable =
    /^https?:\/\/[^/?#@\\\s]+(?:[/?#]|$)/iu.test(typedAddress) && URL.canParse(typedAddress);
  if (!isUsable) return { completions: [typedAddress], fixes: [] };
  const url = new URL(typedAddress);
  const path = url.pathname.replace(/\/+$/u, '');
  const hasExtraParts = /[?#]/u.test(typedAddress) || copiedRoutePattern.test(path);
  const typedPaths = listCandidatePaths(path.replace(copiedRoutePattern, ''));
  const otherPaths = basePaths.filter((basePath) => !typedPaths.includes(basePath));
  const completions = typedPaths.map((typedPath) => url.origin + typedPath);
  const otherOrigin = getAlternativeOrigin(url);
  const addressesAtOtherOrigin =
    otherOrigin === undefined ? [] : typedPaths.map((typedPath) => otherOrigin + typedPath);
  if (isPublicUnencryptedUrl(url))
    return { completions: [typedAddress], fixes: addressesAtOtherOrigin };
  const fixes = [
    ...otherPaths.map((otherPath) => url.origin + otherPath),
    ...addressesAtOtherOrigin,
  ];
  return hasExtraParts
    ? { completions: [], fixes: [...completions, ...fixes] }
    : { completions, fixes };
}

const hasScheme = (text: string): boolean => /^[a-z][\w+.-]*:\/\//iu.test(text);

function addScheme(text: string): string {
  const secureUrl = `https://${text}`;
  const isThisMachine =
    URL.canParse(secureUrl) && classifyHost(new URL(secureUrl).hostname) === 'loopback';
  return isThisMachine ? `http://${text}` : secureUrl;
}

/** Returns the base URL paths that the user may have meant by the typed path, best first. */
function listCandidatePaths(path: string): readonly string[] {
  if (path === '') return [...basePaths, ''];
  return /\/v\d+\w*$/iu.test(path) ? [path] : [path, `${path}/v1`];
}

const isPublicUnencryptedUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && classifyHost(hostname) === 'other';

/**
 * Returns the origin of the URL with the other scheme: `https:` for a public `http:` address, `http:` for an `https:`
 * address on this machine or in the local network. Returns `undefined` for any other address.
 */
function getAlternativeOrigin(url: URL): string | undefined {
  if (isPublicUnencryptedUrl(url)) return `https://${url.host}`;
  const kind = classifyHost(url.hostname);
  return url.protocol === 'https:' && kind !== 'other' && kind !== 'metadata'
    ? `http://${url.host}`
    : undefined;
}

/** Outcome of requests to several base URLs. */
export interface ProbeOutcome {
  /**
   * Services that were found, with their base URLs. Services that listed their models come before services that require
   * a key (`isLocked`).
   */
  readonly foundServices: readonly { readonly address: string; readonly isLocked: boolean }[];
  /** Failure that best explains why no service was found. */
  readonly failure?: ServiceFailure;
}

/** Requests the model list from all addresses in parallel. */
export async function probeAddresses(
  addresses: readonly string[],
  probe: (address: string) => Promise<ProbeResult>,
): Promise<ProbeOutcome> {
  const results = await Promise.all(
    addresses.map(async (address) => ({ address, result: await probe(address) })),
  );
  const findServices = (expected: ProbeResult): ProbeOutcome['foundServices'] =>
    results
      .filter(({ result }) => result === expected)
      .map(({ address }) => ({ address, isLocked: expected === 'locked' }));
  const foundServices = [...findServices('models'), ...findServices('locked')];
  if (foundServices.length > 0) return { foundServices };
  const failures = results.flatMap(({ result }) => (typeof result === 'string' ? [] : [result]));
  // A path that does not exist explains less than any other failure.
  const failure = failures.find(({ code }) => !wrongPathCodes.has(code)) ?? failures[0];
  return failure === undefined ? { foundServices } : { foundServices, failure };
}

/** Failure codes that indicate a wrong path: a server answered at the address, but not as a model service does. */
export const wrongPathCodes: ReadonlySet<string> = new Set([
  'not-found',
  'unexpected-response',
  'invalid-request',
]);
