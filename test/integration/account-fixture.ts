import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createPayingSignIn } from '../../src/wallet/x402/vscode/paying-sign-in.ts';
import { redact } from '../../src/base/redact.ts';
import type { Account } from '../../src/account/vscode/account.ts';
import { createAccount } from '../../src/account/vscode/create-account.ts';
import type { Log } from '../../src/platform/log.ts';

/**
 * Secret storage in memory. All contexts with the same instance share its secrets. `writeBehavior` simulates failures
 * of the storage.
 */
export class MemorySecrets implements vscode.SecretStorage {
  readonly values = new Map<string, string>();
  /**
   * `works` stores values, `refuses` throws an error that contains the value, and `forgets` stores nothing and throws
   * nothing.
   */
  writeBehavior: 'works' | 'refuses' | 'forgets' = 'works';
  /** Maximum number of writes that were running at the same time. */
  maxSimultaneousWriteCount = 0;
  #runningWriteCount = 0;
  readonly #onDidChangeEmitter = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
  readonly onDidChange = this.#onDidChangeEmitter.event;

  async keys(): Promise<string[]> {
    return [...this.values.keys()];
  }

  async get(key: string): Promise<string | undefined> {
    return this.values.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.maxSimultaneousWriteCount = Math.max(
      this.maxSimultaneousWriteCount,
      ++this.#runningWriteCount,
    );
    await new Promise((resolve) => setImmediate(resolve));
    this.#runningWriteCount--;
    if (this.writeBehavior === 'refuses') throw new Error(`cannot write ${value}`);
    if (this.writeBehavior === 'works') this.values.set(key, value);
    this.#onDidChangeEmitter.fire({ key });
  }

  async delete(key: string): Promise<void> {
    this.values.delete(key);
    this.#onDidChangeEmitter.fire({ key });
  }
}

export class MemoryState implements vscode.Memento {
  readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is VS Code's
  get<T>(key: string): T | undefined;
  get<T>(key: string, fallback: T): T;
  get<T>(key: string, fallback?: T): T | undefined {
    return this.values.has(key) ? (this.values.get(key) as T) : fallback;
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
  }

  setKeysForSync(): void {}
}

/**
 * Account in the real extension host, with the host's settings and network, but with separate storage. Dispose with
 * `using`.
 */
export interface AccountFixture extends Disposable {
  readonly account: Account;
  readonly context: {
    readonly secrets: MemorySecrets;
    readonly globalState: MemoryState;
    readonly globalStorageUri: vscode.Uri;
  };
  readonly log: Log;
  /** All logged lines, with the same redaction as in the extension. */
  readonly logLines: string[];
}

export interface FixtureOptions {
  readonly secrets?: MemorySecrets;
  readonly globalState?: MemoryState;
  readonly environment?: NodeJS.ProcessEnv;
}

export function createAccountFixture({
  secrets = new MemorySecrets(),
  globalState = new MemoryState(),
  environment = {},
}: FixtureOptions = {}): AccountFixture {
  const folder = mkdtempSync(join(tmpdir(), 'inference-service-account-'));
  // In VS Code, the parent folder contains the storage of other extensions. No tool may access it.
  const storage = join(folder, 'storage');
  mkdirSync(storage);
  const context = { secrets, globalState, globalStorageUri: vscode.Uri.file(storage) };
  const knownKeys = new Set<string>();
  const lines: string[] = [];
  const log = createLineLog((line) => lines.push(redact(line, [...knownKeys])));
  const account = createAccount({
    context,
    log,
    knownKeys,
    environment,
    userAgent: 'test',
    walletSignIn: async (payment) => createPayingSignIn(payment),
  });
  return {
    account,
    context,
    log,
    logLines: lines,
    [Symbol.dispose]() {
      account.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a log that passes each line to `write`, formatted as in the output channel. */
export function createLineLog(write: (line: string) => void): Log {
  return {
    debug: write,
    info: write,
    warn: write,
    error: (message, error) =>
      write(`${message} ${error instanceof Error ? (error.stack ?? '') : String(error)}`),
    show() {},
    dispose() {},
  };
}

/**
 * Sets user settings one after the other, and then calls `run`. Finally restores the previous values in reverse order.
 */
export async function withSettings<T>(
  settings: Readonly<Record<string, unknown>>,
  run: () => Promise<T>,
): Promise<T> {
  const previousValues = Object.keys(settings).map((name) => [name, readUserValue(name)] as const);
  try {
    for (const [name, value] of Object.entries(settings)) await setUserValue(name, value);
    return await run();
  } finally {
    for (const [name, value] of previousValues.toReversed()) await setUserValue(name, value);
  }
}

const readUserValue = (name: string): unknown =>
  vscode.workspace.getConfiguration().inspect(name)?.globalValue;

const setUserValue = (name: string, value: unknown): Thenable<void> =>
  vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);

/** Records dialogs, messages and commands. Enters prepared texts into input boxes, and presses prepared buttons. */
export class Dialogs implements Disposable {
  readonly shownMessages: string[] = [];
  readonly shownInputs: vscode.InputBoxOptions[] = [];
  readonly executedCommands: string[] = [];
  /**
   * Labels of the buttons to press, in order. The first label stays in the list until a message has a button with this
   * label.
   */
  readonly buttonsToPress: string[] = [];
  readonly #answers: (string | undefined)[];
  readonly #undoSteps: (() => void)[] = [];

  constructor(...answers: (string | undefined)[]) {
    this.#answers = answers;
    const showMessage = async (message: string, ...args: unknown[]): Promise<unknown> => {
      this.shownMessages.push(message);
      const nextButton = this.buttonsToPress[0];
      return nextButton !== undefined && args.includes(nextButton)
        ? this.buttonsToPress.shift()
        : undefined;
    };
    this.#replaceProperty(vscode.window, 'showInformationMessage', showMessage);
    this.#replaceProperty(vscode.window, 'showWarningMessage', showMessage);
    this.#replaceProperty(vscode.window, 'showErrorMessage', showMessage);
    this.#replaceProperty(
      vscode.window,
      'showInputBox',
      async (options: vscode.InputBoxOptions) => {
        this.shownInputs.push(options);
        return this.#answers.shift();
      },
    );
    this.#replaceProperty(vscode.commands, 'executeCommand', async (command: string) => {
      // VS Code also sets context keys by a command; tests compare other commands only.
      if (command !== 'setContext') this.executedCommands.push(command);
    });
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undoSteps.reverse()) undo();
  }

  #replaceProperty<T extends object>(owner: T, name: keyof T, value: unknown): void {
    const originalValue = owner[name];
    Object.assign(owner, { [name]: value });
    this.#undoSteps.push(() => Object.assign(owner, { [name]: originalValue }));
  }
}

/**
 * Writes the settings to the workspace's `settings.json`, and calls `run`. Finally restores the file. Use this for
 * settings that the extension must ignore in a workspace.
 */
export async function withWorkspaceSettings(
  settings: Readonly<Record<string, unknown>>,
  run: () => Promise<void>,
): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder);
  const file = vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json');
  const bytesBefore = await vscode.workspace.fs.readFile(file).then(undefined, () => undefined);
  const configurationChangePromise = new Promise<void>((resolve) => {
    const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('editor.tabSize')) return;
      subscription.dispose();
      resolve();
    });
  });
  // The extension ignores `settings`. The change event of another, valid setting shows that VS Code has read the file.
  const text = JSON.stringify({ ...settings, 'editor.tabSize': 7 });
  await vscode.workspace.fs.writeFile(file, Buffer.from(text));
  try {
    await configurationChangePromise;
    await run();
  } finally {
    if (bytesBefore === undefined) await vscode.workspace.fs.delete(file);
    else await vscode.workspace.fs.writeFile(file, bytesBefore);
  }
}
