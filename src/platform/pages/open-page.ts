import * as vscode from 'vscode';
import type { Log } from '../log.ts';
import { ask } from '../notifications.ts';
import type { LoopbackPage } from './page-server.ts';
import { keepsToken, pageLink, reachOf } from './page-link.ts';

/** Why a page was not opened. */
export class PageError extends Error {
  readonly code: 'unavailable' | 'declined';

  constructor(code: PageError['code'], message: string) {
    super(message);
    this.name = 'PageError';
    this.code = code;
  }
}

/** A page that was opened in the person's browser. */
export interface OpenedPage {
  /** For another browser. It holds the token: for the clipboard only. */
  readonly link: string;
  /** Once more and in another form, because the token got lost on the way; only the first call does anything. */
  openAgain(): Promise<void>;
}

interface OpenOptions {
  readonly server: LoopbackPage;
  /** That of the server. */
  readonly id: string;
  readonly token: string;
  readonly log: Log;
}

/**
 * Opens the page where the person's browser is, through a tunnel where the editor works on another machine.
 * @throws PageError `unavailable` when others could reach it, `declined` when nobody knows and the person declines
 */
export async function openPage({ server, id, token, log }: OpenOptions): Promise<OpenedPage> {
  const local = vscode.Uri.parse(`http://127.0.0.1:${server.port}/`);
  const forwarded = await vscode.env.asExternalUri(local);
  // Unencoded: the editor would write `=` as `%3D`.
  const base = new URL(forwarded.toString(true));
  await checkReach(base, id);
  server.allowForwarded(base);
  const link = pageLink(base, token, 'fragment');
  const inPath = pageLink(base, token, 'path');
  const open = async (address: string): Promise<void> => {
    const isOpened = await vscode.env.openExternal(vscode.Uri.parse(address));
    if (!isOpened) log.info('The page was not opened; its link can be copied.');
  };
  let isAgain = false;
  // Not awaited: the editor may ask the person first.
  void open(keepsToken(vscode.Uri.parse(link).toString(), token) ? link : inPath);
  return {
    link,
    openAgain: async () => {
      if (isAgain) return;
      isAgain = true;
      await open(inPath);
    },
  };
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
  return (await ask({ question, detail }, open)) === open;
}
