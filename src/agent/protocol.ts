import {
  array,
  boolean,
  type InferOutput,
  literal,
  maxLength,
  nullable,
  number,
  picklist,
  pipe,
  strictObject,
  string,
  variant,
} from 'valibot';
import { countSchema, idSchema, millisecondsSchema } from '../base/schema.ts';

/** Id that the model gave a call: any text, unique within its message. */
export const callIdSchema = pipe(string(), maxLength(128));

/**
 * A tool call of a message, shown as one row. Its arguments and output are requested when the row
 * is opened.
 */
export const toolCallSchema = strictObject({
  id: callIdSchema,
  name: pipe(string(), maxLength(128)),
  /**
   * `requested` until the run starts. Only `requested`, `waiting` and `running` can change without
   * a user action.
   */
  status: picklist([
    'requested',
    'waiting',
    'running',
    'done',
    'failed',
    'denied',
    'cancelled',
    'not-run',
  ]),
  /**
   * Verb of the row, such as `Read`, `Edited` or `Ran`; empty while only the tool's name is known.
   */
  verb: pipe(string(), maxLength(60)),
  /** Target of the row in one line, such as `src/app.ts:10-20` or a command line. */
  target: pipe(string(), maxLength(400)),
  /** True if a click on the target opens a file. */
  openable: boolean(),
  /** True for a read-only call. Consecutive read-only calls are shown as one row. */
  readOnly: boolean(),
  /** Milliseconds since the epoch. */
  startedAt: nullable(number()),
  durationMs: nullable(millisecondsSchema),
});

/**
 * Complete content of a call, never shortened. Hidden characters are still included; the view makes
 * them visible.
 */
export const previewSchema = strictObject({
  /** `diff` is unified, without file headers. */
  language: picklist(['shellscript', 'powershell', 'diff', 'json', 'plaintext']),
  text: string(),
  /** Working directory of a command; empty for other calls. */
  cwd: string(),
  /** Labels of the files that change. */
  files: array(string()),
});

/**
 * A request that waits for the user, shown in its row and above the composer. `id` is valid for one
 * answer.
 */
export const pendingSchema = variant('kind', [
  strictObject({
    kind: literal('approval'),
    id: idSchema,
    messageId: idSchema,
    callId: callIdSchema,
    /** Title such as `Run this command?` */
    title: string(),
    preview: previewSchema,
    /** Reasons for asking, one sentence each; never empty. */
    reasons: array(string()),
    /** Scopes in which the answer can be remembered. */
    remember: array(picklist(['conversation', 'always'])),
    /**
     * Description of the grant, such as `git status` commands or edits of files. Empty when nothing
     * can be remembered.
     */
    rememberWhat: string(),
  }),
  strictObject({
    kind: literal('question'),
    id: idSchema,
    messageId: idSchema,
    /** Null when the turn's budget is used up, as opposed to a question by the model. */
    callId: nullable(callIdSchema),
    text: string(),
    choices: array(string()),
    /** The user may type an answer instead of choosing one. */
    freeText: boolean(),
  }),
]);

/** File changes of a turn. */
export const changesSchema = strictObject({
  /** Id of the user message that started the turn. */
  turnId: idSchema,
  files: array(
    strictObject({
      label: string(),
      change: picklist(['edited', 'created', 'deleted', 'renamed']),
      added: countSchema,
      removed: countSchema,
      review: picklist(['pending', 'accepted', 'rejected']),
    }),
  ),
  /** The whole turn was undone and can be redone. */
  undone: boolean(),
});

export const modeSchema = picklist(['ask', 'agent']);

export type ToolCallView = InferOutput<typeof toolCallSchema>;
export type PreviewView = InferOutput<typeof previewSchema>;
export type PendingView = InferOutput<typeof pendingSchema>;
export type ApprovalView = Extract<PendingView, { kind: 'approval' }>;
export type QuestionView = Extract<PendingView, { kind: 'question' }>;
export type ChangesView = InferOutput<typeof changesSchema>;
export type Mode = InferOutput<typeof modeSchema>;
