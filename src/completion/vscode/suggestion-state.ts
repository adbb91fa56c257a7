import type * as vscode from 'vscode';
import type { EditorRule } from '../reason.ts';
import type { Host } from '../../host.ts';
import type { CompletionConsent } from './consent.ts';
import type { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { Attempt } from './inline-provider.ts';

/** What the commands for inline suggestions and their status work with. */
export interface CompletionContext {
  readonly host: Host;
  readonly suggestions: SuggestionsState;
}

/**
 * Whether suggestions are made. `other-address`: the person was not asked about this address, on this machine. `too-dear`:
 * they agreed, but the best model came to cost far more since. In all but
 * `on` no provider is registered: a provider that gives nothing keeps others from being asked.
 */
export type SuggestionState =
  | 'on'
  | 'off'
  | 'other-service'
  | 'too-expensive'
  | 'untrusted'
  | 'signed-out'
  | 'snoozed';

/** Inline suggestions of this window: on or off, and what is known of them. */
export interface SuggestionsState {
  readonly state: SuggestionState;
  /** Whether there is an address and a key for it; a request may still be refused. */
  readonly isSignedIn: boolean;
  /** Whether they are on for the editor in front; undefined without one. */
  readonly isLanguageOn: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly snoozedUntil: number | undefined;
  readonly consent: CompletionConsent;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  /** What makes suggestions; undefined while it is off or still loading. */
  readonly runtime: SuggestionRuntime | undefined;
  snooze(minutes: number): void;
  resume(): void;
  /** The person chose the model that is in use now: they agree to its price. */
  acceptModelPrice(): void;
  /** Starts or ends what makes suggestions, as the state says. Resolves when that is done. */
  follow(): Promise<void>;
}

export interface SuggestionRuntime {
  /** Why nothing would be asked in this document, wherever the cursor is; undefined when it would. Never rejects. */
  ruleOf(document: vscode.TextDocument): Promise<EditorRule | undefined>;
  /** What came of the last request for a suggestion in the document. */
  lastAttempt(document: vscode.TextDocument): Attempt | undefined;
}
