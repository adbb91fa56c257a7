import type { ServiceFailure } from '../service/http/failure.ts';

/** Reason for no suggestion at a position. */
export type Reason =
  | { readonly kind: 'rule'; readonly rule: Rule }
  /** A filter removed all of the model's answer. */
  | { readonly kind: 'filtered'; readonly filter: FilterName }
  /** Too many requests failed in a row; `failure` is the last. `until` is in milliseconds since the epoch. */
  | { readonly kind: 'paused'; readonly until: number; readonly failure: ServiceFailure }
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/** Rule that prevents a request. */
export type Rule = EditorRule | PipelineRule;

/** Rules that depend on the editor, the account and the file. */
export type EditorRule =
  | 'off'
  /** The user has not consented to sending code to this service on this machine. */
  | 'other-service'
  | 'language-off'
  | 'snoozed'
  | 'untrusted'
  | 'scheme'
  | 'secret-file'
  | 'excluded-file'
  /** The extension has not yet checked, or cannot check, whether the file is secret or excluded. */
  | 'unchecked-file'
  | 'signed-out'
  | 'no-model'
  /** The best model costs more than twice the price that the user consented to. */
  | 'too-expensive';

/** Rules that depend on the text around the cursor and on earlier requests. */
export type PipelineRule =
  /** The user allows suggestions only through the command. */
  | 'manual'
  | 'code-after-cursor'
  | 'comment'
  | 'long-line'
  | 'deleting'
  /**
   * The user continued before the delay ended. The delay is long because the user rarely accepts
   * suggestions at such positions.
   */
  | 'low-acceptance'
  /** The user typed on or moved the cursor before a suggestion arrived. */
  | 'moved-on'
  /** The answer took longer than the maximum wait. It is cached when it arrives. */
  | 'too-slow'
  /** The document already contains the whole suggestion. */
  | 'already-typed'
  /** More requests started in the last minute than typing can cause. */
  | 'too-many-requests'
  /** The document has no text that a suggestion could continue. */
  | 'empty-document';

/** Filter that removed a model's answer. */
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
