import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { fakeMicrophoneFlags, launchBrowser } from '../support/browser.ts';
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
import { ChatPage } from './pages/chat-page.ts';
import { eventually } from '../support/eventually.ts';
import { waitForFocus } from './pages/typing.ts';
import { Workbench } from './pages/workbench.ts';

export interface SessionOptions {
  /** Name of the logs and screenshots. */
  readonly name: string;
  /**
   * Files added to the sample workspace before the window opens, because it may not watch the folder yet after that.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Replaces the sample workspace: the URI of another folder, or `nothing`. */
  readonly uri?: string;
  /** Starts the local service with a chain, and configures the chain in the window's settings. */
  readonly chain?: boolean;
  /** Folders of other extensions to install. */
  readonly otherExtensions?: readonly string[];
  /** Settings in addition to the defaults; `undefined` removes one. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Display language of VS Code; English by default. VS Code's own texts stay English, because no
   * language pack is installed.
   */
  readonly language?: string;
  /** Environment variables in addition to the defaults; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A WAV file that the microphone plays once, when a page starts to record; no microphone without it. */
  readonly microphone?: string;
}

/** A VS Code window on a copy of the sample workspace, signed in to its own local service. */
export interface Session extends AsyncDisposable {
  readonly page: Page;
  readonly workbench: Workbench;
  /** The chat in the side bar. */
  readonly chat: ChatPage;
  readonly service: RunningService;
  readonly server: VsCodeServer;
  /** The opened folder. */
  readonly folder: string;
  /** Console messages of the page and its webviews. */
  readonly consoleLines: readonly string[];
  /** Messages from and to webviews, as JSON. */
  readonly webviewMessages: readonly string[];
  /** Opens an empty, rendered chat with the focus in its composer. */
  newChat(): Promise<void>;
  /** Reloads the window and waits until it accepts commands again. */
  reload(): Promise<void>;
  /** Changes user settings on top of the initial ones. They apply after the next reload. */
  writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
}

endTreesOnSignals();

/** Opens the window. Disposal removes everything. */
export async function openSession(options: SessionOptions): Promise<Session> {
  await using stack = new AsyncDisposableStack();
  const { chain = false } = options;
  const service = stack.use(await runService(options.name, { chain }));
  const sample = stack.use(await copySampleWorkspace());
  for (const [name, content] of Object.entries(options.files ?? {}))
    await writeFileInFolders(join(sample.folder, name), content);
  const account = signedIn(service);
  const settings = {
    ...account.settings,
    'workbench.colorTheme': 'Default Dark Modern',
    // Screenshots set the theme in that file.
    'files.exclude': { '**/.vscode': true },
    ...options.settings,
  };
  const env = { ...account.env, ...options.env };
  const server = stack.use(
    await startServer({
      name: options.name,
      extension: resolveExtension(),
      companions: options.otherExtensions ?? [],
      settings,
      env,
    }),
  );
  const browser = stack.use(
    await launchBrowser(
      options.microphone === undefined ? [] : fakeMicrophoneFlags(options.microphone),
    ),
  );
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(timeLimits.condition);
  if (options.language !== undefined) await setDisplayLanguage(page, options.language);
  const consoleLines = recordConsole(page, server.logFile);
  const webviewMessages = await recordWebviewMessages(page);
  const { uri = sample.folder } = options;
  await page.goto(server.url({ folder: uri === 'nothing' ? undefined : uri }));
  const workbench = new Workbench(page, { hasFolder: uri !== 'nothing' });
  await workbench.waitUntilReady();
  const chat = new ChatPage(workbench.webview('view'));
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
        if (!webviewMessages.slice(before).some(isFocusMessage))
          throw new Error('No new chat was shown.');
      });
      await chat.waitUntilRendered();
      await waitForFocus(chat.composer);
    },
    reload: async () => {
      await page.reload();
      await workbench.waitUntilReady();
    },
    writeSettings: (changed) => server.writeSettings({ ...settings, ...changed }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Passes the workbench the language pack data, which it forwards to the extensions. */
async function setDisplayLanguage(page: Page, language: string): Promise<void> {
  await page.addInitScript((name) => {
    Reflect.set(globalThis, '_VSCODE_NLS_LANGUAGE', name);
  }, language);
}

/** Checks for the host's focus message, the last one after a command shows another chat. */
const isFocusMessage = (message: string): boolean => message.startsWith('{"type":"composer-focus"');

/** Shares one session among all tests of the file, and takes a screenshot when a test fails. */
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

/** Returns the packaged file from the runner, or this folder. */
function resolveExtension(): ExtensionUnderTest {
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

async function writeFileInFolders(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Records all messages from and to the page's webviews as JSON. Call it before the page opens. */
async function recordWebviewMessages(page: Page): Promise<readonly string[]> {
  const messages: string[] = [];
  await page.exposeFunction('recordWebviewMessage', (text: string) => messages.push(text));
  await page.addInitScript(recordInFrame);
  return messages;
}

/**
 * Runs in every frame. VS Code reopens a webview's document, which removes all listeners, so the recorder attaches
 * together with the page's first listener.
 */
function recordInFrame(): void {
  const page = globalThis as typeof globalThis & { recordWebviewMessage(text: string): void };
  const listen = globalThis.addEventListener.bind(globalThis) as (...values: unknown[]) => void;
  const record = (event: MessageEvent): void =>
    page.recordWebviewMessage(JSON.stringify(event.data) ?? '');
  globalThis.addEventListener = (...values: unknown[]): void => {
    if (values[0] === 'message') listen('message', record);
    listen(...values);
  };
}
