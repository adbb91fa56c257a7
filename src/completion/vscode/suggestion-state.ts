import type * as vscode from 'vscode';
import type { EditorRule } from '../reason.ts';
import type { Host } from '../../host.ts';
import type { CompletionConsent } from './consent.ts';
import type { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { Attempt } from './inline-provider.ts';

/** Dependencies of the commands and the status bar section. */
export interface CompletionContext {
  readonly host: Host;
  readonly suggestions: SuggestionsState;
}

/**
 * State of inline suggestions. `other-service`: no consent for this service on this machine.
 * `too-expensive`: the price has more than doubled since the consent. A provider is registered only
 * in the state `on`, because a provider without results prevents VS Code from calling other
 * providers.
 */
export type SuggestionState =
  | 'on'
  | 'off'
  | 'other-service'
  | 'too-expensive'
  | 'untrusted'
  | 'signed-out'
  | 'snoozed';

/** State of the inline suggestions of this window, for the commands and the status bar. */
export interface SuggestionsState {
  readonly state: SuggestionState;
  /** True with a service address and an API key. The service may still reject them. */
  readonly isSignedIn: boolean;
  /** True if suggestions are on for the active editor's language; undefined without an editor. */
  readonly isLanguageOn: boolean | undefined;
  /** End of the snooze in milliseconds since the epoch. */
  readonly snoozedUntil: number | undefined;
  readonly consent: CompletionConsent;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  /** Running pipeline; undefined while off or loading. */
  readonly runtime: SuggestionRuntime | undefined;
  snooze(minutes: number): void;
  resume(): void;
  /** Consents to the price of the current model, which the user chose. */
  acceptModelPrice(): void;
  /** Starts or stops the runtime according to the state. Resolves when done. */
  updateRuntime(): Promise<void>;
}

export interface SuggestionRuntime {
  /** Returns the rule against requests anywhere in a document; undefined when requests are allowed. Never rejects. */
  ruleOf(document: vscode.TextDocument): Promise<EditorRule | undefined>;
  /** Returns the last attempt in a document. */
  lastAttempt(document: vscode.TextDocument): Attempt | undefined;
}
