import {
  array,
  boolean,
  type InferOutput,
  exactOptional,
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

/** Id of a tool call. The model chooses the text, which is unique within its message. */
export const callIdSchema = pipe(string(), maxLength(128));

/** Usage, cost and speed of one or several requests. */
export const statsSchema = strictObject({
  promptTokens: nullable(countSchema),
  /** Prompt tokens that the service read from its cache; null if the service reports none. */
  cachedTokens: nullable(countSchema),
  completionTokens: nullable(countSchema),
  costUsd: nullable(pipe(number(), minValue(0))),
  costDiem: nullable(pipe(number(), minValue(0))),
  /** True when the cost was estimated from the model's prices because the service reported none. */
  costEstimated: boolean(),
  timeToFirstTokenMs: nullable(millisecondsSchema),
  durationMs: nullable(millisecondsSchema),
  tokensPerSecond: nullable(pipe(number(), minValue(0))),
});

const toolStepSchema = strictObject({
  id: callIdSchema,
  name: pipe(string(), maxLength(128)),
  /**
   * Status of the run; `requested` before the run starts. Only `requested`, `waiting` and `running`
   * can change without a user action.
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
   * Verb of the row, such as `Read`, `Edit` or `Run`; empty while only the name of the tool is
   * known.
   */
  verb: pipe(string(), maxLength(60)),
  /** Target of the call on one line, such as `src/app.ts:10-20` or a command line. */
  target: pipe(string(), maxLength(400)),
  /** Start of the run, in milliseconds since the epoch; null before the start. */
  startedAt: nullable(number()),
  durationMs: nullable(millisecondsSchema),
});

/**
 * A tool call of a message, shown as one row. The page requests arguments and output when the user
 * opens the row.
 */
export const toolCallSchema = strictObject({
  ...toolStepSchema.entries,
  /** True if a click on the target opens a file. */
  openable: boolean(),
  /** True for a read-only call. Consecutive read-only calls are shown as one row. */
  readOnly: boolean(),
  /** Calls of the model that worked on a delegated task, and its usage. The open row shows them. */
  delegated: exactOptional(
    strictObject({
      model: pipe(string(), maxLength(300)),
      steps: array(toolStepSchema),
      stats: statsSchema,
    }),
  ),
});

/**
 * Complete, unshortened content of a call that the user approves. May contain hidden characters,
 * which the page makes visible.
 */
export const previewSchema = strictObject({
  /** Language of `text`. A `diff` is unified and has no file headers. */
  language: picklist(['shellscript', 'powershell', 'diff', 'json', 'plaintext']),
  text: string(),
  /** Working directory of a command; empty for other calls. */
  cwd: string(),
  /** Labels of the files that the call changes. */
  files: array(string()),
});

/**
 * A request that waits for the user, shown in the row of its call and above the composer. The user
 * can answer an `id` only once.
 */
export const pendingSchema = variant('kind', [
  strictObject({
    kind: literal('approval'),
    id: idSchema,
    messageId: idSchema,
    callId: callIdSchema,
    /** Verb of the action, such as `Run` or `Edit`. */
    verb: string(),
    /** Target of the action on one line. Shortened for a long command, which the preview contains completely. */
    target: string(),
    preview: previewSchema,
    /** Reasons for the approval request, one sentence each; never empty. */
    reasons: array(string()),
    /** Scopes in which the user can store the answer. */
    remember: array(picklist(['conversation', 'always'])),
    /**
     * Description of the calls that a stored answer allows later, such as `git status` commands or
     * edits of files. Empty if the answer cannot be stored.
     */
    rememberWhat: string(),
  }),
  strictObject({
    kind: literal('question'),
    id: idSchema,
    messageId: idSchema,
    /**
     * Id of the call that contains the question. Null for the question that follows a used-up turn
     * budget.
     */
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
    }),
  ),
  /** True if the user undid the whole turn. A redo is then possible. */
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
