import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createFakeMicrophoneFlags, launchBrowser } from '../support/browser.ts';
import { type RunningService, runService, createSignedInValues } from '../support/local-service.ts';
import { Control } from '../service/control.ts';
import { root } from '../support/paths.ts';
import { endTreesOnSignals } from '../support/process.ts';
import { copySampleWorkspace } from '../support/sample.ts';
import { timeLimits } from '../support/time-limits.ts';
import {
  type ExtensionUnderTest,
  type ServerOptions,
  startServer,
  type VsCodeServer,
} from '../support/vscode/server.ts';
import { takeScreenshot } from './appearance.ts';
import { ChatPage } from './pages/chat-page.ts';
import { eventually } from '../support/eventually.ts';
import { waitForFocus } from './pages/typing.ts';
import { Workbench } from './pages/workbench.ts';

export interface SessionOptions {
  /** Name of the session in the names of log files and screenshots. */
  readonly name: string;
  /** Edition of VS Code to open, by default the newest. */
  readonly edition?: ServerOptions['edition'];
  /**
   * Files to add to the sample workspace, by path. Written before the window opens, because a new window may not
   * observe the folder yet.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** URI of a folder to open instead of the sample workspace, or `nothing` for a window without a folder. */
  readonly uri?: string;
  /** Starts the local service with a blockchain, and adds the chain to the window's settings. */
  readonly needsChain?: boolean;
  /**
   * True to load this extension as an installed extension. By default, VS Code loads it from a development folder, and
   * soon after the start deletes the list of the extension's storage keys that Settings Sync includes.
   */
  readonly isInstalled?: boolean;
  /** Paths of the folders of other extensions to install. */
  readonly otherExtensions?: readonly string[];
  /** Settings in addition to the defaults. `undefined` removes a setting. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Display language that VS Code reports to the extension. Default: English. Texts of VS Code stay English, because no
   * language pack is installed.
   */
  readonly language?: string;
  /** Environment variables in addition to the defaults. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Path of a WAV file that the simulated microphone plays when a page starts to record. If omitted, there is no
   * microphone.
   */
  readonly microphone?: string;
}

/**
 * VS Code window in which the extension is signed in to a local service. By default, a copy of the sample workspace is
 * open.
 */
export interface Session extends AsyncDisposable {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly chat: ChatPage;
  readonly service: RunningService;
  readonly server: VsCodeServer;
  /** Path of the copy of the sample workspace, which is open unless the option `uri` is set. */
  readonly folder: string;
  /** Console messages of the window and its webviews, each with its level, oldest first. */
  readonly consoleLines: readonly string[];
  /** Messages between the host and webviews, each as JSON, oldest first. */
  readonly webviewMessages: readonly string[];
  /** Opens an empty chat. Resolves when the chat is rendered and its composer or connect form has the focus. */
  openNewChat(): Promise<void>;
  /**
   * Reloads the window. Resolves when the window accepts commands. If the secondary side bar was visible before, shows
   * it again.
   */
  reloadWindow(): Promise<void>;
  /**
   * Replaces the user settings with the initial settings and the given ones. Settings of an earlier call are removed.
   * The change applies after the next reload.
   */
  writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
}

endTreesOnSignals();

/** Returns a client of the control plane of a session's test service. */
export const getControl = ({ service }: Session): Control => new Control(service.controlUrl);

/** Starts the service and VS Code's server, and opens a window. Disposal closes all three and removes their files. */
export async function openSession(options: SessionOptions): Promise<Session> {
  await using stack = new AsyncDisposableStack();
  const { needsChain = false } = options;
  const service = stack.use(await runService(options.name, { needsChain }));
  const sample = stack.use(await copySampleWorkspace());
  for (const [name, content] of Object.entries(options.files ?? {}))
    await writeFileInFolders(join(sample.folder, name), content);
  const signedInValues = createSignedInValues(service);
  const settings = {
    ...signedInValues.settings,
    'workbench.colorTheme': 'Default Dark Modern',
    // Theme changes for screenshots write to this file.
    'files.exclude': { '**/.vscode': true },
    ...options.settings,
  };
  const env = { ...signedInValues.env, ...options.env };
  const server = stack.use(
    await startServer({
      name: options.name,
      edition: options.edition,
      extension: resolveExtension(options),
      companionExtensions: options.otherExtensions ?? [],
      settings,
      env,
    }),
  );
  const browser = stack.use(
    await launchBrowser(
      options.microphone === undefined ? [] : createFakeMicrophoneFlags(options.microphone),
    ),
  );
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(timeLimits.condition);
  if (options.edition === 'oldest') await forbidSecondaryContainers(page);
  if (options.language !== undefined) await setDisplayLanguage(page, options.language);
  const consoleLines = recordConsole(page, server.logFile);
  const webviewMessages = await recordWebviewMessages(page);
  const { uri = sample.folder } = options;
  await page.goto(server.createUrl({ folder: uri === 'nothing' ? undefined : uri }));
  const workbench = new Workbench(page, { hasFolder: uri !== 'nothing' });
  await workbench.waitUntilReady();
  const chat = new ChatPage(workbench.locateWebview('view'));
  const resources = stack.move();
  return {
    page,
    workbench,
    chat,
    service,
    server,
    folder: sample.folder,
    consoleLines,
    webviewMessages,
    openNewChat: async () => {
      const messageCountBefore = webviewMessages.length;
      await workbench.runCommand('Inference Service: New Chat');
      await eventually(async () => {
        if (!webviewMessages.slice(messageCountBefore).some(isFocusMessage))
          throw new Error('No new chat was shown.');
      });
      await chat.waitUntilRendered();
      await waitForFocus(chat.input);
    },
    reloadWindow: async () => {
      const hasSideBar = await workbench.secondarySideBar.isVisible();
      await page.reload();
      await workbench.waitUntilReady();
      // VS Code stores the visible parts of the window with a delay.
      if (hasSideBar && !(await workbench.secondarySideBar.isVisible()))
        await workbench.runCommand('View: Focus into Secondary Side Bar');
    },
    writeSettings: (changedSettings) => server.writeSettings({ ...settings, ...changedSettings }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Makes the workbench reject view containers in the secondary side bar, as VS Code 1.105 does for extensions without
 * proposed API. code-server would permit them, because it allows proposed API for all extensions.
 */
async function forbidSecondaryContainers(page: Page): Promise<void> {
  await page.route('**/workbench.js', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const checkPattern = /\w+\(\w+,"contribSecondarySidebar"\)/u;
    if (!checkPattern.test(text))
      throw new Error('The workbench has no check of the proposed API.');
    const refusalCode = '(()=>{throw new Error("CANNOT use API proposal")})()';
    await route.fulfill({ response, body: text.replace(checkPattern, refusalCode) });
  });
}

/** Sets the display language that the workbench reports to extensions. Texts of VS Code itself stay English. */
async function setDisplayLanguage(page: Page, language: string): Promise<void> {
  await page.addInitScript((name) => {
    Reflect.set(globalThis, '_VSCODE_NLS_LANGUAGE', name);
  }, language);
}

/**
 * Checks whether a message to a webview moves the focus to the composer. When a command has opened another chat, the
 * host sends this message last.
 */
const isFocusMessage = (message: string): boolean => message.startsWith('{"type":"composer-focus"');

/**
 * Opens one session for all tests of a file, and closes it after the last test. Takes a screenshot when a test fails.
 * Returns a function that returns the session. The returned function throws before the session is open.
 */
export function useSession(options: SessionOptions): () => Session {
  let session: Session | undefined;
  const getCurrentSession = (): Session => {
    if (!session) throw new Error('The session opens before the first test.');
    return session;
  };
  beforeAll(async () => {
    session = await openSession(options);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail')
      await takeScreenshot(getCurrentSession(), `${options.name} ${task.name}`, 'failed');
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
  });
  return getCurrentSession;
}

/** Returns the extension to test: the packaged file from the command line, or this repository if there is none. */
function resolveExtension({ edition, isInstalled }: SessionOptions): ExtensionUnderTest {
  const packageFile = process.env['INFERENCE_SERVICE_TEST_PACKAGE'];
  if (packageFile) return { kind: 'package', file: packageFile };
  // VS Code permits a development folder more than an installed extension.
  return { kind: edition === 'oldest' || isInstalled ? 'link' : 'folder', path: root };
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

/** Records all messages to and from the webviews of the page as JSON. Must be called before the page opens. */
async function recordWebviewMessages(page: Page): Promise<readonly string[]> {
  const messages: string[] = [];
  await page.exposeFunction('recordWebviewMessage', (text: string) => messages.push(text));
  await page.addInitScript(recordFrameMessages);
  return messages;
}

/**
 * Records the messages that a frame receives. Runs in every frame. VS Code opens a webview's document a second time,
 * which removes all listeners. The recording therefore starts only when the webview adds its first message listener.
 */
function recordFrameMessages(): void {
  const page = globalThis as typeof globalThis & { recordWebviewMessage(text: string): void };
  const addListener = globalThis.addEventListener.bind(globalThis) as (
    ...values: unknown[]
  ) => void;
  const recordMessage = (event: MessageEvent): void =>
    page.recordWebviewMessage(JSON.stringify(event.data) ?? '');
  globalThis.addEventListener = (...args: unknown[]): void => {
    if (args[0] === 'message') addListener('message', recordMessage);
    addListener(...args);
  };
}
