import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Host } from '../../src/host.ts';
import { KnownAccounts, StoredKeys } from '../../src/wallet/vscode/known-accounts.ts';
import { StakingJournalFile } from '../../src/wallet/staking/vscode/staking-files.ts';
import { getStakingFolder } from '../../src/wallet/vscode/unfinished-hints.ts';
import { type ChainFacts, createStakingChain } from '../service/chain/chain-facts.ts';
import type { ChainAccount } from '../service/chain/anvil.ts';
import type { StakingChain } from '../../src/wallet/chain.ts';
import { type ChainClient, createChainClient } from '../../src/wallet/chain-client.ts';
import { type AccountFixture, createAccountFixture, Dialogs } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

type Listener = (value: unknown) => unknown;

function getValidationMessage({ validationMessage: message = '' }: vscode.InputBox): string {
  return typeof message === 'string' ? message : message.message;
}

/** Captures the input boxes that the extension opens. Simulates the user's input in them. */
export class InputProbe implements Disposable {
  readonly #create = vscode.window.createInputBox;
  readonly #answers: ((
    input: vscode.InputBox,
    fire: (event: string, value?: unknown) => void,
  ) => void)[] = [];
  /** Prompt of each input box. */
  readonly shownPrompts: string[] = [];
  /** Initial value of each input box. */
  readonly proposedValues: string[] = [];
  /** Validation message that each input box shows when it opens, before the user types a text. */
  readonly validationMessages: string[] = [];
  /** Validation message for each rejected text. */
  readonly shownProblems: string[] = [];

  constructor() {
    Object.assign(vscode.window, { createInputBox: () => this.#captureListeners(this.#create()) });
  }

  /** Types the texts in order, and presses Enter after each. */
  type(...texts: readonly string[]): void {
    this.#answers.push((input, fire) => {
      for (const text of texts) {
        input.value = text;
        fire('onDidChangeValue', text);
        this.shownProblems.push(getValidationMessage(input));
        fire('onDidAccept');
      }
    });
  }

  /** Presses Enter without typing a text. */
  acceptInput(): void {
    this.#answers.push((_input, fire) => fire('onDidAccept'));
  }

  goBack(): void {
    this.#answers.push((_input, fire) => fire('onDidTriggerButton', vscode.QuickInputButtons.Back));
  }

  /** Presses the button that enters the maximum amount, and then Enter. */
  pressMaxButton(): void {
    this.#answers.push((input, fire) => {
      fire('onDidTriggerButton', input.buttons[0]);
      fire('onDidAccept');
    });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { createInputBox: this.#create });
  }

  /** Captures listeners when the extension adds them, because tests cannot fire events of VS Code. */
  #captureListeners(input: vscode.InputBox): vscode.InputBox {
    const listeners = new Map<string, Listener>();
    const fire = (event: string, value?: unknown): void => void listeners.get(event)?.(value);
    return new Proxy(input, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof name === 'string' && name.startsWith('onDid'))
          return (listener: Listener) => {
            listeners.set(name, listener);
            return (value as (listener: Listener) => unknown)(listener);
          };
        if (name !== 'show') return typeof value === 'function' ? value.bind(target) : value;
        return () => {
          target.show();
          this.shownPrompts.push(target.prompt ?? '');
          this.proposedValues.push(target.value);
          this.validationMessages.push(getValidationMessage(target));
          const answer = this.#answers.shift();
          if (answer === undefined) fire('onDidHide');
          else answer(target, fire);
        };
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  }
}

/** Cancels a progress notification as soon as its message matches the pattern. */
export function cancelProgressWhen(pattern: RegExp): Disposable {
  const originalProgress = vscode.window.withProgress;
  const show: typeof vscode.window.withProgress = (options, run) =>
    originalProgress(options, async (progress) => {
      const source = new vscode.CancellationTokenSource();
      const report: typeof progress.report = (value) => {
        progress.report(value);
        if (pattern.test((value as { message?: string }).message ?? '')) source.cancel();
      };
      return run({ report }, source.token);
    });
  Object.assign(vscode.window, { withProgress: show });
  return {
    [Symbol.dispose]: () => Object.assign(vscode.window, { withProgress: originalProgress }),
  };
}

/** Local wallet account on the chain of the service. Records dialogs, messages and commands during staking. */
export class StakingScene implements Disposable {
  readonly fixture: AccountFixture = createAccountFixture();
  readonly account: ChainAccount;
  readonly chainFacts: ChainFacts;
  readonly chain: StakingChain;
  readonly client: ChainClient;
  readonly host: Host;
  readonly dialogs = new Dialogs();
  readonly input = new InputProbe();
  /** Detail texts of modal dialogs, in order. */
  readonly dialogDetails: string[] = [];
  readonly #restore: () => void;

  constructor(index: number) {
    const chainFacts = readSuiteEnvironment().service.chain;
    assert.ok(chainFacts, 'The service runs without a chain.');
    this.chainFacts = chainFacts;
    this.account = chainFacts.accounts[index]!;
    this.chain = createStakingChain(chainFacts);
    this.client = createChainClient(this.chain, { pollingMs: 50 });
    const { account, log } = this.fixture;
    const context = { ...this.fixture.context, subscriptions: [] };
    this.host = { account, log, context, service: account.service } as unknown as Host;
    this.#restore = this.#recordDialogDetails();
  }

  /** Stores the account's private key in VS Code and selects the account, as a user would. */
  async connectAccount(): Promise<this> {
    const { address, privateKey } = this.account;
    await new StoredKeys(this.fixture.context).store(address, privateKey);
    await new KnownAccounts(this.fixture.context).setCurrent({ kind: 'private-key', address });
    return this;
  }

  get folder(): string {
    return getStakingFolder(this.host);
  }

  get journal(): StakingJournalFile {
    return new StakingJournalFile(this.folder, {
      chainId: this.chain.id,
      from: this.account.address,
    });
  }

  /** Executed commands, except those that set context keys. */
  get commands(): readonly string[] {
    return this.dialogs.executedCommands.filter((id) => id !== 'setContext');
  }

  /** Returns the number of transactions that the account has sent in total. */
  countTransactions(): Promise<number> {
    return this.client.getTransactionCount({ address: this.account.address });
  }

  /** Stored data, log lines, messages and dialogs as JSON. Excludes secret storage. */
  get collectedOutput(): string {
    const { context, logLines } = this.fixture;
    const { shownMessages, shownInputs, executedCommands } = this.dialogs;
    const root = context.globalStorageUri.fsPath;
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((item) => readFileSync(join(item.parentPath, item.name), 'utf8'));
    const storedEntries = [...context.globalState.values];
    return JSON.stringify([
      storedEntries,
      logLines,
      shownMessages,
      shownInputs,
      executedCommands,
      this.dialogDetails,
      files,
    ]);
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
    this.#restore();
    this.input[Symbol.dispose]();
    this.dialogs[Symbol.dispose]();
    this.fixture[Symbol.dispose]();
  }

  #recordDialogDetails(): () => void {
    const { dialogDetails } = this;
    const originalShow = vscode.window.showWarningMessage;
    const show = (message: string, ...showArgs: unknown[]): unknown => {
      const [options] = showArgs;
      if (typeof options === 'object' && options !== null && 'detail' in options)
        dialogDetails.push(String(options.detail));
      return (originalShow as (...args: unknown[]) => unknown)(message, ...showArgs);
    };
    Object.assign(vscode.window, { showWarningMessage: show });
    return () => Object.assign(vscode.window, { showWarningMessage: originalShow });
  }
}
