import type { ServiceFailure } from '../service/http/failure.ts';

/** Why nothing is suggested at a place. */
export type Reason =
  | { readonly kind: 'rule'; readonly rule: Rule }
  /** The model answered, and nothing of it was fit to be shown. */
  | { readonly kind: 'filtered'; readonly filter: FilterName }
  /** Too many requests failed one after the other, the last of them like this. `until`: milliseconds since the epoch. */
  | { readonly kind: 'paused'; readonly until: number; readonly failure: ServiceFailure }
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/** What keeps a request from being made. */
export type Rule = EditorRule | PipelineRule;

/** Known from the editor. */
export type EditorRule =
  | 'off'
  /** The person was not asked about this address, on this machine. */
  | 'other-service'
  | 'language-off'
  | 'snoozed'
  | 'untrusted'
  | 'scheme'
  | 'secret-file'
  | 'excluded-file'
  /** Whether it is secret or excluded is not known: it was not looked at yet, or cannot be. */
  | 'unchecked-file'
  | 'signed-out'
  | 'no-model'
  /** The best model costs far more than the person agreed to. */
  | 'too-expensive';

/** Known from the text around the cursor and from what went before. */
export type PipelineRule =
  /** Only on request, by setting. */
  | 'manual'
  | 'code-after-cursor'
  | 'comment'
  | 'long-line'
  | 'deleting'
  /** Suggestions are seldom used at such places, so that only a rest asks; it was ended. */
  | 'low-acceptance'
  /** The person typed on, or went elsewhere, before there was an answer. */
  | 'moved-on'
  /** The service took longer than a suggestion is worth waiting for; its answer is kept. */
  | 'too-slow'
  /** All of the suggestion for this place stands there already. */
  | 'already-typed'
  /** So many questions were asked in the last minute that no person can have wanted them. */
  | 'too-many-requests'
  /** There is too little text to go on. */
  | 'empty-document';

/** What a model said and why it is not shown. */
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
