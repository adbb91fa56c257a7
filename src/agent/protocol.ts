import {
  array,
  boolean,
  type InferOutput,
  exactOptional,
  integer,
  literal,
  maxLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  strictObject,
  string,
  variant,
} from 'valibot';
import { modes } from '../conversation/protocol.ts';
import { countSchema, idSchema, millisecondsSchema } from '../base/schema.ts';

/** Id of a tool call. The model chooses it, and it is unique only within its message. */
export const callIdSchema = pipe(string(), maxLength(128));

/** Usage, cost and speed of one request, or of several requests together. */
export const statsSchema = strictObject({
  promptTokens: nullable(countSchema),
  /** Prompt tokens that the service read from its cache; null if the service reports none. */
  cachedTokens: nullable(countSchema),
  completionTokens: nullable(countSchema),
  costUsd: nullable(pipe(number(), minValue(0))),
  costDiem: nullable(pipe(number(), minValue(0))),
  /** True if the cost is an estimate from the model's prices, because the service reported none. */
  costEstimated: boolean(),
  timeToFirstTokenMs: nullable(millisecondsSchema),
  durationMs: nullable(millisecondsSchema),
  tokensPerSecond: nullable(pipe(number(), minValue(0))),
});

const toolStepSchema = strictObject({
  id: callIdSchema,
  name: pipe(string(), maxLength(128)),
  /**
   * Status of the run; `requested` before it starts. Only a run that is `requested`, `waiting` or `running` can change
   * its status without a user action.
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
  /** Verb of the tool row, such as `Read`, `Edit` or `Run`; empty while only the tool's name is known. */
  verb: pipe(string(), maxLength(60)),
  /** Target of the call as one line of text, such as `src/app.ts:10-20` or a command line. */
  target: pipe(string(), maxLength(400)),
  /** Start of the run, in milliseconds since the epoch; null before it starts. */
  startedAt: nullable(number()),
  durationMs: nullable(millisecondsSchema),
});

/**
 * A tool call of a message, shown as one row. The chat page requests its arguments and output when the user opens the
 * row.
 */
export const toolCallSchema = strictObject({
  ...toolStepSchema.entries,
  /** Exit code of a failed command. */
  exitCode: exactOptional(pipe(number(), integer())),
  /** True if a click on the target opens a file. */
  openable: boolean(),
  /** True for a read-only call. The chat page shows adjacent read-only calls as one row. */
  readOnly: boolean(),
  /** Calls and usage of the model that worked on a delegated task. The tool row shows them while it is open. */
  delegated: exactOptional(
    strictObject({
      model: pipe(string(), maxLength(300)),
      steps: array(toolStepSchema),
      stats: statsSchema,
    }),
  ),
});

/**
 * Complete content of a call that requires approval, never shortened. May contain hidden characters, which the chat
 * page makes visible.
 */
export const previewSchema = strictObject({
  /** Language of `text`. A `diff` is a unified diff without file headers. */
  language: picklist(['shellscript', 'powershell', 'diff', 'json', 'plaintext']),
  text: string(),
  /** Working directory of a command; empty for other calls. */
  cwd: string(),
  /** Labels of the files that the call changes. */
  files: array(string()),
});

/**
 * A request that waits for the user's answer, shown in the row of its call and above the composer. Each `id` accepts
 * one answer.
 */
export const pendingSchema = variant('kind', [
  strictObject({
    kind: literal('approval'),
    id: idSchema,
    messageId: idSchema,
    callId: callIdSchema,
    /** Verb of the action, such as `Run` or `Edit`. */
    verb: string(),
    /** Target of the action as one line of text. A long command is shortened here, but complete in the preview. */
    target: string(),
    preview: previewSchema,
    /** Reasons for the approval request, one sentence each; never empty. */
    reasons: array(string()),
    /** Scopes in which the user can store the answer for similar calls; empty if the answer cannot be stored. */
    remember: array(picklist(['conversation', 'always'])),
    /**
     * Description of the calls that a stored answer would allow, such as `git status` commands or edits of files; empty
     * if the answer cannot be stored.
     */
    rememberWhat: string(),
  }),
  strictObject({
    kind: literal('question'),
    id: idSchema,
    messageId: idSchema,
    /** Id of the call that asks the question; null for the question about an exhausted turn budget. */
    callId: nullable(callIdSchema),
    text: string(),
    choices: array(string()),
    /** True if the user may type an answer. */
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
      /**
       * Progress of a review: the number of accepted changes (`count`), and of accepted and pending changes (`total`).
       * Set for a pending file in which the user has accepted some changes.
       */
      keptChanges: exactOptional(strictObject({ count: countSchema, total: countSchema })),
    }),
  ),
  /** True if the user undid the whole turn, so that a redo is possible. */
  undone: boolean(),
  /** Set if the stored record of the turn is damaged. The user can then neither review nor undo the turn. */
  isDamaged: exactOptional(literal(true)),
});

export const modeSchema = picklist(modes);

export type StatsView = InferOutput<typeof statsSchema>;
export type ToolStepView = InferOutput<typeof toolStepSchema>;
export type ToolCallView = InferOutput<typeof toolCallSchema>;
export type PreviewView = InferOutput<typeof previewSchema>;
export type PendingView = InferOutput<typeof pendingSchema>;
export type ApprovalView = Extract<PendingView, { kind: 'approval' }>;
export type QuestionView = Extract<PendingView, { kind: 'question' }>;
export type ChangesView = InferOutput<typeof changesSchema>;
