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
} from 'valibot';
import { accountSchema, failureSchema } from '../../account/protocol.ts';
import { changesSchema, modeSchema, pendingSchema, toolCallSchema } from '../../agent/protocol.ts';
import { countSchema, idSchema, millisecondsSchema } from '../../base/schema.ts';
import { attachmentKinds } from '../../conversation/protocol.ts';
import { modelSchema } from '../../models/protocol.ts';
import { optionsStateSchema } from './composer.ts';
import { messageProtection } from '../../privacy/protocol.ts';
import { voiceSchema } from '../../speech/protocol.ts';

/**
 * What the chat's webview shows, as data. The host owns it; the webview only draws it.
 * Never in here: keys, absolute paths, command ids. Schemas are the source, types are read off them.
 */

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

/** A message's life. Only `streaming` and `working` (its tool calls run) change by themselves. */
export const messageStatusSchema = picklist([
  'complete',
  'streaming',
  'working',
  'stopped',
  'interrupted',
  'failed',
]);

export const attachmentSchema = strictObject({
  id: idSchema,
  kind: picklist(attachmentKinds),
  /** `src/app.ts` or `src/app.ts:10-20`: relative to its workspace folder. */
  label: pipe(string(), maxLength(300)),
  /** Estimated tokens that it adds to the request. */
  tokens: countSchema,
  /** The attached text, for the chip's tooltip: its first lines only, at most 2,000 characters. */
  preview: pipe(string(), maxLength(2_000)),
  /** Length of a picture or a document; null for everything else, whose text is there. */
  bytes: nullable(countSchema),
  /** Of a picture, its file below the state's `media`; null for everything else. */
  thumbnail: nullable(pipe(string(), regex(/^[0-9a-f]{64}\.(?:png|jpg|webp)$/u))),
});

export const statsSchema = strictObject({
  promptTokens: nullable(countSchema),
  completionTokens: nullable(countSchema),
  costUsd: nullable(pipe(number(), minValue(0))),
  costDiem: nullable(pipe(number(), minValue(0))),
  /** True when the cost was computed from the model's prices, not told by the service. */
  costEstimated: boolean(),
  timeToFirstTokenMs: nullable(millisecondsSchema),
  durationMs: nullable(millisecondsSchema),
  tokensPerSecond: nullable(pipe(number(), minValue(0))),
});

/** Pictures that a person asked for in the chat, and how far they are. */
export const picturesSchema = strictObject({
  /** Milliseconds since the epoch. */
  startedAt: number(),
  images: array(
    strictObject({
      id: idSchema,
      /** Below the state's `pictures`. */
      file: pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}\.(?:png|jpg|webp)$/u)),
      width: countSchema,
      height: countSchema,
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
  reasoningMs: nullable(millisecondsSchema),
  status: messageStatusSchema,
  failure: nullable(failureSchema),
  attachments: array(attachmentSchema),
  toolCalls: array(toolCallSchema),
  /** Of an answer to `/image`; null for every other message. */
  pictures: nullable(picturesSchema),
  /** Which of its siblings this message is; `count` 1 means there is no other branch here. */
  branch: strictObject({ index: countSchema, count: pipe(number(), integer(), minValue(1)) }),
  /** The model's display name, on assistant messages. */
  model: nullable(string()),
  stats: nullable(statsSchema),
  /** Characters removed from the request because they are invisible and can hide instructions. */
  hiddenCharacters: countSchema,
  /** A summary that the model gets in place of everything before this message; null nearly always. */
  summary: nullable(string()),
  /** Where an answer is from; a mark `^1^` in its text names the first. */
  citations: citationsSchema,
  ...messageProtection,
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
  instructions: array(strictObject({ label: pipe(string(), maxLength(300)), tokens: countSchema })),
  /** What the running turn, or the last one, has used; `maxRequests` 0 is any number. Null before there was one. */
  turnUse: nullable(
    strictObject({
      requests: countSchema,
      maxRequests: countSchema,
      tokens: countSchema,
      costUsd: nullable(pipe(number(), minValue(0))),
      costDiem: nullable(pipe(number(), minValue(0))),
    }),
  ),
  /** How full the model's context is; null while unknown. */
  context: nullable(strictObject({ usedTokens: countSchema, limitTokens: countSchema })),
  /**
   * Estimated tokens that go with the next message besides what was said: what the model is told, and its tools. Null
   * until something was written.
   */
  baseTokens: nullable(countSchema),
});

export type AttachmentView = InferOutput<typeof attachmentSchema>;
export type StatsView = InferOutput<typeof statsSchema>;
export type PicturesView = InferOutput<typeof picturesSchema>;
export type MessageView = InferOutput<typeof messageSchema>;
export type ChatState = InferOutput<typeof chatStateSchema>;
