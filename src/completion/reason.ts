import type { ServiceFailure } from '../service/http/failure.ts';

/** Reason why there is no suggestion at a position. */
export type Reason =
  | { readonly kind: 'rule'; readonly rule: Cause }
  /** A filter removed the whole answer of the model. */
  | { readonly kind: 'filtered'; readonly filter: FilterName }
  /**
   * Requests are paused until `until` (milliseconds since the epoch), because too many requests failed. `failure` is
   * the last failure.
   */
  | { readonly kind: 'paused'; readonly until: number; readonly failure: ServiceFailure }
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/** Cause of a missing suggestion that is neither a filter nor a failure. */
export type Cause = EditorCause | PipelineCause;

/** Causes that depend on the settings, the account or the file. */
export type EditorCause =
  | 'off'
  /** The user has not consented on this machine to sending code to the service. */
  | 'other-service'
  | 'language-off'
  | 'snoozed'
  | 'untrusted'
  | 'scheme'
  | 'secret-file'
  | 'excluded-file'
  /** The check for secret or excluded files is not complete, or it failed. */
  | 'unchecked-file'
  | 'signed-out'
  | 'no-model'
  /** The best model costs more than twice the price that the user consented to. */
  | 'too-expensive';

/** Causes that depend on the text around the cursor or on previous requests. */
export type PipelineCause =
  /** Suggestions are available only through a command, because the user turned automatic suggestions off. */
  | 'manual'
  | 'code-after-cursor'
  | 'comment'
  | 'long-line'
  | 'deleting'
  /**
   * The user typed or moved the cursor before the delay ended. The delay is long at positions where the user rarely
   * accepts suggestions.
   */
  | 'low-acceptance'
  /** The user typed or moved the cursor before a suggestion arrived. */
  | 'moved-on'
  /** The answer did not arrive within the maximum wait. It is cached when it arrives. */
  | 'too-slow'
  /** The user has already typed the whole suggestion. */
  | 'already-typed'
  /** More requests were sent in the last minute than typing can cause. */
  | 'too-many-requests'
  /** The document contains no text that a suggestion could continue. */
  | 'empty-document';

/** Filter that can remove an answer. */
export type FilterName =
  | 'blank'
  | 'prose'
  | 'echo'
  | 'repeats-suffix'
  | 'repeats-previous-lines'
  | 'repeats-itself'
  | 'unbalanced'
  | 'control-characters'
  | 'just-deleted'
  | 'does-not-fit-line';
