import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Host } from '../../src/host.ts';
import { KnownAccounts } from '../../src/wallet/vscode/known-accounts.ts';
import type { StakingChain } from '../../src/wallet/chain.ts';
import { type ChainFacts, createStakingChain } from '../service/chain/chain-facts.ts';
import type { ChainAccount } from '../service/chain/anvil.ts';
import { type AccountFixture, createAccountFixture, Dialogs } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

/** Returns the addresses and accounts of the local service's chain. */
export function readChainFacts(): ChainFacts {
  const { chain } = readSuiteEnvironment().service;
  assert.ok(chain, 'The service runs without a chain.');
  return chain;
}

export const getChainAccount = (index: number): ChainAccount => {
  const account = readChainFacts().accounts[index];
  assert.ok(account);
  return account;
};

/** Answers all dialogs about wallet accounts with prepared values. Records messages and stored data. */
export class AccountsScene implements Disposable {
  readonly fixture: AccountFixture = createAccountFixture();
  readonly chain: StakingChain = createStakingChain(readChainFacts());
  readonly host: Host;
  readonly dialogs: Dialogs;
  /** Labels of the items in each list that the extension showed, including separators. */
  readonly shownLists: string[][] = [];
  readonly shownPlaceholders: string[] = [];
  /** Detail texts of modal dialogs, in order. */
  readonly dialogDetails: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'inference-service-wallet-'));
  /** Labels to select in the next lists, in order. If no label is left, the list is dismissed. */
  readonly #pickPatterns: RegExp[] = [];
  #file: vscode.Uri | undefined;
  readonly #undoSteps: (() => void)[] = [];

  /** @param answers texts to type into the input boxes, in order */
  constructor(...answers: (string | undefined)[]) {
    this.dialogs = new Dialogs(...answers);
    const { account, log, context } = this.fixture;
    this.host = { account, log, context, service: account.service } as unknown as Host;
    this.#replaceMethod('showQuickPick', (items, options) => this.#pickItem(items, options));
    this.#replaceMethod('showOpenDialog', async () => this.#file && [this.#file]);
    const originalShow = vscode.window.showWarningMessage as (...args: unknown[]) => unknown;
    this.#replaceMethod('showWarningMessage', (message, options, ...args) => {
      this.dialogDetails.push((options as vscode.MessageOptions | undefined)?.detail ?? '');
      return originalShow(message, options, ...args);
    });
  }

  get knownAccounts(): KnownAccounts {
    return new KnownAccounts(this.host.context);
  }

  get secrets(): ReadonlyMap<string, string> {
    return this.fixture.context.secrets.values;
  }

  queuePicks(...labelPatterns: readonly RegExp[]): this {
    this.#pickPatterns.push(...labelPatterns);
    return this;
  }

  queueButtons(...buttons: readonly string[]): this {
    this.dialogs.buttonsToPress.push(...buttons);
    return this;
  }

  /**
   * Makes file dialogs return a file: a new file with this text, or the file at this URI. Returns the URI of the file.
   */
  selectFileInDialogs(content: string | vscode.Uri): vscode.Uri {
    if (typeof content !== 'string') return (this.#file = content);
    const path = join(this.folder, 'UTC--key.json');
    writeFileSync(path, content);
    return (this.#file = vscode.Uri.file(path));
  }

  /**
   * Stored data, log lines, messages, dialogs and settings as JSON. Excludes secret storage and the
   * file that file dialogs return.
   */
  get collectedOutput(): string {
    const { context, logLines } = this.fixture;
    const { shownMessages, shownInputs, executedCommands } = this.dialogs;
    const root = context.globalStorageUri.fsPath;
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((item) => readFileSync(join(item.parentPath, item.name), 'utf8'));
    const storedEntries = [...context.globalState.values];
    const visibleTexts = [
      shownMessages,
      shownInputs,
      executedCommands,
      this.shownLists,
      this.dialogDetails,
    ];
    const settings = vscode.workspace.getConfiguration('inferenceService');
    return JSON.stringify([storedEntries, logLines, ...visibleTexts, files, settings]);
  }

  /**
   * Returns the last message, or an empty string without a message. Waits for a short time, because the message can
   * appear just after the command ends.
   */
  async readLastMessage(): Promise<string> {
    await pause(0);
    return this.dialogs.shownMessages.at(-1) ?? '';
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undoSteps.reverse()) undo();
    this.dialogs[Symbol.dispose]();
    this.fixture[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #pickItem(itemsPromise: unknown, options: unknown): Promise<unknown> {
    const items = (await itemsPromise) as readonly vscode.QuickPickItem[];
    this.shownLists.push(items.map(({ label }) => label));
    this.shownPlaceholders.push((options as vscode.QuickPickOptions).placeHolder ?? '');
    const pattern = this.#pickPatterns.shift();
    if (pattern === undefined) return undefined;
    const item = items.find(({ label }) => pattern.test(label));
    assert.ok(item, `${pattern} is none of ${this.shownLists.at(-1)?.join(', ')}`);
    return item;
  }

  #replaceMethod(
    name: 'showQuickPick' | 'showOpenDialog' | 'showWarningMessage',
    replacement: (...args: unknown[]) => unknown,
  ): void {
    const originalFunction = vscode.window[name];
    Object.assign(vscode.window, { [name]: replacement });
    this.#undoSteps.push(() => Object.assign(vscode.window, { [name]: originalFunction }));
  }
}
