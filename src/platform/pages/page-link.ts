import { serverIdHeader } from './protocol.ts';

/**
 * Where the page is opened, with the token. In the fragment it is in no request, no `Referer` and no log; where the
 * editor or the system loses fragments, it is the last part of the path.
 * @param base The page without a token, as the browser reaches it.
 */
export function pageLink(base: URL, token: string, place: 'fragment' | 'path'): string {
  const link = new URL(base);
  if (!link.pathname.endsWith('/')) link.pathname += '/';
  if (place === 'fragment') link.hash = token;
  else link.pathname += token;
  return link.href;
}

/** Whether the editor, which writes addresses in its own way, leaves the token as it is. */
export const keepsToken = (written: string, token: string): boolean =>
  new RegExp(`#${token}$`, 'u').test(written);

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

interface ServedPage {
  readonly title: string;
  /** A BCP 47 tag. */
  readonly language: string;
  /** Of its module and its style sheet, without an ending. */
  readonly name: string;
  /** Whatever its script needs to say. */
  readonly words: object;
}

/** A page as it is served: nothing of what it is for is in it, and nothing runs but its own script. */
export const servedPage = ({ title, language, name, words }: ServedPage): string =>
  `<!DOCTYPE html>
<html lang="${escaped(language)}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${name}.css">
<title>${escaped(title)}</title>
</head>
<body>
<div id="app" data-words="${escaped(JSON.stringify(words))}"></div>
<script type="module" src="${name}.js"></script>
</body>
</html>`;

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

const directionOf = (language: string): string =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
