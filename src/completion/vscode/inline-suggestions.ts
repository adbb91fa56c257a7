import * as vscode from 'vscode';
import { isSignedIn } from '../../account/vscode/account.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { CompletionRuntime } from './completion-runtime.ts';
import {
  configuredModelPrice,
  completionModelName,
  completionSection,
  isLanguageOn,
} from './completion-settings.ts';
import { CompletionConsent } from './consent.ts';
import type { SuggestionState, SuggestionsState } from './suggestion-state.ts';
import type { Host } from '../../host.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { onDidChangeSettings, setting } from '../../platform/settings.ts';

/** A rest of suggestions that ends by itself. */
export class Snooze implements Disposable {
  readonly #clock: Clock;
  readonly #ended: () => void;
  #until = 0;
  #cancel = (): void => {};

  /** `ended` is called when a rest has ended by itself: `until` says so by then. */
  constructor(clock: Clock, ended: () => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Milliseconds since the epoch; undefined while there is no rest. */
  get until(): number | undefined {
    return this.#until > this.#clock.now() ? this.#until : undefined;
  }

  /** Begins a rest anew, in place of one that is on. */
  begin(minutes: number): void {
    const ms = minutes * 60_000;
    this.#cancel();
    this.#until = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => {
      // The timer may be a moment ahead of the clock, and nothing else would end the rest.
      this.#until = 0;
      this.#ended();
    });
  }

  /** Ends a rest before its time, without a word. */
  end(): void {
    this.#cancel();
    this.#until = 0;
  }

  dispose(): void {
    this.#cancel();
  }
}

/** Inline suggestions of this window: on or off, and what is known of them. All that makes them is loaded when on. */
export class InlineSuggestions implements SuggestionsState, Disposable {
  readonly consent: CompletionConsent;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #keys = new ContextKeys();
  readonly #changed: Emitter<void>;
  readonly #snooze: Snooze;
  #runtime: CompletionRuntime | undefined;
  #following: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(host: Host) {
    const { clock } = host.service;
    this.#host = host;
    this.activity = this.#owned.add(new CompletionActivity(clock));
    this.consent = new CompletionConsent(host.context.globalState);
    this.ledger = new UsageLedger(host.context.globalState, clock);
    this.#changed = this.#owned.add(
      new Emitter<void>((error) => host.log.error('A listener', error)),
    );
    this.#snooze = this.#owned.add(new Snooze(clock, () => void this.follow()));
    this.#owned.add(this.activity.onDidChange(() => this.#changed.fire()));
  }

  /** Its state, its activity or the editor in front changed. */
  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  get state(): SuggestionState {
    if (!setting('inferenceService.completion.enabled')) return 'off';
    if (!vscode.workspace.isTrusted) return 'untrusted';
    if (!this.isSignedIn) return 'signed-out';
    if (!this.consent.covers(this.#host.account.profile)) return 'other-service';
    if (this.#isTooDear) return 'too-expensive';
    return this.snoozedUntil === undefined ? 'on' : 'snoozed';
  }

  get isSignedIn(): boolean {
    return isSignedIn(this.#host.account);
  }

  get isLanguageOn(): boolean | undefined {
    const languageId = vscode.window.activeTextEditor?.document.languageId;
    return languageId === undefined ? undefined : isLanguageOn(languageId);
  }

  get snoozedUntil(): number | undefined {
    return this.#snooze.until;
  }

  get runtime(): CompletionRuntime | undefined {
    return this.#runtime;
  }

  /** Follows settings, account and trust from now on. */
  start(): void {
    this.#owned.add(this.#host.account.onDidChange(() => void this.follow()));
    this.#owned.add(this.#host.models.onDidChange(() => this.#followModels()));
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.follow()));
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.#changed.fire()));
    this.#owned.add(
      onDidChangeSettings(['inferenceService.completion.model'], () => this.acceptModelPrice()),
    );
    this.#owned.add(onDidChangeSettings([completionSection], () => this.#followSettings()));
    this.#followSettings();
  }

  snooze(minutes: number): void {
    this.#snooze.begin(minutes);
    void this.follow();
  }

  resume(): void {
    this.#snooze.end();
    void this.follow();
  }

  acceptModelPrice(): void {
    const inUse = this.#inUse;
    if (this.consent.covers(inUse)) void this.consent.add(inUse);
    void this.follow();
  }

  follow(): Promise<void> {
    this.#following = this.#following.then(() => this.#startOrEnd());
    this.#tellState();
    this.#changed.fire();
    return this.#following;
  }

  /** A chat has answered, so all works: offers to turn them on, once, ever. Never rejects. */
  async offerAfterFirstAnswer(): Promise<void> {
    this.#keys.set('answered', true);
    const { globalState } = this.#host.context;
    const isRight = this.state === 'off' && this.isSignedIn && vscode.workspace.isTrusted;
    if (!isRight || globalState.get(offered) === true) return;
    try {
      // Before the question: a window that is closed over it was told.
      await globalState.update(offered, true);
      const { offerSuggestions } = await import('./turn-on.ts');
      await offerSuggestions({ host: this.#host, suggestions: this });
    } catch (error) {
      this.#host.log.error('Inline suggestions could not be offered', error);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#runtime?.dispose();
    this.#runtime = undefined;
    this.#owned.dispose();
  }

  async close(): Promise<void> {
    const runtime = this.#runtime;
    this.dispose();
    await Promise.all([runtime?.save(), this.ledger.flush()]);
  }

  /** The palette shows only the commands that do something now. */
  #tellState(): void {
    const { state } = this;
    const asks = state === 'off' || state === 'other-service' || state === 'too-expensive';
    this.#keys.set('completion.isOn', !asks);
    this.#keys.set('completion.isSnoozed', state === 'snoozed');
  }

  #followSettings(): void {
    void this.consent.followSetting(
      setting('inferenceService.completion.enabled'),
      this.isSignedIn ? this.#inUse : undefined,
    );
    this.activity.forgetFailure();
    void this.follow();
  }

  #followModels(): void {
    const { price, ...address } = this.#inUse;
    void this.consent.recordPrice(price, address);
    void this.follow();
  }

  get #inUse(): { readonly baseUrl: string; readonly price: number | undefined } {
    const { baseUrl } = this.#host.account.profile;
    return { baseUrl, price: configuredModelPrice(this.#host) };
  }

  /** Who chose a model chose its price. The best one for code may be another tomorrow. */
  get #isTooDear(): boolean {
    if (completionModelName() !== '') return false;
    return this.consent.isTooExpensive(
      configuredModelPrice(this.#host),
      this.#host.account.profile,
    );
  }

  async #startOrEnd(): Promise<void> {
    if (!this.#isWanted) {
      void this.#runtime?.save();
      this.#runtime?.dispose();
      this.#runtime = undefined;
      return;
    }
    if (this.#runtime !== undefined) return;
    try {
      const { CompletionRuntime } = await import('./completion-runtime.ts');
      if (!this.#isWanted) return;
      this.#runtime = new CompletionRuntime(this.#host, this);
    } catch (error) {
      this.#host.log.error('Inline suggestions could not start', error);
    }
  }

  get #isWanted(): boolean {
    return !this.#isDisposed && this.state === 'on';
  }
}

const offered = 'completion.offered';
