import {
  array,
  boolean,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
  variant,
} from 'valibot';
import { optionsStateSchema } from './composer.ts';
import { messageProtection, modelEncryption } from '../../privacy/protocol.ts';
import { voiceSchema } from '../../speech/protocol.ts';

const text = (longest: number) => pipe(string(), maxLength(longest));

/** Where an answer is from. A source that may not be opened has an empty address. */
const citationSchema = strictObject({
  title: text(300),
  url: text(4_096),
  /** Of the address: `docs.example.com`; empty without one. */
  host: text(300),
  /** The words that were found. */
  quote: text(1_000),
  date: text(40),
});

/** In the order of their numbers, which begin at 1. */
export const citationsSchema = pipe(array(citationSchema), maxLength(50));

/** The sources of an answer that is still being written. */
export const citationsPutSchema = strictObject({
  type: literal('citations-put'),
  messageId: text(64),
  citations: citationsSchema,
});

export type CitationView = InferOutput<typeof citationSchema>;

/**
 * What the chat's webview shows, as data. The host owns it; the webview only draws it.
 * Never in here: keys, absolute paths, command ids. Schemas are the source, types are read off them.
 */

/** Ids are made by the host: opaque, short, safe in an attribute. */
export const idSchema = pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}$/u));
const count = pipe(number(), integer(), minValue(0));
const milliseconds = pipe(number(), minValue(0));

/** A message's life. Only `streaming` and `working` (its tool calls run) change by themselves. */
export const messageStatusSchema = picklist([
  'complete',
  'streaming',
  'working',
  'stopped',
  'interrupted',
  'failed',
]);

/** Something on a failure card that the person can press. */
export const failureActionSchema = strictObject({
  action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  label: pipe(string(), maxLength(80)),
});

export const failureSchema = strictObject({
  /** A code of `service/failure.ts`; the webview shows it small, for search and support. */
  code: pipe(string(), maxLength(40)),
  title: string(),
  detail: nullable(string()),
  /** Milliseconds since the epoch; while in the future the card counts down to it. */
  retryAt: nullable(number()),
  actions: array(failureActionSchema),
});

export const attachmentKinds = [
  'selection',
  'file',
  'problems',
  'folder',
  'changes',
  'terminal',
  'symbol',
  'search',
  'image',
  'document',
] as const;

export const attachmentSchema = strictObject({
  id: idSchema,
  kind: picklist(attachmentKinds),
  /** `src/app.ts` or `src/app.ts:10-20`: relative to its workspace folder. */
  label: pipe(string(), maxLength(300)),
  /** Estimated tokens that it adds to the request. */
  tokens: count,
  /** The attached text, for the chip's tooltip: its first lines only, at most 2,000 characters. */
  preview: pipe(string(), maxLength(2_000)),
  /** Length of a picture or a document; null for everything else, whose text is there. */
  bytes: nullable(count),
  /** Of a picture, its file below the state's `media`; null for everything else. */
  thumbnail: nullable(pipe(string(), regex(/^[0-9a-f]{64}\.(?:png|jpg|webp)$/u))),
});

export const statsSchema = strictObject({
  promptTokens: nullable(count),
  completionTokens: nullable(count),
  costUsd: nullable(pipe(number(), minValue(0))),
  costDiem: nullable(pipe(number(), minValue(0))),
  /** True when the cost was computed from the model's prices, not told by the service. */
  costEstimated: boolean(),
  timeToFirstTokenMs: nullable(milliseconds),
  durationMs: nullable(milliseconds),
  tokensPerSecond: nullable(pipe(number(), minValue(0))),
});

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
  durationMs: nullable(milliseconds),
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
      added: count,
      removed: count,
      review: picklist(['pending', 'accepted', 'rejected']),
    }),
  ),
  /** The whole turn was undone; it can be done again. */
  undone: boolean(),
});

export const modeSchema = picklist(['ask', 'agent']);

/** Pictures that a person asked for in the chat, and how far they are. */
export const picturesSchema = strictObject({
  /** Milliseconds since the epoch. */
  startedAt: number(),
  images: array(
    strictObject({
      id: idSchema,
      /** Below the state's `pictures`. */
      file: pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}\.(?:png|jpg|webp)$/u)),
      width: count,
      height: count,
      alt: string(),
      caption: string(),
    }),
  ),
});

export const messageSchema = strictObject({
  id: idSchema,
  role: picklist(['user', 'assistant']),
  text: string(),
  reasoning: string(),
  /** How long the model reasoned; null while it still does, or when it did not. */
  reasoningMs: nullable(milliseconds),
  status: messageStatusSchema,
  failure: nullable(failureSchema),
  attachments: array(attachmentSchema),
  toolCalls: array(toolCallSchema),
  /** Of an answer to `/image`; null for every other message. */
  pictures: nullable(picturesSchema),
  /** Which of its siblings this message is; `count` 1 means there is no other branch here. */
  branch: strictObject({ index: count, count: pipe(number(), integer(), minValue(1)) }),
  /** The model's display name, on assistant messages. */
  model: nullable(string()),
  stats: nullable(statsSchema),
  /** Characters removed from the request because they are invisible and can hide instructions. */
  hiddenCharacters: count,
  /** A summary that the model gets in place of everything before this message; null nearly always. */
  summary: nullable(string()),
  /** Where an answer is from; a mark `^1^` in its text names the first. */
  citations: citationsSchema,
  ...messageProtection,
});

export const modelSchema = strictObject({
  id: pipe(string(), maxLength(300)),
  name: string(),
  description: string(),
  contextTokens: nullable(count),
  /** USD per million tokens. */
  inputUsd: nullable(number()),
  outputUsd: nullable(number()),
  /** `private`, `anonymized`, …; empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Short capability names in a fixed order: `code`, `reasoning`, `vision`, `tools`, `web`, `private`. */
  capabilities: array(string()),
  /** How many pictures of a message it sees: 0 for none, null when unknown. */
  pictures: nullable(count),
  /** What to know before choosing, e.g. `Removed on 2026-12-01`; empty when nothing. */
  warning: string(),
  offline: boolean(),
  ...modelEncryption,
});

export const accountSchema = strictObject({
  status: picklist(['signed-out', 'signed-in', 'needs-attention']),
  profile: string(),
  /** What needs the person, when something does. */
  message: nullable(string()),
  /** The ways on: to a first key, or out of what needs the person. */
  actions: array(failureActionSchema),
});

export const chatStateSchema = strictObject({
  conversation: strictObject({ id: idSchema, title: string() }),
  messages: array(messageSchema),
  /** The answer being streamed, if any. */
  streaming: nullable(idSchema),
  attachments: array(attachmentSchema),
  /** Unsent text of the composer. */
  draft: string(),
  model: nullable(modelSchema),
  account: accountSchema,
  /** Prompts made from the open workspace, for the empty state. */
  suggestions: array(string()),
  /** The address of the folder that has the pictures of messages. */
  pictures: string(),
  /** The address of the folder that has the pictures of attachments. */
  media: string(),
  /** Lines of code blocks wrap. */
  wrapCode: boolean(),
  mode: modeSchema,
  options: optionsStateSchema,
  voice: voiceSchema,
  /** Why the model gets no tools at all, when it gets none: a sentence. */
  toolsOff: nullable(string()),
  pending: array(pendingSchema),
  changes: array(changesSchema),
  /** Instruction files of the workspace that go with every request. */
  instructions: array(strictObject({ label: pipe(string(), maxLength(300)), tokens: count })),
  /** What the running turn, or the last one, has used; `maxRequests` 0 is any number. Null before there was one. */
  turnUse: nullable(
    strictObject({
      requests: count,
      maxRequests: count,
      tokens: count,
      costUsd: nullable(pipe(number(), minValue(0))),
      costDiem: nullable(pipe(number(), minValue(0))),
    }),
  ),
  /** How full the model's context is; null while unknown. */
  context: nullable(strictObject({ usedTokens: count, limitTokens: count })),
  /**
   * Estimated tokens that go with the next message besides what was said: what the model is told, and its tools. Null
   * until something was written.
   */
  baseTokens: nullable(count),
});

export type FailureView = InferOutput<typeof failureSchema>;
export type AttachmentView = InferOutput<typeof attachmentSchema>;
export type StatsView = InferOutput<typeof statsSchema>;
export type PreviewView = InferOutput<typeof previewSchema>;
export type PendingView = InferOutput<typeof pendingSchema>;
export type ApprovalView = Extract<PendingView, { kind: 'approval' }>;
export type QuestionView = Extract<PendingView, { kind: 'question' }>;
export type ChangesView = InferOutput<typeof changesSchema>;
export type Mode = InferOutput<typeof modeSchema>;
export type ToolCallView = InferOutput<typeof toolCallSchema>;
export type PicturesView = InferOutput<typeof picturesSchema>;
export type MessageView = InferOutput<typeof messageSchema>;
export type ModelView = InferOutput<typeof modelSchema>;
export type AccountView = InferOutput<typeof accountSchema>;
export type ChatState = InferOutput<typeof chatStateSchema>;
