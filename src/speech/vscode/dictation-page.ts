import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Host } from '../../host.ts';
import { type OpenedPage, openPage } from '../../platform/pages/open-page.ts';
import { servedPage } from '../../platform/pages/page-link.ts';
import {
  type LoopbackPage,
  type PageAsset,
  startLoopbackPage,
} from '../../platform/pages/page-server.ts';
import { dictationCalls, type DictationWords } from '../dictation-protocol.ts';
import { DictationSession } from './dictation-session.ts';

/** What the page that records says, in the editor's language. */
export const dictationWords = (): DictationWords => ({
  title: vscode.l10n.t('Dictate — Inference Service'),
  explanation: vscode.l10n.t(
    'What you say here goes to your editor, which asks the service to write it down. It is written into the chat; you send it yourself.',
  ),
  start: vscode.l10n.t('Start recording'),
  stop: vscode.l10n.t('Stop and write down'),
  cancel: vscode.l10n.t('Cancel'),
  level: vscode.l10n.t('How loud it is'),
  recording: vscode.l10n.t('Recording'),
  working: vscode.l10n.t('Writing down what you said'),
  done: vscode.l10n.t('Done. You can close this tab.'),
  denied: vscode.l10n.t(
    'The browser does not let this page use the microphone. Allow it beside the address, then start again.',
  ),
  noMicrophone: vscode.l10n.t('No microphone was found. Connect one, then start again.'),
  gone: vscode.l10n.t('The editor does not answer any more. You can close this tab.'),
});

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
