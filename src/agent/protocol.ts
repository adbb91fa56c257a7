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

/** The id that a model gave a call: any text, unique within its message. */
export const callIdSchema = pipe(string(), maxLength(128));

/** A tool call of a message: one row. Its arguments and output are asked for when the row is opened. */
export const toolCallSchema = strictObject({
  id: callIdSchema,
  name: pipe(string(), maxLength(128)),
  /** `requested` until something is known of it; only `requested`, `waiting` and `running` change by themselves. */
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
  /** `Read`, `Edited`, `Ran`; empty while only the name is known. */
  verb: pipe(string(), maxLength(60)),
  /** One line: `src/app.ts:10-20`, a command line. */
  target: pipe(string(), maxLength(400)),
  /** A click on the target opens something. */
  openable: boolean(),
  /** Consecutive ones are shown as one row. */
  readOnly: boolean(),
  /** Milliseconds since the epoch. */
  startedAt: nullable(number()),
  durationMs: nullable(millisecondsSchema),
});

/** What a call was asked to do, whole; never shortened, hidden characters still in it: the view makes them visible. */
export const previewSchema = strictObject({
  /** `diff` is unified, without file headers. */
  language: picklist(['shellscript', 'powershell', 'diff', 'json', 'plaintext']),
  text: string(),
  /** Working directory of a command; empty for anything else. */
  cwd: string(),
  /** Labels of the files that change. */
  files: array(string()),
});

/** Something that waits for the person: shown in its row and above the composer. `id` holds for one answer. */
export const pendingSchema = variant('kind', [
  strictObject({
    kind: literal('approval'),
    id: idSchema,
    messageId: idSchema,
    callId: callIdSchema,
    /** `Run this command?` */
    title: string(),
    preview: previewSchema,
    /** Why it asks, a sentence each; never empty. */
    reasons: array(string()),
    /** What may be remembered beyond this once. */
    remember: array(picklist(['conversation', 'always'])),
    /** What would be remembered, in words: `git status` commands, edits of files. Empty when nothing may be. */
    rememberWhat: string(),
  }),
  strictObject({
    kind: literal('question'),
    id: idSchema,
    messageId: idSchema,
    /** Null when it is not the model that asks: the turn used up its budget. */
    callId: nullable(callIdSchema),
    text: string(),
    choices: array(string()),
    /** Whether an answer in own words is taken too. */
    freeText: boolean(),
  }),
]);

/** What a turn changed in files. */
export const changesSchema = strictObject({
  /** The person's message that began the turn. */
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
  /** The whole turn was undone; it can be done again. */
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
