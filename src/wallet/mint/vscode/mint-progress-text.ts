import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { MintProgress } from '../mint.ts';
import { type CheckedToken, lifeLeftMs } from '../validation-token.ts';
import { countdown } from './countdown.ts';

/** What stands in the progress notification; while the wallet is open, with the time that is left to sign. */
export class MintProgressText implements Disposable {
  readonly #report: (message: string) => void;
  readonly #clock: Clock;
  #stop: () => void = () => {};

  constructor(report: (message: string) => void, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
  }

  show(progress: MintProgress | { readonly step: 'connect' }): void {
    this.#stop();
    if (progress.step === 'sign') this.#countDown(progress.token);
    else this.#report(wordsOf(progress));
  }

  dispose(): void {
    this.#stop();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #countDown(token: CheckedToken): void {
    const left = lifeLeftMs(token, this.#clock.now());
    this.#report(vscode.l10n.t('Sign in the wallet; {0} left', countdown(left)));
    if (left > 0) this.#stop = this.#clock.after(1_000, () => this.#countDown(token));
  }
}

function wordsOf(progress: Exclude<MintProgress, { step: 'sign' }> | { step: 'connect' }): string {
  switch (progress.step) {
    case 'connect':
      return vscode.l10n.t('Connecting the wallet…');
    case 'token':
      return vscode.l10n.t('Asking the service what to sign…');
    case 'verify':
      return vscode.l10n.t('Checking the signature…');
    case 'exchange':
      return vscode.l10n.t('Asking the service for the key…');
    case 'wait':
      return vscode.l10n.t('The service could not check the signature; trying again…');
  }
}
