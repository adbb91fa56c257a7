import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { dictationCalls } from '../dictation-protocol.ts';
import type { Host } from '../../host.ts';
import {
  type LoopbackPage,
  type PageAsset,
  startLoopbackPage,
} from '../../platform/pages/page-server.ts';
import { type OpenedPage, openPage } from '../../platform/pages/open-page.ts';
import { servedPage } from '../../platform/pages/page-link.ts';
import { DictationSession } from './dictation-session.ts';
import { dictationWords } from './dictation-words.ts';

const farewellMs = 250;

/** A page in the person's browser that records, until it is disposed. */
export interface RecordingPage {
  readonly session: DictationSession;
  dispose(): void;
}

/**
 * Opens the page. Whatever it serves and hears is bound to this one recording.
 * @throws PageError
 */
export async function openRecordingPage(host: Host): Promise<RecordingPage> {
  const secret = (): string => randomBytes(32).toString('base64url');
  let opened: OpenedPage | undefined;
  const onLost = (): void => void opened?.openAgain();
  const session = new DictationSession({ clock: systemClock, secret, onLost });
  const id = secret();
  const server = await serve(host, session, id);
  const dispose = (): void => {
    session.dispose();
    // How it ended is on its way to the page: that has to leave the machine first.
    setTimeout(() => server.dispose(), farewellMs).unref();
  };
  try {
    opened = await openPage({ server, id, token: session.token, log: host.log });
    return { session, dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** The server of the page; exported for tests. */
export async function serve(
  { context }: Pick<Host, 'context'>,
  session: DictationSession,
  id: string,
): Promise<LoopbackPage> {
  const words = dictationWords();
  const { language } = vscode.env;
  return startLoopbackPage({
    html: servedPage({ title: words.title, language, name: 'dictation', words }),
    assets: await assetsOf(context),
    calls: dictationCalls,
    answer: (call) => session.answer(call),
    permissions: 'camera=(), microphone=(self), geolocation=()',
    clock: systemClock,
    id,
  });
}

const types = {
  'dictation.js': 'text/javascript; charset=utf-8',
  'recorder.js': 'text/javascript; charset=utf-8',
  'dictation.css': 'text/css; charset=utf-8',
} as const;

async function assetsOf({
  extensionUri,
}: Pick<vscode.ExtensionContext, 'extensionUri'>): Promise<Record<string, PageAsset>> {
  const entries = await Promise.all(
    Object.entries(types).map(async ([name, type]) => {
      const { fsPath } = vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name);
      return [name, { type, bytes: await readFile(fsPath) }] as const;
    }),
  );
  return Object.fromEntries(entries);
}
