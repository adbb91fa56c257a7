import * as vscode from 'vscode';
import { isSignedIn } from '../../account/vscode/account.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { CompletionRuntime } from './completion-runtime.ts';
import {
  getConfiguredModelPrice,
  getCompletionModelName,
  completionSection,
  isLanguageEnabled,
} from './completion-settings.ts';
import { CompletionConsent } from './consent.ts';
import type { SuggestionState, SuggestionsState } from './suggestion-state.ts';
import type { Host } from '../../host.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { onDidChangeSettings, getSetting } from '../../platform/settings.ts';

/** Pause of suggestions for a limited time. */
export class Snooze implements Disposable {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #endsAt = 0;
  #cancel = (): void => {};

  /** @param onEnd called at the end of the pause, but not after {@link end} */
  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** End of the pause in milliseconds since the epoch; undefined if suggestions are not paused. */
  get endsAt(): number | undefined {
    return this.#endsAt > this.#clock.now() ? this.#endsAt : undefined;
  }

  /** Starts a pause of the given length. Replaces the current pause, if any. */
  begin(minutes: number): void {
    const durationMs = minutes * 60_000;
    this.#cancel();
    this.#endsAt = this.#clock.now() + durationMs;
    this.#cancel = this.#clock.after(durationMs, () => {
      // The timer may fire slightly before the clock reaches the end of the pause.
      this.#endsAt = 0;
      this.#onEnd();
    });
  }

  /** Ends the pause without a call of `onEnd`. */
  end(): void {
    this.#cancel();
    this.#endsAt = 0;
  }

  dispose(): void {
    this.#cancel();
  }
}

/** State and runtime of inline suggestions in this window. The runtime loads when suggestions are on. */
export class InlineSuggestions implements SuggestionsState, Disposable {
  readonly consent: CompletionConsent;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly #keys = new ContextKeys();
  readonly #onDidChangeEmitter: Emitter<void>;
  readonly #snooze: Snooze;
  #runtime: CompletionRuntime | undefined;
  #updatePromise: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(host: Host) {
    const { clock } = host.service;
    this.#host = host;
    this.activity = this.#disposables.add(new CompletionActivity(clock));
    this.consent = new CompletionConsent(host.context.globalState);
    this.ledger = new UsageLedger(host.context.globalState, clock);
    this.#onDidChangeEmitter = this.#disposables.add(
      new Emitter<void>((error) => host.log.error('Could not run a listener', error)),
    );
    this.#snooze = this.#disposables.add(new Snooze(clock, () => void this.updateRuntime()));
    this.#disposables.add(this.activity.onDidChange(() => this.#onDidChangeEmitter.fire()));
  }

  /** Fires when the state, the activity or the active editor changes. */
  get onDidChange(): Event<void> {
    return this.#onDidChangeEmitter.event;
  }

  get state(): SuggestionState {
    if (!getSetting('inferenceService.completion.enabled')) return 'off';
    if (!vscode.workspace.isTrusted) return 'untrusted';
    if (!this.isSignedIn) return 'signed-out';
    if (!this.consent.hasConsent(this.#host.account.profile)) return 'other-service';
    if (this.#isTooExpensive) return 'too-expensive';
    return this.snoozedUntil === undefined ? 'on' : 'snoozed';
  }

  get isSignedIn(): boolean {
    return isSignedIn(this.#host.account);
  }

  get isLanguageOn(): boolean | undefined {
    const languageId = vscode.window.activeTextEditor?.document.languageId;
    return languageId === undefined ? undefined : isLanguageEnabled(languageId);
  }

  get snoozedUntil(): number | undefined {
    return this.#snooze.endsAt;
  }

  get runtime(): CompletionRuntime | undefined {
    return this.#runtime;
  }

  /** Starts to observe the settings, the account, the models and workspace trust. */
  start(): void {
    this.#disposables.add(this.#host.account.onDidChange(() => void this.updateRuntime()));
    this.#disposables.add(this.#host.models.onDidChange(() => this.#handleModelsChange()));
    this.#disposables.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.updateRuntime()),
    );
    this.#disposables.add(
      vscode.window.onDidChangeActiveTextEditor(() => this.#onDidChangeEmitter.fire()),
    );
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.completion.model'], () => this.acceptModelPrice()),
    );
    this.#disposables.add(
      onDidChangeSettings([completionSection], () => this.#handleSettingsChange()),
    );
    this.#handleSettingsChange();
  }

  snooze(minutes: number): void {
    this.#snooze.begin(minutes);
    void this.updateRuntime();
  }

  resume(): void {
    this.#snooze.end();
    void this.updateRuntime();
  }

  acceptModelPrice(): void {
    const currentService = this.#currentService;
    if (this.consent.hasConsent(currentService)) void this.consent.add(currentService);
    void this.updateRuntime();
  }

  updateRuntime(): Promise<void> {
    this.#updatePromise = this.#updatePromise.then(() => this.#startOrStop());
    this.#updateContextKeys();
    this.#onDidChangeEmitter.fire();
    return this.#updatePromise;
  }

  /** Records that a chat received an answer. Completes the chat step of the walkthrough. */
  reportAnswer(): void {
    this.#keys.set('answered', true);
  }

  /**
   * True if an empty chat offers to turn suggestions on: suggestions are off, the user is signed in, the workspace is
   * trusted, and the user has not dismissed the offer.
   */
  get isOffered(): boolean {
    return (
      this.state === 'off' &&
      this.isSignedIn &&
      vscode.workspace.isTrusted &&
      this.#host.context.globalState.get(offerClosedKey) !== true
    );
  }

  async acceptSuggestionsOffer(): Promise<void> {
    const { turnOnSuggestions } = await import('./turn-on.ts');
    await turnOnSuggestions({ host: this.#host, suggestions: this });
  }

  async closeSuggestionsOffer(): Promise<void> {
    await this.#host.context.globalState.update(offerClosedKey, true);
    this.#onDidChangeEmitter.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#runtime?.dispose();
    this.#runtime = undefined;
    this.#disposables.dispose();
  }

  async close(): Promise<void> {
    const runtime = this.#runtime;
    this.dispose();
    await Promise.all([runtime?.save(), this.ledger.flush()]);
  }

  /** Updates the context keys that determine which commands the Command Palette shows. */
  #updateContextKeys(): void {
    const { state } = this;
    const needsConsent = state === 'off' || state === 'other-service' || state === 'too-expensive';
    this.#keys.set('completion.isOn', !needsConsent);
    this.#keys.set('completion.isSnoozed', state === 'snoozed');
  }

  #handleSettingsChange(): void {
    void this.consent.applySetting(
      getSetting('inferenceService.completion.enabled'),
      this.isSignedIn ? this.#currentService : undefined,
    );
    this.activity.clearFailure();
    void this.updateRuntime();
  }

  #handleModelsChange(): void {
    const { price, ...service } = this.#currentService;
    void this.consent.recordPrice(price, service);
    void this.updateRuntime();
  }

  get #currentService(): { readonly baseUrl: string; readonly price: number | undefined } {
    const { baseUrl } = this.#host.account.profile;
    return { baseUrl, price: getConfiguredModelPrice(this.#host) };
  }

  /**
   * Checks whether the best model costs more than twice the price that the user consented to. Always false for a model
   * that the user selected.
   */
  get #isTooExpensive(): boolean {
    if (getCompletionModelName() !== '') return false;
    return this.consent.isTooExpensive(
      getConfiguredModelPrice(this.#host),
      this.#host.account.profile,
    );
  }

  async #startOrStop(): Promise<void> {
    if (!this.#shouldRun) {
      void this.#runtime?.save();
      this.#runtime?.dispose();
      this.#runtime = undefined;
      return;
    }
    if (this.#runtime !== undefined) return;
    try {
      const { CompletionRuntime } = await import('./completion-runtime.ts');
      if (!this.#shouldRun) return;
      this.#runtime = new CompletionRuntime(this.#host, this);
    } catch (error) {
      this.#host.log.error('Could not start inline suggestions', error);
    }
  }

  get #shouldRun(): boolean {
    return !this.#isDisposed && this.state === 'on';
  }
}

const offerClosedKey = 'completion.offered';
