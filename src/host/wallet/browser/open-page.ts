import * as vscode from 'vscode';
import { WalletError } from '../../../wallet/wallet-failure.ts';
import type { Log } from '../../log.ts';
import { type LoopbackPage, pagePolicy } from './loopback-server.ts';
import { keepsToken, pageLink } from './page-link.ts';

/** A page that was opened in the person's browser. */
export interface OpenedPage {
  /** For another browser. It holds the token: for the clipboard only. */
  readonly link: string;
  /** Once more and in another form, because the token got lost on the way; only the first call does anything. */
  openAgain(): Promise<void>;
}

interface OpenOptions {
  readonly server: LoopbackPage;
  readonly token: string;
  readonly log: Log;
}

/**
 * Opens the page where the person's browser is, through a tunnel where the editor works on another machine.
 * @throws WalletError `page-unavailable` when everyone could reach it
 */
export async function openPage({ server, token, log }: OpenOptions): Promise<OpenedPage> {
  const local = vscode.Uri.parse(`http://127.0.0.1:${server.port}/`);
  const forwarded = await vscode.env.asExternalUri(local);
  // Unencoded: the editor would write `=` as `%3D`.
  const base = new URL(forwarded.toString(true));
  server.allowForwarded(base);
  if (await isPublic(base)) throw new WalletError('page-unavailable', publicPort);
  const link = pageLink(base, token, 'fragment');
  const inPath = pageLink(base, token, 'path');
  const open = async (address: string): Promise<void> => {
    const isOpened = await vscode.env.openExternal(vscode.Uri.parse(address));
    if (!isOpened) log.info('The page of the wallet was not opened; its link can be copied.');
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

const publicPort =
  'Its forwarded port is public, so that anyone could open it. The Ports view can make it private.';

const probeMs = 5_000;

/** Whether somebody who is not signed in to the tunnel gets our page. */
async function isPublic(base: URL): Promise<boolean> {
  if (base.protocol !== 'https:') return false;
  try {
    const reply = await fetch(base, { redirect: 'manual', signal: AbortSignal.timeout(probeMs) });
    await reply.body?.cancel();
    return reply.status === 200 && reply.headers.get('content-security-policy') === pagePolicy;
  } catch {
    // From here the tunnel cannot be reached at all.
    return false;
  }
}
