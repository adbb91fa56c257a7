import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createPublicClient, http } from 'viem';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import type { Host } from '../../src/host.ts';
import { KnownAccounts, StoredKeys } from '../../src/wallet/vscode/known-accounts.ts';
import { togglePayPerRequest } from '../../src/wallet/x402/vscode/pay-per-request.ts';
import { runTopUpCommand } from '../../src/wallet/x402/vscode/top-up-command.ts';
import { tokenAbi } from '../../src/wallet/chain-client.ts';
import type { ChainFacts } from '../service/chain/chain-facts.ts';
import { eventually } from '../support/eventually.ts';
import { createAccountFixture, type AccountFixture, Dialogs } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

/** Local wallet account with USDC, and a profile for the local service. Answers dialogs with prepared values. */
export class PayingScene implements Disposable {
  readonly fixture: AccountFixture = createAccountFixture();
  readonly dialogs: Dialogs;
  readonly host: Host;
  readonly chainFacts: ChainFacts;
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
  /** Detail texts of modal dialogs, in order. */
  readonly dialogDetails: string[] = [];
  /** Labels of all items in all lists that the extension showed. */
  readonly shownChoices: string[] = [];
  /** Called while a dialog is open. */
  whileDialogIsOpen = (): void => {};
  readonly #undoSteps: (() => void)[] = [];

  /**
   * @param account index of an account with USDC on the chain; a test that compares balances must use an account that
   * no other test uses
   */
  constructor(account: number, ...answers: (string | undefined)[]) {
    const { chain } = readSuiteEnvironment().service;
    const chainAccount = chain?.accounts[account];
    assert.ok(chain && chainAccount);
    this.chainFacts = chain;
    this.address = chainAccount.address;
    this.privateKey = chainAccount.privateKey;
    this.dialogs = new Dialogs(...answers);
    const { account: fixtureAccount, context, log } = this.fixture;
    const models = createModelCatalog({ context, account: fixtureAccount, log });
    const parts = {
      account: fixtureAccount,
      context,
      log,
      models,
      service: fixtureAccount.service,
    };
    this.host = parts as unknown as Host;
    this.#recordDialogDetails();
    this.#stubQuickPick();
  }

  /** Stores the account's private key in VS Code and selects the account. */
  async connectAccount(): Promise<this> {
    const { context } = this.fixture;
    assert.ok(await new StoredKeys(context).store(this.address, this.privateKey));
    const kind = 'private-key';
    await new KnownAccounts(this.host.context).setCurrent({ kind, address: this.address });
    return this;
  }

  /**
   * Enables payment per request with this account.
   * @param buttons labels of the buttons to press in the messages that follow
   */
  async enablePayPerRequest(...buttons: readonly string[]): Promise<this> {
    await this.connectAccount();
    this.dialogs.buttonsToPress.push('Pay with this wallet', ...buttons);
    await togglePayPerRequest(this.host);
    assert.equal((await this.fixture.account.readKey()).kind, 'wallet');
    return this;
  }

  async topUp(...buttons: readonly string[]): Promise<void> {
    this.dialogs.buttonsToPress.push(...buttons);
    void runTopUpCommand(this.host);
    await this.waitForMessage(/\w/u);
  }

  /** Resolves with the first message that matches the pattern. */
  async waitForMessage(pattern: RegExp): Promise<string> {
    return eventually(() => {
      const match = this.messages.find((message) => pattern.test(message));
      assert.ok(match !== undefined, `${pattern} is none of ${this.messages.join(' | ')}`);
      return match;
    });
  }

  /** All recorded messages, except those in modal dialogs. */
  get messages(): readonly string[] {
    return this.dialogs.shownMessages.filter(
      (message) => !message.endsWith('?') && !message.includes('no permission to take more'),
    );
  }

  readUsdcBalance(address: `0x${string}`): Promise<bigint> {
    const client = createPublicClient({ transport: http(this.chainFacts.rpcUrl), cacheTime: 0 });
    const call = { abi: tokenAbi, functionName: 'balanceOf', args: [address] } as const;
    return client.readContract({ ...call, address: this.chainFacts.usdc });
  }

  /** Stored state, log lines, messages, dialogs and settings as JSON. Excludes secret storage. */
  get collectedOutput(): string {
    const { context, logLines } = this.fixture;
    const { shownMessages, shownInputs, executedCommands } = this.dialogs;
    const settings = vscode.workspace.getConfiguration('inferenceService');
    const storedEntries = [...context.globalState.values];
    return JSON.stringify([
      logLines,
      storedEntries,
      shownMessages,
      shownInputs,
      executedCommands,
      this.dialogDetails,
      settings,
    ]);
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undoSteps.reverse()) undo();
    this.dialogs[Symbol.dispose]();
    this.fixture[Symbol.dispose]();
  }

  #recordDialogDetails(): void {
    const originalShow = vscode.window.showWarningMessage as (...args: unknown[]) => unknown;
    this.#replaceMethod('showWarningMessage', (message, options, ...args) => {
      const { detail = '' } = (options ?? {}) as vscode.MessageOptions;
      this.dialogDetails.push(detail);
      this.whileDialogIsOpen();
      return originalShow(message, options, ...args);
    });
  }

  #stubQuickPick(): void {
    this.#replaceMethod('showQuickPick', async (itemsPromise) => {
      const items = (await itemsPromise) as readonly vscode.QuickPickItem[];
      this.shownChoices.push(...items.map(({ label }) => label));
      return items[0];
    });
  }

  #replaceMethod(
    name: 'showWarningMessage' | 'showQuickPick',
    replacement: (...args: unknown[]) => unknown,
  ): void {
    const originalFunction = vscode.window[name];
    Object.assign(vscode.window, { [name]: replacement });
    this.#undoSteps.push(() => Object.assign(vscode.window, { [name]: originalFunction }));
  }
}
