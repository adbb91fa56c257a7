import type * as vscode from 'vscode';
import type { HostRule } from '../reason.ts';
import type { Host } from '../../host.ts';
import type { Agreement } from './consent.ts';
import type { CompletionActivity, UsageLedger } from './completion-activity.ts';
import type { Attempt } from './inline-provider.ts';

/** What the commands for inline suggestions and their status work with. */
export interface CompletionParts {
  readonly host: Host;
  readonly suggestions: SuggestionSwitch;
}

/**
 * Whether suggestions are made. `other-address`: the person was not asked about this address, on this machine. `too-dear`:
 * they agreed, but the best model came to cost far more since. In all but
 * `on` no provider is registered: a provider that gives nothing keeps others from being asked.
 */
export type SuggestionState =
  | 'on'
  | 'off'
  | 'other-address'
  | 'too-dear'
  | 'untrusted'
  | 'signed-out'
  | 'snoozed';

/** Inline suggestions of this window: on or off, and what is known of them. */
export interface SuggestionSwitch {
  readonly state: SuggestionState;
  /** Whether there is an address and a key for it; a request may still be refused. */
  readonly isSignedIn: boolean;
  /** Whether they are on for the editor in front; undefined without one. */
  readonly isLanguageOn: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly snoozedUntil: number | undefined;
  readonly agreement: Agreement;
  readonly activity: CompletionActivity;
  readonly ledger: UsageLedger;
  /** What makes suggestions; undefined while it is off or still loading. */
  readonly runtime: SuggestionMaker | undefined;
  snooze(minutes: number): void;
  resume(): void;
  /** The person chose the model that is in use now: they agree to its price. */
  choseModel(): void;
  /** Starts or ends what makes suggestions, as the state says. Resolves when that is done. */
  follow(): Promise<void>;
}

export interface SuggestionMaker {
  /** Why nothing would be asked in this document, wherever the cursor is; undefined when it would. Never rejects. */
  ruleOf(document: vscode.TextDocument): Promise<HostRule | undefined>;
  /** What came of the last request for a suggestion in the document. */
  lastAttempt(document: vscode.TextDocument): Attempt | undefined;
}
