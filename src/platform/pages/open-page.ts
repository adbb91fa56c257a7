import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Log } from '../log.ts';
import { confirm } from '../notifications.ts';
import {
  type LoopbackPageOptions,
  type LoopbackPageServer,
  type PageAsset,
  startLoopbackPageServer,
} from './page-server.ts';
import { createSecret, type PagePairing } from './pairing.ts';
import { serverIdHeader } from './protocol.ts';

/**
 * Error that explains why a page was not opened. `unavailable`: the page would also be accessible to other users.
 * `declined`: the user declined to open the page.
 */
export class PageError extends Error {
  readonly code: 'unavailable' | 'declined';

  constructor(code: PageError['code'], message: string) {
    super(message);
    this.name = 'PageError';
    this.code = code;
  }
}

/**
 * Page that was opened in the user's browser. Disposing it closes the page's server and all
 * connections.
 */
export interface OpenedPage extends Disposable {
  /**
   * Link to open the page in another browser. The link contains the token, so copy it only to the
   * clipboard.
   */
  readonly link: string;
}

interface OpenPageOptions {
  readonly page: Omit<LoopbackPageOptions, 'clock' | 'id'>;
  readonly pairing: PagePairing;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Serves a page and opens it in the user's browser, through a tunnel if VS Code runs on another machine. If the browser
 * drops the token at the end of the URL, opens the page again with the token in the path.
 * @throws PageError `unavailable` if the page would be accessible to other users; `declined` if the extension cannot
 * determine who can access the page and the user declines.
 */
export async function openPage({
  page,
  pairing,
  clock,
  log,
}: OpenPageOptions): Promise<OpenedPage> {
  const id = createSecret();
  const server = await startLoopbackPageServer({ ...page, clock, id });
  try {
    const link = await openServedPage({ server, id, pairing, log });
    return { link, dispose: () => server.dispose() };
  } catch (error) {
    server.dispose();
    throw error;
  }
}

interface ServedPageOptions extends Pick<OpenPageOptions, 'pairing' | 'log'> {
  readonly server: LoopbackPageServer;
  readonly id: string;
}

async function openServedPage({ server, id, pairing, log }: ServedPageOptions): Promise<string> {
  const localUri = vscode.Uri.parse(`http://127.0.0.1:${server.port}/`);
  const externalUri = await vscode.env.asExternalUri(localUri);
  // The link is passed without encoding, because VS Code would write `=` as `%3D`.
  const pageUrl = new URL(externalUri.toString(true));
  await warnOfUnsafeReach(pageUrl, id);
  server.allowForwardedUrl(pageUrl);
  const { token } = pairing;
  const link = createPageLink(pageUrl, token, 'fragment');
  const linkWithTokenInPath = createPageLink(pageUrl, token, 'path');
  const openUrl = async (url: string): Promise<void> => {
    const isOpened = await vscode.env.openExternal(vscode.Uri.parse(url));
    if (!isOpened) log.info('The page was not opened; its link can be copied.');
  };
  // This promise is not awaited, because VS Code may first prompt the user for a confirmation.
  void openUrl(
    preservesToken(vscode.Uri.parse(link).toString(), token) ? link : linkWithTokenInPath,
  );
  void pairing.tokenLoss.then(() => openUrl(linkWithTokenInPath));
  return link;
}

const assetTypes = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** Reads the bundled scripts and style sheets of a page. Returns them by file name. */
export async function readPageAssets(
  { extensionUri }: Pick<vscode.ExtensionContext, 'extensionUri'>,
  names: readonly `${string}.${keyof typeof assetTypes}`[],
): Promise<Record<string, PageAsset>> {
  const readAsset = async (name: string): Promise<[string, PageAsset]> => {
    const { fsPath } = vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name);
    const type = name.endsWith('.css') ? assetTypes.css : assetTypes.js;
    return [name, { type, bytes: await readFile(fsPath) }];
  };
  return Object.fromEntries(await Promise.all(names.map(readAsset)));
}

async function warnOfUnsafeReach(base: URL, id: string): Promise<void> {
  switch (await probeReach(base, { id, fetch: globalThis.fetch })) {
    case 'private':
      return;
    case 'public':
      throw new PageError('unavailable', getPublicPortWarning());
    case 'unencrypted':
      throw new PageError('unavailable', getUnencryptedWarning());
    case 'unknown':
      if (!(await confirmPrivatePort(base)))
        throw new PageError('declined', 'The user declined to open the page.');
  }
}

const getPublicPortWarning = (): string =>
  vscode.l10n.t(
    'Its forwarded port is public, so that anyone could open it. The Ports view can make it private.',
  );

const getUnencryptedWarning = (): string =>
  vscode.l10n.t(
    'Its address is not encrypted, so that others on the way could change it. Open the editor over HTTPS.',
  );

/**
 * Prompts the user to confirm that the forwarded port is private, because no API of VS Code returns this information.
 * Returns false if the user declines.
 */
async function confirmPrivatePort({ host }: URL): Promise<boolean> {
  const openLabel = vscode.l10n.t('Open');
  const question = vscode.l10n.t('Is the forwarded port at {0} private?', host);
  const detail = vscode.l10n.t(
    'The editor could not find out whether others can open the page there. Open it only when the Ports view shows the port as private.',
  );
  return (await confirm({ question, detail }, openLabel)) === openLabel;
}

/**
 * Returns the link that opens a page, and adds the token to the link as its fragment or at the end of its path. The
 * fragment is the better location, because requests, `Referer` headers and logs do not contain it. The path is for
 * systems that drop fragments.
 * @param pageUrl URL of the page without a token, as the browser reaches it.
 */
export function createPageLink(pageUrl: URL, token: string, location: 'fragment' | 'path'): string {
  const link = new URL(pageUrl);
  if (!link.pathname.endsWith('/')) link.pathname += '/';
  if (location === 'fragment') link.hash = token;
  else link.pathname += token;
  return link.href;
}

/** Checks whether VS Code's encoding of a link preserves the token in the fragment. */
export const preservesToken = (encodedLink: string, token: string): boolean =>
  new RegExp(`#${token}$`, 'u').test(encodedLink);

/**
 * Clients that can access a page. `private`: only the user. `public`: everyone. `unencrypted`: everyone who can read or
 * change the network traffic. `unknown`: the request of {@link probeReach} failed, or its response permits no
 * conclusion.
 */
export type PageReach = 'private' | 'public' | 'unencrypted' | 'unknown';

interface ReachOptions {
  /** Id that the server sends in {@link serverIdHeader}. */
  readonly id: string;
  readonly fetch: typeof globalThis.fetch;
}

const probeTimeoutMs = 5_000;

/**
 * Requests the page without credentials to determine whether everyone can access the page through the tunnel at
 * `pageUrl`.
 */
export async function probeReach(pageUrl: URL, { id, fetch }: ReachOptions): Promise<PageReach> {
  if (isLoopback(pageUrl)) return 'private';
  if (pageUrl.protocol !== 'https:') return 'unencrypted';
  try {
    const response = await fetch(pageUrl, {
      credentials: 'omit',
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    await response.body?.cancel();
    if (response.headers.get(serverIdHeader) === id) return 'public';
    return isSignInResponse(response) ? 'private' : 'unknown';
  } catch {
    // A failed request does not prove that the tunnel is private for other machines.
    return 'unknown';
  }
}

/** Checks whether a response has a status or a redirect by which tunnels reject unauthenticated requests. */
const isSignInResponse = ({ status, redirected }: Response): boolean =>
  status === 401 || status === 403 || (status === 200 && redirected);

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/u.test(hostname);

interface ServedPage {
  readonly title: string;
  /** Language of the page as a BCP 47 tag, such as `de`. */
  readonly language: string;
  /** Name of the page's module and style sheet in the bundle, without extension. */
  readonly name: string;
  /** UI texts for the page's script. The HTML contains these texts as JSON. */
  readonly texts: object;
}

/**
 * Returns the HTML of a page. The HTML contains only the title and the UI texts, and loads only the page's own script
 * and style sheet.
 */
export const renderPageHtml = ({ title, language, name, texts }: ServedPage): string =>
  `<!DOCTYPE html>
<html lang="${escapeHtml(language)}" dir="${getTextDirection(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${name}.css">
<title>${escapeHtml(title)}</title>
</head>
<body>
<div id="app" data-translations="${escapeHtml(JSON.stringify(texts))}"></div>
<script type="module" src="${name}.js"></script>
</body>
</html>`;

const rightToLeftLanguages = new Set(['ar', 'fa', 'he', 'ur']);

const getTextDirection = (language: string): string =>
  rightToLeftLanguages.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
