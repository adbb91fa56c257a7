import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Host } from '../../src/host.ts';
import { showFunding } from '../../src/wallet/vscode/funding-view.ts';
import { KnownAccounts, StoredKeys } from '../../src/wallet/vscode/known-accounts.ts';
import { mintInteractively, mintKeyCommand } from '../../src/wallet/mint/vscode/mint-command.ts';
import { mintHeadless, type MintResult } from '../../src/wallet/mint/vscode/mint-headless.ts';
import type { ChainAccount } from '../service/chain/anvil.ts';
import { waitUntil } from '../support/eventually.ts';
import { type AccountFixture, createAccountFixture, Dialogs } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const recommendedLabel = 'Recommended';
const keyFileVariable = 'INFERENCE_SERVICE_PRIVATE_KEY_FILE';

/** Local wallet account with or without a stake. Records dialogs, messages and commands while API keys are minted. */
export class MintScene implements Disposable {
  readonly fixture: AccountFixture;
  readonly account: ChainAccount;
  /** Detail texts of modal dialogs, in order. */
  readonly dialogDetails: string[] = [];
  readonly shownMessages: readonly string[];
  readonly executedCommands: readonly string[];
  /** Called once: after the user selected a wallet, and before the first request to the service. */
  onConnected: (() => PromiseLike<void>) | undefined;
  readonly #dialogs = new Dialogs();
  readonly #environment: NodeJS.ProcessEnv = {};
  readonly #host: Host;
  readonly #restore: () => void;

  constructor(account: ChainAccount) {
    this.account = account;
    this.fixture = createAccountFixture();
    const { account: fixtureAccount, log, context } = this.fixture;
    this.#host = {
      account: fixtureAccount,
      log,
      context,
      service: fixtureAccount.service,
      accountEnvironment: this.#environment,
    } as unknown as Host;
    ({ shownMessages: this.shownMessages, executedCommands: this.executedCommands } =
      this.#dialogs);
    this.#restore = this.#recordDialogDetails();
  }

  /** Stores the account's private key in VS Code and selects the account, as a user would. */
  async connectAccount(): Promise<void> {
    const { address, privateKey } = this.account;
    await new StoredKeys(this.fixture.context).store(address, privateKey);
    await new KnownAccounts(this.fixture.context).setCurrent({ kind: 'private-key', address });
  }

  /** Mints an API key with UI: accepts the recommended options, and presses the given buttons in order. */
  async mintInteractively(...buttons: readonly string[]): Promise<void> {
    await this.connectAccount();
    this.#dialogs.buttonsToPress.push(...buttons);
    using picker = new PickerProbe();
    const mintPromise = mintInteractively(this.#host);
    await waitForPicker(picker);
    this.#observeConnection();
    picker.acceptItems(picker.findItem(recommendedLabel));
    await mintPromise;
  }

  /** Runs "Show Funding", and presses a button of its modal dialog. */
  showFunding(button: string): Promise<void> {
    this.#dialogs.buttonsToPress.push(button);
    return showFunding(this.#host);
  }

  /** Calls {@link onConnected} when the extension stores the wallet that the user selected. */
  #observeConnection(): void {
    const { globalState } = this.fixture.context;
    const update = globalState.update.bind(globalState);
    globalState.update = async (name, value) => {
      await update(name, value);
      const run = name === 'wallet.accounts' ? this.onConnected : undefined;
      if (run === undefined) return;
      this.onConnected = undefined;
      await run();
    };
  }

  /**
   * Mints a key without UI. By default, an environment variable contains the path of a file with the private key of the
   * account.
   */
  async mintHeadless(
    options: Readonly<Record<string, unknown>>,
    { canReturnKey = false, hasFile = true } = {},
  ): Promise<MintResult> {
    const { profile } = this.fixture.account;
    const request = { profile, options, canReturnKey };
    if (!hasFile) return mintHeadless(this.#host, { ...request, environment: {} });
    return this.#withKeyFile((file) => {
      const environment = { [keyFileVariable]: file };
      return mintHeadless(this.#host, { ...request, environment });
    });
  }

  /**
   * Runs the command that mints an API key, with options, and confirms the consent dialog.
   * @param whileDialogIsOpen called while the dialog is open
   */
  async mintWithConsent(options: object, whileDialogIsOpen: () => void): Promise<MintResult> {
    this.#dialogs.buttonsToPress.push('Get API Key with Wallet');
    return this.#withKeyFile(async (file) => {
      this.#environment[keyFileVariable] = file;
      try {
        const mintPromise = this.runCommand(options);
        whileDialogIsOpen();
        return await mintPromise;
      } finally {
        delete this.#environment[keyFileVariable];
      }
    });
  }

  async #withKeyFile<T>(run: (file: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'inference-service-mint-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, `${this.account.privateKey}\n`, { mode: 0o600 });
      return await run(file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Runs the command that mints an API key, with options, as another extension would. */
  runCommand(options: object): Promise<MintResult> {
    return mintKeyCommand(this.#host, options) as Promise<MintResult>;
  }

  /**
   * All stored state, log lines, messages and commands as JSON. Excludes secret storage and the detail texts of modal
   * dialogs.
   */
  get collectedOutput(): string {
    const { context, logLines } = this.fixture;
    const storedEntries = [...context.globalState.values];
    return JSON.stringify([storedEntries, logLines, this.shownMessages, this.executedCommands]);
  }

  [Symbol.dispose](): void {
    this.#restore();
    this.#dialogs[Symbol.dispose]();
    this.fixture[Symbol.dispose]();
  }

  #recordDialogDetails(): () => void {
    const { dialogDetails } = this;
    const originalShow = vscode.window.showWarningMessage;
    const show = (message: string, ...showArgs: unknown[]): unknown => {
      const [options] = showArgs;
      if (typeof options === 'object' && options !== null && 'detail' in options) {
        dialogDetails.push(String(options.detail));
      }
      return (originalShow as (...args: unknown[]) => unknown)(message, ...showArgs);
    };
    Object.assign(vscode.window, { showWarningMessage: show });
    return () => Object.assign(vscode.window, { showWarningMessage: originalShow });
  }
}

/** Returns the account with this index on the local chain. Account 4 has a stake, and account 5 has none. */
export function getChainAccount(index: number): ChainAccount {
  const account = readSuiteEnvironment().service.chain?.accounts[index];
  if (account === undefined) throw new Error('The service runs without a chain.');
  return account;
}

/** Resolves when the first quick pick is open. */
async function waitForPicker(picker: PickerProbe): Promise<void> {
  await waitUntil(() => picker.isOpen && picker.listLabels().includes(recommendedLabel));
}
