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
 * View state of the chat page. The host owns it and the page renders it. Never contains keys, absolute paths or command
 * ids. The schemas define the types.
 */

const text = (maxTextLength: number) => pipe(string(), maxLength(maxTextLength));

/** A source of an answer. A source whose link is blocked has an empty URL. */
const citationSchema = strictObject({
  title: text(300),
  url: text(4_096),
  /** Host name of the URL, e.g. `docs.example.com`. Empty without a URL. */
  host: text(300),
  /** Excerpt of the source that the search found. */
  quote: text(1_000),
  date: text(40),
});

/** Sources in the order of their numbers, which start at 1. */
export const citationsSchema = pipe(array(citationSchema), maxLength(50));

/** Sources of an answer that still streams. */
export const citationsPutSchema = strictObject({
  type: literal('citations-put'),
  messageId: text(64),
  citations: citationsSchema,
});

export type CitationView = InferOutput<typeof citationSchema>;

/** Status of a message. Only `streaming` and `working` (its tool calls run) change without a user action. */
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
  /** Path relative to the workspace folder, with lines: `src/app.ts` or `src/app.ts:10-20`. */
  label: pipe(string(), maxLength(300)),
  /** Estimated tokens that the attachment adds to the request. */
  tokens: countSchema,
  /** First lines of the attached text for the chip's tooltip, at most 2,000 characters. */
  preview: pipe(string(), maxLength(2_000)),
  /** Size of an image or document. Null for attached text. */
  bytes: nullable(countSchema),
  /** File of an image in the state's `media` folder. Null for all other attachments. */
  thumbnail: nullable(pipe(string(), regex(/^[0-9a-f]{64}\.(?:png|jpg|webp)$/u))),
});

export const statsSchema = strictObject({
  promptTokens: nullable(countSchema),
  completionTokens: nullable(countSchema),
  costUsd: nullable(pipe(number(), minValue(0))),
  costDiem: nullable(pipe(number(), minValue(0))),
  /** True when the cost was estimated from the model's prices because the service reported none. */
  costEstimated: boolean(),
  timeToFirstTokenMs: nullable(millisecondsSchema),
  durationMs: nullable(millisecondsSchema),
  tokensPerSecond: nullable(pipe(number(), minValue(0))),
});

/** Images that the user requested in the chat, and their progress. */
export const generatedImagesSchema = strictObject({
  /** Start time in milliseconds since the epoch. */
  startedAt: number(),
  images: array(
    strictObject({
      id: idSchema,
      /** File in the state's `pictures` folder. */
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
  /** Duration of the reasoning. Null while the model reasons, and for an answer without reasoning. */
  reasoningMs: nullable(millisecondsSchema),
  status: messageStatusSchema,
  failure: nullable(failureSchema),
  attachments: array(attachmentSchema),
  toolCalls: array(toolCallSchema),
  /** Images of an answer to `/image`. Null for all other messages. */
  pictures: nullable(generatedImagesSchema),
  /** Index among the sibling branches. `count` 1 means that there is only this branch. */
  branch: strictObject({ index: countSchema, count: pipe(number(), integer(), minValue(1)) }),
  /** Display name of the model, for assistant messages. */
  model: nullable(string()),
  stats: nullable(statsSchema),
  /** Number of invisible characters removed from the request, because they can hide instructions. */
  hiddenCharacters: countSchema,
  /** Summary that replaces everything before this message in requests. Usually null. */
  summary: nullable(string()),
  /** Sources of the answer. The mark `^1^` in its text refers to the first. */
  citations: citationsSchema,
  ...messageProtection,
});

export const chatStateSchema = strictObject({
  conversation: strictObject({ id: idSchema, title: string() }),
  messages: array(messageSchema),
  /** Id of the answer that streams or whose tool calls run. */
  streaming: nullable(idSchema),
  attachments: array(attachmentSchema),
  /** Unsent text of the composer. */
  draft: string(),
  model: nullable(modelSchema),
  account: accountSchema,
  /** Prompts about the open workspace, for the empty chat. */
  suggestions: array(string()),
  /** URL of the folder with generated images. */
  pictures: string(),
  /** URL of the folder with attached images. */
  media: string(),
  /** True when long lines in code blocks wrap. */
  wrapCode: boolean(),
  mode: modeSchema,
  options: optionsStateSchema,
  voice: voiceSchema,
  /** Reason why the model gets no tools, as a sentence. Null when the model gets tools. */
  toolsOff: nullable(string()),
  pending: array(pendingSchema),
  changes: array(changesSchema),
  /** Instruction files of the workspace, which are part of every request. */
  instructions: array(strictObject({ label: pipe(string(), maxLength(300)), tokens: countSchema })),
  /** Usage of the running or the last turn. `maxRequests` 0 means no limit. Null before the first turn. */
  turnUse: nullable(
    strictObject({
      requests: countSchema,
      maxRequests: countSchema,
      tokens: countSchema,
      costUsd: nullable(pipe(number(), minValue(0))),
      costDiem: nullable(pipe(number(), minValue(0))),
    }),
  ),
  /** Fill level of the model's context. Null while unknown. */
  context: nullable(strictObject({ usedTokens: countSchema, limitTokens: countSchema })),
  /** Estimated tokens of the system prompt and the tools in the next request. Null until the user starts a draft. */
  baseTokens: nullable(countSchema),
});

export type AttachmentView = InferOutput<typeof attachmentSchema>;
export type StatsView = InferOutput<typeof statsSchema>;
export type GeneratedImagesView = InferOutput<typeof generatedImagesSchema>;
export type MessageView = InferOutput<typeof messageSchema>;
export type ChatState = InferOutput<typeof chatStateSchema>;
