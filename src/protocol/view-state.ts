/**
 * What the chat's webview shows, as data. The host owns it; the webview only draws it.
 * Never in here: keys, absolute paths, command ids. Schemas are the source, types are read off them.
 */
import {
  array,
  boolean,
  type InferOutput,
  integer,
  maxLength,
  minValue,
  nullable,
  number,
  pipe,
  picklist,
  regex,
  strictObject,
  string,
} from 'valibot';

/** Ids are made by the host: opaque, short, safe in an attribute. */
export const idSchema = pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}$/u));
const count = pipe(number(), integer(), minValue(0));
const milliseconds = pipe(number(), minValue(0));

/** A message's life. `streaming` is the only state that changes by itself. */
export const messageStatusSchema = picklist([
  'complete',
  'streaming',
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

export const attachmentSchema = strictObject({
  id: idSchema,
  kind: picklist(['selection', 'file', 'problems']),
  /** `src/app.ts` or `src/app.ts:10-20`: relative to its workspace folder. */
  label: pipe(string(), maxLength(300)),
  /** Estimated tokens that it adds to the request. */
  tokens: count,
  /** The attached text, for the chip's tooltip: its first lines only, at most 2,000 characters. */
  preview: pipe(string(), maxLength(2_000)),
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

/** A tool call the model asked for; shown, never run by the webview. */
export const toolCallSchema = strictObject({
  id: pipe(string(), maxLength(128)),
  name: pipe(string(), maxLength(128)),
  arguments: string(),
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
  /** Which of its siblings this message is; `count` 1 means there is no other branch here. */
  branch: strictObject({ index: count, count: pipe(number(), integer(), minValue(1)) }),
  /** The model's display name, on assistant messages. */
  model: nullable(string()),
  stats: nullable(statsSchema),
  /** Characters removed from the request because they are invisible and can hide instructions. */
  hiddenCharacters: count,
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
  /** What to know before choosing, e.g. `Removed on 2026-12-01`; empty when nothing. */
  warning: string(),
  offline: boolean(),
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
  /** Lines of code blocks wrap. */
  wrapCode: boolean(),
});

export type FailureView = InferOutput<typeof failureSchema>;
export type AttachmentView = InferOutput<typeof attachmentSchema>;
export type StatsView = InferOutput<typeof statsSchema>;
export type ToolCallView = InferOutput<typeof toolCallSchema>;
export type MessageView = InferOutput<typeof messageSchema>;
export type ModelView = InferOutput<typeof modelSchema>;
export type AccountView = InferOutput<typeof accountSchema>;
export type ChatState = InferOutput<typeof chatStateSchema>;
