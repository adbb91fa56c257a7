import { permissionLevels } from './protocol.ts';
import {
  array,
  boolean,
  custom,
  exactOptional,
  fallback,
  type GenericSchema,
  literal,
  maxValue,
  minValue,
  nullable,
  number,
  object,
  picklist,
  pipe,
  regex,
  safeParse,
  string,
  transform,
  variant,
} from 'valibot';
import { isRecord, type JsonRecord, parseJson } from '../base/json.ts';
import { type FailureCode, failureTable } from '../service/http/failure.ts';
import { attachmentsSchema } from './attachments.ts';
import { Conversation, type ConversationRecord } from './conversation.ts';
import { interruptRun, isRunCompleted, isToolImageType, type ToolImage } from './tool-run.ts';
import { idSchema as id } from '../base/schema.ts';

/**
 * Encodes records in the format of a conversation file: one JSON record per line. Files are
 * append-only. Readers skip lines that a crash truncated or that a newer version wrote.
 */
export function encodeRecords(records: readonly ConversationRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Decodes a conversation from its journal. An answer that is streaming at the end of the journal
 * gets the status `interrupted`.
 * @returns undefined if the first readable line does not start a conversation
 */
export function decodeJournal(text: string): Conversation | undefined {
  let conversation: Conversation | undefined;
  for (const line of text.split('\n')) {
    const record = decodeRecord(line);
    if (record?.type === 'conversation-start') conversation ??= new Conversation(record);
    else if (record !== undefined) conversation?.apply(record);
  }
  if (conversation !== undefined) interruptUnfinished(conversation);
  return conversation;
}

/** Returns the last title in a journal of any version; empty if no title can be read. */
export function readTitle(text: string): string {
  const titles = text
    .split('\n')
    .filter((line) => line.includes('title'))
    .map((line) => parseJson(line))
    .map((record) => (isRecord(record) ? record['title'] : undefined));
  const title = titles.findLast((value) => typeof value === 'string');
  return typeof title === 'string' ? title.slice(0, maxTitleLength) : '';
}

const maxTitleLength = 300;

function interruptUnfinished(conversation: Conversation): void {
  for (const message of [...conversation.messages]) {
    if (message.role !== 'assistant') continue;
    if (message.status === 'streaming') {
      const { id, result } = message;
      conversation.apply({ type: 'answer-end', id, status: 'interrupted', result });
    }
    for (const run of message.toolRuns) {
      if (!isRunCompleted(run))
        conversation.apply({ type: 'tool-run', id: message.id, run: interruptRun(run) });
    }
  }
}

function decodeRecord(line: string): ConversationRecord | undefined {
  if (line === '') return undefined;
  const result = safeParse(recordSchema, parseJson(line));
  return result.success ? result.output : undefined;
}

/** Milliseconds since the epoch, within the range of a `Date`. */
const time = pipe(number(), minValue(0), maxValue(8.64e15));

const imageSide = pipe(number(), minValue(1), maxValue(100_000));

const usageSchema = object({
  promptTokens: number(),
  completionTokens: number(),
  totalTokens: number(),
  cachedTokens: exactOptional(number()),
  cacheWriteTokens: exactOptional(number()),
  reasoningTokens: exactOptional(number()),
});

const costSchema = object({ usd: exactOptional(number()), diem: exactOptional(number()) });

const failureSchema = object({
  // Replaces a failure code that this version does not know, and keeps the message.
  code: fallback(picklist(Object.keys(failureTable) as FailureCode[]), 'server-error'),
  message: string(),
  status: exactOptional(number()),
  retryAfterMs: exactOptional(number()),
  origin: exactOptional(string()),
  requestId: exactOptional(string()),
  detail: exactOptional(string()),
  refusedField: exactOptional(string()),
  connection: exactOptional(string()),
});

const attested = {
  checkedAt: time,
  publicKey: exactOptional(pipe(string(), regex(/^[0-9a-f]{130}$/u))),
};

const protectionSchema = variant('kind', [
  object({ kind: literal('none') }),
  object({ kind: literal('attested'), ...attested }),
  object({
    kind: literal('encrypted'),
    leftOut: array(picklist(['tools', 'web-search', 'pictures', 'files', 'format', 'persona'])),
    ...attested,
  }),
]);
const citationSchema = object({
  title: string(),
  url: exactOptional(string()),
  content: exactOptional(string()),
  date: exactOptional(string()),
});

const resultSchema = object({
  reasoningMs: exactOptional(number()),
  timeToFirstTokenMs: exactOptional(number()),
  durationMs: exactOptional(number()),
  finishReason: exactOptional(
    picklist(['stop', 'length', 'tool_calls', 'content_filter', 'other']),
  ),
  failure: exactOptional(failureSchema),
  usage: exactOptional(usageSchema),
  cost: exactOptional(costSchema),
  lastRequest: exactOptional(
    object({ usage: exactOptional(usageSchema), cost: exactOptional(costSchema) }),
  ),
  costEstimated: exactOptional(boolean()),
  toolCalls: exactOptional(
    array(
      object({
        id: string(),
        type: literal('function'),
        function: object({ name: string(), arguments: string() }),
        problem: exactOptional(string()),
      }),
    ),
  ),
  protection: exactOptional(protectionSchema),
  citations: exactOptional(array(citationSchema)),
  refusedParts: exactOptional(array(picklist(['tools', 'images']))),
  reasoningSource: exactOptional(picklist(['reasoning', 'reasoning_details', 'think-tags'])),
  // Entries are sent back unchanged, so their fields are not checked.
  reasoningDetails: exactOptional(array(custom<JsonRecord>(isRecord))),
  thoughtSignature: exactOptional(string()),
  connection: exactOptional(string()),
});

/**
 * Drops images of unsupported media types, such as GIFs stored by earlier versions, and keeps the
 * run.
 */
const toolImagesSchema = pipe(
  array(object({ mediaType: string(), data: string() })),
  transform((images) =>
    images.flatMap(({ mediaType, data }): ToolImage[] =>
      isToolImageType(mediaType) ? [{ mediaType, data }] : [],
    ),
  ),
);

const toolRunSchema = object({
  callId: string(),
  status: picklist(['waiting', 'running', 'done', 'failed', 'denied', 'cancelled', 'not-run']),
  verb: string(),
  target: string(),
  uri: exactOptional(string()),
  readOnly: boolean(),
  output: string(),
  images: exactOptional(toolImagesSchema),
  startedAt: time,
  durationMs: exactOptional(number()),
  interrupted: exactOptional(literal(true)),
});

const imageSchema = object({
  id,
  format: picklist(['png', 'jpeg', 'webp']),
  width: imageSide,
  height: imageSide,
  alt: string(),
  caption: string(),
});

const messageSchema = variant('role', [
  object({
    role: literal('user'),
    id,
    parentId: nullable(id),
    createdAt: time,
    text: string(),
    attachments: attachmentsSchema,
  }),
  object({
    role: literal('assistant'),
    id,
    parentId: id,
    createdAt: time,
    model: object({ id: string(), name: string() }),
    text: string(),
    reasoning: string(),
    status: picklist(['streaming', 'complete', 'stopped', 'interrupted', 'failed']),
    result: resultSchema,
    // Absent in journals of versions without tools.
    toolRuns: fallback(array(toolRunSchema), []),
    images: exactOptional(array(imageSchema)),
  }),
]);

const recordSchema: GenericSchema<unknown, ConversationRecord> = variant('type', [
  object({
    type: literal('conversation-start'),
    version: literal(1),
    id,
    at: time,
    folder: nullable(string()),
  }),
  object({ type: literal('title-set'), title: string() }),
  object({ type: literal('message-add'), message: messageSchema }),
  object({ type: literal('answer-resume'), id }),
  object({ type: literal('answer-protect'), id, protection: protectionSchema }),
  object({ type: literal('answer-delta'), id, text: string(), reasoning: string() }),
  object({
    type: literal('answer-end'),
    id,
    status: picklist(['complete', 'stopped', 'interrupted', 'failed']),
    result: resultSchema,
  }),
  object({ type: literal('tool-run'), id, run: toolRunSchema }),
  object({ type: literal('image-add'), id, image: imageSchema }),
  object({ type: literal('summary-set'), id, text: string() }),
  object({
    type: literal('instructions-set'),
    id: nullable(id),
    files: array(object({ label: string(), text: string() })),
  }),
  object({ type: literal('head-set'), id }),
  object({ type: literal('permissions-set'), level: picklist(permissionLevels) }),
  // Decoded only when used, because conversations often load without using the options.
  object({ type: literal('options-set'), options: custom<JsonRecord>(isRecord) }),
]);
