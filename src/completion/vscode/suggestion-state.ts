import type * as vscode from 'vscode';
import type { EditorCause } from '../reason.ts';
import type { Host } from '../../host.ts';
import type { CompletionConsent } from './consent.ts';
import type { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { ProviderAttempt } from './inline-provider.ts';

/** Objects that the commands of inline suggestions use. */
export interface CompletionContext {
  readonly host: Host;
  readonly suggestions: SuggestionsState;
}

/**
 * State of inline suggestions. The provider is registered only in the state `on`, because a registered provider without
 * results prevents VS Code from calling other providers.
 * - `other-service`: the user has not consented to the service on this machine.
 * - `too-expensive`: the price has more than doubled since the consent.
 */
export type SuggestionState =
  | 'on'
  | 'off'
  | 'other-service'
  | 'too-expensive'
  | 'untrusted'
  | 'signed-out'
  | 'snoozed';

/** State of inline suggestions that commands and the status bar use. */
export interface SuggestionsState {
  readonly state: SuggestionState;
  /** True if the account has a base URL and an API key. The service may still reject the key. */
  readonly isSignedIn: boolean;
  /** True if suggestions are on for the language of the active editor; undefined without an editor. */
  readonly isLanguageOn: boolean | undefined;
  /** End of the snooze in milliseconds since the epoch; undefined if suggestions are not snoozed. */
  readonly snoozedUntil: number | undefined;
  readonly consent: CompletionConsent;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  /** Runtime of the suggestions; undefined while suggestions are off or the runtime is loading. */
  readonly runtime: SuggestionRuntime | undefined;
  snooze(minutes: number): void;
  resume(): void;
  /** Records the user's consent to the price of the model that the user selected. */
  acceptModelPrice(): void;
  /** Starts or stops the runtime depending on the state. Resolves when the runtime has started or stopped. */
  updateRuntime(): Promise<void>;
}

export interface SuggestionRuntime {
  /**
   * Returns the rule that prevents requests in the whole document; undefined if requests are allowed. Never rejects.
   */
  getBlockingCause(document: vscode.TextDocument): Promise<EditorCause | undefined>;
  /** Returns the last provider call in a document. */
  getLastAttempt(document: vscode.TextDocument): ProviderAttempt | undefined;
}
