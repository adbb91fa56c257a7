import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { hearing, launchBrowser } from '../support/browser.ts';
import { type RunningService, runService, signedIn } from '../support/local-service.ts';
import { root } from '../support/paths.ts';
import { endTreesOnSignals } from '../support/process.ts';
import { copySampleWorkspace } from '../support/sample.ts';
import { timeLimits } from '../support/time-limits.ts';
import {
  type ExtensionUnderTest,
  startServer,
  type VsCodeServer,
} from '../support/vscode/server.ts';
import { screenshot } from './appearance.ts';
import { ChatView } from './pages/chat-view.ts';
import { eventually } from '../support/eventually.ts';
import { hasFocus } from './pages/typing.ts';
import { Workbench } from './pages/workbench.ts';
import { recordWebviewMessages } from './webview-messages.ts';

export interface SessionOptions {
  /** Names the logs and pictures. */
  readonly name: string;
  /** Added to the sample workspace before the window opens: it may not yet watch the folder right after. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** In place of the sample workspace: the URI of another folder, or `nothing`. */
  readonly opens?: string;
  /** Gives the local service a chain for wallets, and the window its settings. */
  readonly chain?: boolean;
  /** Folders of other extensions that are installed beside ours. */
  readonly companions?: readonly string[];
  /** Added to what signs in to the local service; `undefined` takes a setting away. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Of the editor, as VS Code names it; English without it. Its own words stay English: it has no pack of others. */
  readonly language?: string;
  /** Added to what signs in to the local service; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A WAV file that pages hear, once, from when they listen; without it there is no microphone. */
  readonly microphone?: string;
}

/** A window of VS Code on a copy of the sample workspace, signed in to a local service of its own. */
export interface Session extends AsyncDisposable {
  readonly page: Page;
  readonly workbench: Workbench;
  /** The chat in the side bar. */
  readonly chat: ChatView;
  readonly service: RunningService;
  readonly server: VsCodeServer;
  /** The opened folder. */
  readonly folder: string;
  /** All that the console of the page and its webviews said, one entry per message. */
  readonly consoleLines: readonly string[];
  /** All that went into and out of webviews, as JSON. */
  readonly webviewMessages: readonly string[];
  /** An empty chat, drawn, with the focus in its composer. */
  newChat(): Promise<void>;
  /** Reloads the window, as a person does after a crash, and waits until it takes commands again. */
  reload(): Promise<void>;
  /** Changes user settings on top of those of the start; the window takes them at its next reload. */
  writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
}

endTreesOnSignals();

/** Opens the window; everything is gone after disposal. */
export async function openSession(options: SessionOptions): Promise<Session> {
  await using stack = new AsyncDisposableStack();
  const { chain = false } = options;
  const service = stack.use(await runService(options.name, { chain }));
  const sample = stack.use(await copySampleWorkspace());
  for (const [name, content] of Object.entries(options.files ?? {}))
    await writeWithFolders(join(sample.folder, name), content);
  const account = signedIn(service);
  const settings = {
    ...account.settings,
    'workbench.colorTheme': 'Default Dark Modern',
    // The theme of a picture is set there.
    'files.exclude': { '**/.vscode': true },
    ...options.settings,
  };
  const env = { ...account.env, ...options.env };
  const server = stack.use(
    await startServer({
      name: options.name,
      extension: extensionUnderTest(),
      companions: options.companions ?? [],
      settings,
      env,
    }),
  );
  const browser = stack.use(
    await launchBrowser(options.microphone === undefined ? [] : hearing(options.microphone)),
  );
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(timeLimits.condition);
  if (options.language !== undefined) await speak(page, options.language);
  const consoleLines = recordConsole(page, server.logFile);
  const webviewMessages = await recordWebviewMessages(page);
  const { opens = sample.folder } = options;
  await page.goto(server.url({ folder: opens === 'nothing' ? undefined : opens }));
  const workbench = new Workbench(page, { hasFolder: opens !== 'nothing' });
  await workbench.ready();
  const chat = new ChatView(workbench.webview('view'));
  const owned = stack.move();
  return {
    page,
    workbench,
    chat,
    service,
    server,
    folder: sample.folder,
    consoleLines,
    webviewMessages,
    newChat: async () => {
      const before = webviewMessages.length;
      await workbench.runCommand('Inference Service: New Chat');
      await eventually(async () => {
        if (!webviewMessages.slice(before).some(asksForFocus))
          throw new Error('No new chat was shown.');
      });
      await chat.painted();
      await hasFocus(chat.message);
    },
    reload: async () => {
      await page.reload();
      await workbench.ready();
    },
    writeSettings: (changed) => server.writeSettings({ ...settings, ...changed }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the file of a language pack tells the workbench, which passes it on to the extensions. */
async function speak(page: Page, language: string): Promise<void> {
  await page.addInitScript((name) => {
    Reflect.set(globalThis, '_VSCODE_NLS_LANGUAGE', name);
  }, language);
}

/** Whether a page was told the last that the host tells it when a command has shown another chat in it. */
const asksForFocus = (message: string): boolean => message.startsWith('{"type":"composer-focus"');

/** One session for all tests of the file, with a picture of the window when a test failed. */
export function useSession(options: SessionOptions): () => Session {
  let session: Session | undefined;
  const current = (): Session => {
    if (!session) throw new Error('The session opens before the first test.');
    return session;
  };
  beforeAll(async () => {
    session = await openSession(options);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail')
      await screenshot(current(), `${options.name} ${task.name}`, 'failed');
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
  });
  return current;
}

/** The packaged file when the runner was given one, else this folder. */
function extensionUnderTest(): ExtensionUnderTest {
  const file = process.env['INFERENCE_SERVICE_TEST_PACKAGE'];
  return file ? { kind: 'package', file } : { kind: 'folder', path: root };
}

function recordConsole(page: Page, logFile: string): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    const line = `[${message.type()}] ${message.text()}`;
    lines.push(line);
    appendFileSync(logFile, `${line}\n`);
  });
  return lines;
}

async function writeWithFolders(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
