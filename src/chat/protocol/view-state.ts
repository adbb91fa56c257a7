import {
  array,
  boolean,
  exactOptional,
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
import {
  changesSchema,
  modeSchema,
  pendingSchema,
  statsSchema,
  toolCallSchema,
} from '../../agent/protocol.ts';
import { countSchema, idSchema, millisecondsSchema } from '../../base/schema.ts';
import { attachmentKinds, permissionLevels, todoStatuses } from '../../conversation/protocol.ts';
import { modelSchema } from '../../models/protocol.ts';
import { optionsStateSchema } from './composer.ts';
import { messageProtection } from '../../privacy/protocol.ts';
import { voiceSchema } from '../../speech/protocol.ts';

const createTextSchema = (maxTextLength: number) => pipe(string(), maxLength(maxTextLength));

/** Web page that an answer cites as a source. `url` is empty if the link must not be opened. */
const citationSchema = strictObject({
  title: createTextSchema(300),
  url: createTextSchema(4_096),
  /** Host name of the URL, such as `docs.example.com`. Empty without a URL. */
  host: createTextSchema(300),
  /** Excerpt that the web search returned for the source. */
  quote: createTextSchema(1_000),
  date: createTextSchema(40),
});

/** Sources in the order of their citation numbers: the mark `^1^` in the answer refers to the first source. */
export const citationsSchema = pipe(array(citationSchema), maxLength(50));

/** Sets the sources of a streaming answer. */
export const citationsPutSchema = strictObject({
  type: literal('citations-put'),
  messageId: createTextSchema(64),
  citations: citationsSchema,
});

export type CitationView = InferOutput<typeof citationSchema>;

/**
 * Status of a message. `working` means that tool calls of the answer are running. Only `streaming` and `working` can
 * change without a user action.
 */
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
  /**
   * Path relative to the workspace folder, such as `src/app.ts`. May include 1-based line numbers: `src/app.ts:10-20`.
   */
  label: pipe(string(), maxLength(300)),
  /** Estimated number of tokens that the attachment adds to the request. */
  tokens: countSchema,
  /** Start of the attached text for the chip's tooltip, at most 2,000 characters. */
  preview: pipe(string(), maxLength(2_000)),
  /** Size of an image or document in bytes. Null for text. */
  bytes: nullable(countSchema),
  /** Name of the image file in the folder whose URL is `media` in the chat state. Null for documents and text. */
  thumbnail: nullable(pipe(string(), regex(/^[0-9a-f]{64}\.(?:png|jpg|webp)$/u))),
});

/** Images that an `/image` message generates. The list is empty until the images arrive. */
export const generatedImagesSchema = strictObject({
  /**
   * Time at which the image request was sent, in milliseconds since the epoch. Null if the time is unknown, or while a
   * dialog waits for the user's answer before the request.
   */
  startedAt: nullable(number()),
  images: array(
    strictObject({
      id: idSchema,
      /** Name of the file in the folder whose URL is `generatedImagesUrl` in the chat state. */
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
  /** Duration of the reasoning in milliseconds. Null until the reasoning ends, and for answers without reasoning. */
  reasoningMs: nullable(millisecondsSchema),
  status: messageStatusSchema,
  failure: nullable(failureSchema),
  attachments: array(attachmentSchema),
  toolCalls: array(toolCallSchema),
  /** Images of the answer to an `/image` message. Null for other messages. */
  generatedImages: nullable(generatedImagesSchema),
  /**
   * Position of the message among its siblings, starting at 0, and number of these siblings, including the message. A
   * message without other siblings has `count` 1.
   */
  branch: strictObject({ index: countSchema, count: pipe(number(), integer(), minValue(1)) }),
  /** Display name of the model that answered. Null for user messages. */
  model: nullable(string()),
  stats: nullable(statsSchema),
  /**
   * Number of invisible characters that were removed from the message before it was sent. Such characters can hide
   * instructions.
   */
  hiddenCharacters: countSchema,
  /** Summary that requests contain instead of all messages before this message. Usually null. */
  summary: nullable(string()),
  /** Sources of the answer. The mark `^1^` in the text refers to the first source. */
  citations: citationsSchema,
  /** Sentences about how the answer was requested, for example that the request contained no tools. */
  notices: exactOptional(array(pipe(string(), maxLength(400)))),
  /** Set if damage to the stored file removed a part of the message or later messages. */
  isIncomplete: exactOptional(literal(true)),
  ...messageProtection,
});

/** Message that the user sent while a turn was running. */
const queuedMessageSchema = strictObject({
  id: idSchema,
  text: createTextSchema(400),
  /** True if the message goes to the model after the current tool call, not after the end of the turn. */
  isUrgent: boolean(),
  /** True if the message stays in the queue until the user sends it, for example after the running turn ended early. */
  isHeld: boolean(),
});

const todoSchema = strictObject({
  id: idSchema,
  text: createTextSchema(400),
  status: picklist(todoStatuses),
});

/**
 * Reply to `context-view-request`: estimated number of tokens of the next request, for each part of the request and for
 * its largest items, such as attachments and tool outputs.
 */
export const contextViewSchema = strictObject({
  type: literal('context-view'),
  /** Context size of the model. Null if unknown. */
  limitTokens: nullable(countSchema),
  /** Number of prompt tokens of the last request that the service read from its cache. */
  cachedTokens: countSchema,
  parts: strictObject({
    system: countSchema,
    tools: countSchema,
    instructions: countSchema,
    files: countSchema,
    conversation: countSchema,
  }),
  /**
   * Items with the most tokens, in descending order, then the items that the user removed. `messageId` is null if the
   * user cannot remove the item.
   */
  items: array(
    strictObject({
      messageId: nullable(idSchema),
      id: createTextSchema(128),
      label: createTextSchema(120),
      tokens: countSchema,
      isRemoved: boolean(),
    }),
  ),
});

/**
 * State of the chat page. The host sends the state and the page renders it. The state never contains keys, absolute
 * paths or command ids.
 */
export const chatStateSchema = strictObject({
  conversation: strictObject({ id: idSchema, title: string() }),
  messages: array(messageSchema),
  /** Id of the answer in progress: streaming, or with running tool calls. */
  streaming: nullable(idSchema),
  attachments: array(attachmentSchema),
  /** Messages that wait for the end of the turn. `text` is shortened. */
  queued: array(queuedMessageSchema),
  /** Items of the todo list. The model and the user can add items. */
  todos: pipe(array(todoSchema), maxLength(200)),
  /** Path of the open file that the composer offers to attach. Null if the composer offers no file. */
  activeFile: nullable(createTextSchema(300)),
  /** Unsent text of the composer. */
  draft: string(),
  model: nullable(modelSchema),
  account: accountSchema,
  /** Suggested prompts about the open workspace. The page shows them in an empty chat. */
  suggestions: array(string()),
  /** URL of the folder with generated images. */
  generatedImagesUrl: string(),
  /** URL of the folder with attached images. */
  media: string(),
  /** True if long lines in code blocks wrap. */
  wrapCode: boolean(),
  mode: modeSchema,
  permissionLevel: picklist(permissionLevels),
  options: optionsStateSchema,
  voice: voiceSchema,
  /** Reason why the model has no tools, as a sentence. Null if the model has tools. */
  toolsOff: nullable(string()),
  /** True if the chat page offers to turn on inline suggestions while the chat is empty. */
  suggestionsOffer: boolean(),
  /**
   * True if the page shows a notice that edits are now applied without confirmation. The notice appears after the
   * update of the extension that changed this default, until the user closes it.
   */
  editsNotice: boolean(),
  pending: array(pendingSchema),
  changes: array(changesSchema),
  /** Instruction files of the workspace, which are part of every request. */
  instructions: array(
    strictObject({ label: pipe(string(), maxLength(300)), tokens: nullable(countSchema) }),
  ),
  /**
   * Usage of the current turn, or of the last turn if no turn runs. `maxRequests` is 0 if the number of requests is
   * not limited. Null before the first turn.
   */
  turnUse: nullable(
    strictObject({
      requests: countSchema,
      maxRequests: countSchema,
      tokens: countSchema,
      costUsd: nullable(pipe(number(), minValue(0))),
      costDiem: nullable(pipe(number(), minValue(0))),
    }),
  ),
  /** Number of tokens used in the model's context, and size of this context. Null if unknown. */
  context: nullable(strictObject({ usedTokens: countSchema, limitTokens: countSchema })),
  /** Estimated tokens of the system prompt and the tools in the next request. Null until the user starts to type. */
  baseTokens: nullable(countSchema),
});

export type ContextViewMessage = InferOutput<typeof contextViewSchema>;
export type AttachmentView = InferOutput<typeof attachmentSchema>;
export type GeneratedImagesView = InferOutput<typeof generatedImagesSchema>;
export type MessageView = InferOutput<typeof messageSchema>;
export type ChatState = InferOutput<typeof chatStateSchema>;
