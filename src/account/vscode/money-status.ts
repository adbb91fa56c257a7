import * as vscode from 'vscode';
import { type BudgetUsage, hoursAndMinutes, msUntilRefresh } from '../budget.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { daysLeft } from '../key-expiry.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { Account } from './account.ts';
import type { LazyBudget } from './budget.ts';
import { balanceText } from './account-view.ts';
import { budgetFromSettings, formatBudgetUsage } from './budget-labels.ts';
import { ExpiryWatch } from './expiry-watch.ts';

type Row = readonly [name: string, value: string];

/** Sources of the account status. */
export interface AccountDependencies {
  readonly account: Account;
  readonly service: Pick<ServiceContext, 'clock'>;
  readonly log: Log;
  /** The user's budget; undefined if spending is not recorded. */
  readonly budget?: LazyBudget;
}

/** Refresh interval in milliseconds. The hover shows durations in minutes. */
const refreshIntervalMs = 60_000;

/** Balance, budget and key expiration for the hover of the status bar entry. */
export class MoneyStatus implements Disposable {
  readonly #dependencies: AccountDependencies;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #onDidChangeEmitter: Emitter<void>;
  readonly #expiry: ExpiryWatch;
  #usages: readonly BudgetUsage[] = [];
  #cancel = (): void => {};
  #isWatching = false;

  constructor(dependencies: AccountDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.service.clock;
    this.#onDidChangeEmitter = this.#owned.add(
      new Emitter<void>((error) => dependencies.log.error('Could not run a listener', error)),
    );
    this.#expiry = this.#owned.add(new ExpiryWatch(dependencies.account, this.#clock));
    this.#owned.add(onDidChangeSettings(['inferenceService.budget'], () => void this.#refresh()));
    this.#refreshRepeatedly();
  }

  get onDidChange(): Emitter<void>['event'] {
    return this.#onDidChangeEmitter.event;
  }

  get rows(): readonly Row[] {
    const { balance } = this.#dependencies.account;
    const rows: Row[] = [
      [vscode.l10n.t('Balance'), balanceText(balance) || vscode.l10n.t('unknown')],
    ];
    if (balance.diem !== undefined) {
      rows.push([vscode.l10n.t('Next DIEM'), this.#refreshText()]);
    }
    rows.push(
      ...this.#usages.map((usage): Row => [vscode.l10n.t('Budget'), formatBudgetUsage(usage)]),
    );
    const expiry = this.#expiryText();
    if (expiry !== undefined) rows.push([vscode.l10n.t('API key'), expiry]);
    return rows;
  }

  dispose(): void {
    this.#cancel();
    this.#owned.dispose();
  }

  #refreshText(): string {
    const [hours, minutes] = hoursAndMinutes(msUntilRefresh(this.#clock.now()));
    return vscode.l10n.t('in {0} h {1} min', hours, minutes);
  }

  #expiryText(): string | undefined {
    const days = daysLeft(this.#expiry.expiresAt, this.#clock.now());
    if (days === undefined) return undefined;
    if (days === 0) return vscode.l10n.t('expired');
    return days === 1
      ? vscode.l10n.t('expires within a day')
      : vscode.l10n.t('expires in {0} days', days);
  }

  #refreshRepeatedly(): void {
    void this.#refresh();
    this.#cancel = this.#clock.after(refreshIntervalMs, () => this.#refreshRepeatedly());
  }

  /** Reads the budget usage if the user has set a budget. */
  async #refresh(): Promise<void> {
    const { daily, monthly } = budgetFromSettings();
    const hasBudget = daily !== undefined || monthly !== undefined;
    const watch = hasBudget ? await this.#dependencies.budget?.watch() : undefined;
    if (watch !== undefined && !this.#isWatching) {
      this.#isWatching = true;
      this.#owned.add(watch.onDidChange(() => void this.#refresh()));
    }
    this.#usages = (await watch?.usages()) ?? [];
    this.#onDidChangeEmitter.fire();
  }
}
