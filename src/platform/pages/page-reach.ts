/** The header of every answer of the page's server; its value is random, so that only that server can give it. */
export const serverIdHeader = 'x-server-id';

/** Who can reach a page: only the person, everybody, or whoever is on the way; `unknown` when that cannot be told. */
export type Reach = 'private' | 'public' | 'unencrypted' | 'unknown';

interface ReachOptions {
  /** Of the server, as in {@link serverIdHeader}. */
  readonly id: string;
  readonly fetch: typeof globalThis.fetch;
}

const probeMs = 5_000;

/** Asks for the page as somebody who is not signed in to the tunnel at `base`. */
export async function reachOf(base: URL, { id, fetch }: ReachOptions): Promise<Reach> {
  if (isLoopback(base)) return 'private';
  if (base.protocol !== 'https:') return 'unencrypted';
  try {
    const reply = await fetch(base, {
      credentials: 'omit',
      signal: AbortSignal.timeout(probeMs),
    });
    await reply.body?.cancel();
    if (reply.headers.get(serverIdHeader) === id) return 'public';
    return isSignIn(reply) ? 'private' : 'unknown';
  } catch {
    // It may be reached from elsewhere.
    return 'unknown';
  }
}

/** Tunnels refuse who is not signed in, or lead them to where they can do so. */
const isSignIn = ({ status, redirected }: Response): boolean =>
  status === 401 || status === 403 || (status === 200 && redirected);

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/u.test(hostname);
