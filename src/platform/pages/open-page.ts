import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Log } from '../log.ts';
import { confirm } from '../notifications.ts';
import {
  type LoopbackOptions,
  type LoopbackPage,
  type PageAsset,
  startLoopbackPage,
} from './page-server.ts';
import { newSecret, type PagePairing } from './pairing.ts';
import { serverIdHeader } from './protocol.ts';

/** Why a page was not opened. */
export class PageError extends Error {
  readonly code: 'unavailable' | 'declined';

  constructor(code: PageError['code'], message: string) {
    super(message);
    this.name = 'PageError';
    this.code = code;
  }
}

/** A page that is served, and was opened in the user's browser. Disposing it ends its server and all connections. */
export interface OpenedPage extends Disposable {
  /** For another browser. It holds the token: for the clipboard only. */
  readonly link: string;
}

interface OpenOptions {
  readonly page: Omit<LoopbackOptions, 'clock' | 'id'>;
  readonly pairing: PagePairing;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Serves a page and opens it where the user's browser is, through a tunnel where the editor works on another machine. Opens
 * it a second time, in another form, when the token got lost on the way.
 * @throws PageError `unavailable` when others could reach it, `declined` when nobody knows and the user declines
 */
export async function openPage({ page, pairing, clock, log }: OpenOptions): Promise<OpenedPage> {
  const id = newSecret();
  const server = await startLoopbackPage({ ...page, clock, id });
  try {
    const link = await openServed({ server, id, pairing, log });
    return { link, dispose: () => server.dispose() };
  } catch (error) {
    server.dispose();
    throw error;
  }
}

interface Served extends Pick<OpenOptions, 'pairing' | 'log'> {
  readonly server: LoopbackPage;
  readonly id: string;
}

async function openServed({ server, id, pairing, log }: Served): Promise<string> {
  const local = vscode.Uri.parse(`http://127.0.0.1:${server.port}/`);
  const forwarded = await vscode.env.asExternalUri(local);
  // Unencoded: the editor would write `=` as `%3D`.
  const base = new URL(forwarded.toString(true));
  await checkReach(base, id);
  server.allowForwarded(base);
  const { token } = pairing;
  const link = pageLink(base, token, 'fragment');
  const inPath = pageLink(base, token, 'path');
  const open = async (address: string): Promise<void> => {
    const isOpened = await vscode.env.openExternal(vscode.Uri.parse(address));
    if (!isOpened) log.info('The page was not opened; its link can be copied.');
  };
  // Not awaited: the editor may ask the person first.
  void open(keepsToken(vscode.Uri.parse(link).toString(), token) ? link : inPath);
  void pairing.lost.then(() => open(inPath));
  return link;
}

const assetTypes = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** Reads built scripts and style sheets of a page, by their names. */
export async function readPageAssets(
  { extensionUri }: Pick<vscode.ExtensionContext, 'extensionUri'>,
  names: readonly `${string}.${keyof typeof assetTypes}`[],
): Promise<Record<string, PageAsset>> {
  const read = async (name: string): Promise<[string, PageAsset]> => {
    const { fsPath } = vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name);
    const type = name.endsWith('.css') ? assetTypes.css : assetTypes.js;
    return [name, { type, bytes: await readFile(fsPath) }];
  };
  return Object.fromEntries(await Promise.all(names.map(read)));
}

async function checkReach(base: URL, id: string): Promise<void> {
  switch (await reachOf(base, { id, fetch: globalThis.fetch })) {
    case 'private':
      return;
    case 'public':
      throw new PageError('unavailable', publicPort());
    case 'unencrypted':
      throw new PageError('unavailable', unencrypted());
    case 'unknown':
      if (!(await isKnownPrivate(base)))
        throw new PageError('declined', 'The person did not want the page opened.');
  }
}

const publicPort = (): string =>
  vscode.l10n.t(
    'Its forwarded port is public, so that anyone could open it. The Ports view can make it private.',
  );

const unencrypted = (): string =>
  vscode.l10n.t(
    'Its address is not encrypted, so that others on the way could change it. Open the editor over HTTPS.',
  );

/** Only the person can know. */
async function isKnownPrivate({ host }: URL): Promise<boolean> {
  const open = vscode.l10n.t('Open page');
  const question = vscode.l10n.t('Is the forwarded port at {0} private?', host);
  const detail = vscode.l10n.t(
    'The editor could not find out whether others can open the page there. Open it only when the Ports view shows the port as private.',
  );
  return (await confirm({ question, detail }, open)) === open;
}

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
