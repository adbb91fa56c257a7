import { modes, permissionLevels, todoStatuses } from './protocol.ts';
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
  union,
  variant,
} from 'valibot';
import { isRecord, type JsonRecord, parseJson, parseJsonLines } from '../base/json.ts';
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
 * Decodes a conversation from the content of its file (journal). An answer that is streaming at the end of the file
 * gets the status `interrupted`. Lines of an unknown type are skipped, because a newer version wrote them.
 * @param id Id from the file name. If present, messages are decoded even if the start record is damaged.
 * @returns the conversation; undefined if no record is readable or, without `id`, if the start record is not readable
 */
export function decodeJournal(content: string | Uint8Array, id?: string): Conversation | undefined {
  let conversation: Conversation | undefined;
  let isDamaged = false;
  /** Id of the message that the last decoded record adds or changes. */
  let lastId: string | undefined;
  let hasGap = false;
  for (const line of parseJsonLines(content)) {
    const record = decodeRecord(line.value);
    if (line.isDamaged || record === 'damaged') isDamaged = true;
    if (record === undefined) continue;
    if (record === 'damaged') {
      hasGap = true;
      continue;
    }
    if (conversation === undefined) {
      const start = chooseStartRecord(record, id);
      if (start === undefined) continue;
      conversation = new Conversation(start);
      isDamaged ||= start !== record;
    }
    const messageId = getMessageId(record);
    if (messageId !== undefined) {
      const addedId = addMissingMessage(conversation, record);
      if (hasGap || addedId !== undefined) conversation.markDamaged(addedId ?? lastId);
      hasGap = false;
      lastId = messageId;
      if (line.isDamaged) conversation.markDamaged(messageId);
    }
    conversation.applyRecord(record);
  }
  if (conversation === undefined) return undefined;
  if (hasGap) conversation.markDamaged(lastId);
  if (isDamaged) conversation.markDamaged();
  interruptUnfinishedAnswers(conversation);
  return conversation;
}

type StartRecord = Extract<ConversationRecord, { type: 'conversation-start' }>;

/**
 * Returns the start record of a conversation. If `firstRecord` is another record, the start record in the file is
 * damaged. The function then creates a start record with the id `id`, or returns undefined if `id` is undefined.
 */
function chooseStartRecord(
  firstRecord: ConversationRecord,
  id: string | undefined,
): StartRecord | undefined {
  if (firstRecord.type === 'conversation-start') {
    return id === undefined || firstRecord.id === id ? firstRecord : { ...firstRecord, id };
  }
  if (id === undefined) return undefined;
  const startTime = firstRecord.type === 'message-add' ? firstRecord.message.createdAt : 0;
  return { type: 'conversation-start', version: 1, id, at: startTime, folder: null };
}

/** Returns the id of the message that the record adds or changes; undefined for a record of another kind. */
function getMessageId(record: ConversationRecord): string | undefined {
  if (record.type === 'message-add') return record.message.id;
  return isAnswerRecord(record) ? record.id : undefined;
}

const isAnswerRecord = (
  record: ConversationRecord,
): record is Extract<ConversationRecord, { type: `answer-${string}` | 'tool-run' | 'image-add' }> =>
  record.type.startsWith('answer-') || record.type === 'tool-run' || record.type === 'image-add';

/**
 * Adds an empty message if `record` refers to a message that could not be read. The parent of the empty message is the
 * last readable message. If the missing message is an answer and no message before it is readable, also adds an empty
 * user message as its parent.
 * @returns the id of the first added message; undefined if no message is missing
 */
function addMissingMessage(
  conversation: Conversation,
  record: ConversationRecord,
): string | undefined {
  const { head } = conversation;
  const createdAt = head?.createdAt ?? conversation.createdAt;
  const addQuestion = (id: string): string => {
    const text = { text: '', attachments: [] };
    const message = { role: 'user', id, parentId: head?.id ?? null, createdAt, ...text } as const;
    conversation.applyRecord({ type: 'message-add', message });
    return id;
  };
  const addAnswer = (id: string): string => {
    const questionId = head === undefined ? addQuestion(`before-${id}`.slice(0, 64)) : undefined;
    const message = { ...missingAnswer, id, parentId: head?.id ?? questionId ?? '', createdAt };
    conversation.applyRecord({ type: 'message-add', message });
    return questionId ?? id;
  };
  if (isAnswerRecord(record))
    return conversation.findMessage(record.id) === undefined ? addAnswer(record.id) : undefined;
  const parentId = record.type === 'message-add' ? record.message.parentId : null;
  if (record.type !== 'message-add' || parentId === null || conversation.findMessage(parentId))
    return undefined;
  return record.message.role === 'user' && head !== undefined
    ? addAnswer(parentId)
    : addQuestion(parentId);
}

const missingAnswer = {
  role: 'assistant',
  model: { id: '', name: '' },
  text: '',
  reasoning: '',
  status: 'complete',
  result: {},
  toolRuns: [],
} as const;

/** Returns the last title in a conversation file (journal) of any version; empty if no title can be read. */
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

function interruptUnfinishedAnswers(conversation: Conversation): void {
  for (const message of [...conversation.messages]) {
    if (message.role !== 'assistant') continue;
    if (message.status === 'streaming') {
      const { id, result } = message;
      conversation.applyRecord({ type: 'answer-end', id, status: 'interrupted', result });
    }
    for (const run of message.toolRuns) {
      if (!isRunCompleted(run))
        conversation.applyRecord({ type: 'tool-run', id: message.id, run: interruptRun(run) });
    }
  }
}

/** Decodes a record. Returns undefined for an unknown type, and `damaged` for an invalid record. */
function decodeRecord(value: JsonRecord | undefined): ConversationRecord | 'damaged' | undefined {
  const result = safeParse(recordSchema, value);
  if (result.success) return result.output;
  return typeof value?.['type'] === 'string' && !recordTypes.has(value['type'])
    ? undefined
    : 'damaged';
}

/** Time in milliseconds since the epoch, within the range of a `Date`. */
const timeSchema = pipe(number(), minValue(0), maxValue(8.64e15));

const imageSideSchema = pipe(number(), minValue(1), maxValue(100_000));

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

const attestedFields = {
  checkedAt: timeSchema,
  publicKey: exactOptional(pipe(string(), regex(/^[0-9a-f]{130}$/u))),
};

const protectionSchema = variant('kind', [
  object({ kind: literal('none') }),
  object({ kind: literal('attested'), ...attestedFields }),
  object({
    kind: literal('encrypted'),
    leftOut: array(
      picklist(['tools', 'web-search', 'pictures', 'files', 'format', 'persona', 'options']),
    ),
    ...attestedFields,
  }),
]);
const citationSchema = object({
  title: string(),
  url: exactOptional(string()),
  content: exactOptional(string()),
  date: exactOptional(string()),
});

const modelSchema = object({ id: string(), name: string() });

const resultSchema = object({
  reasoningMs: exactOptional(number()),
  timeToFirstTokenMs: exactOptional(number()),
  durationMs: exactOptional(number()),
  finishReason: exactOptional(
    picklist(['stop', 'length', 'tool_calls', 'content_filter', 'other']),
  ),
  failure: exactOptional(failureSchema),
  fallback: exactOptional(object({ ...modelSchema.entries, baseUrl: exactOptional(string()) })),
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
 * Drops images of unsupported media types, such as GIFs stored by earlier versions, so that the rest of the tool run
 * stays readable.
 */
const toolImagesSchema = pipe(
  array(object({ mediaType: string(), data: string() })),
  transform((images) =>
    images.flatMap(({ mediaType, data }): ToolImage[] =>
      isToolImageType(mediaType) ? [{ mediaType, data }] : [],
    ),
  ),
);

const toolRunStatusSchema = picklist([
  'waiting',
  'running',
  'done',
  'failed',
  'denied',
  'cancelled',
  'not-run',
]);

const delegatedTurnSchema = object({
  model: string(),
  modelId: exactOptional(string()),
  steps: array(
    object({
      callId: string(),
      name: string(),
      status: toolRunStatusSchema,
      verb: string(),
      target: string(),
      startedAt: timeSchema,
      durationMs: exactOptional(number()),
    }),
  ),
  usage: exactOptional(usageSchema),
  cost: exactOptional(costSchema),
  costEstimated: exactOptional(literal(true)),
});

const toolRunSchema = object({
  callId: string(),
  status: toolRunStatusSchema,
  verb: string(),
  target: string(),
  uri: exactOptional(string()),
  readOnly: boolean(),
  output: string(),
  images: exactOptional(toolImagesSchema),
  delegated: exactOptional(delegatedTurnSchema),
  startedAt: timeSchema,
  durationMs: exactOptional(number()),
  interrupted: exactOptional(literal(true)),
  isRemoved: exactOptional(literal(true)),
});

const imageSchema = object({
  id,
  format: picklist(['png', 'jpeg', 'webp']),
  width: imageSideSchema,
  height: imageSideSchema,
  alt: string(),
  caption: string(),
});

const messageSchema = variant('role', [
  object({
    role: literal('user'),
    id,
    parentId: nullable(id),
    createdAt: timeSchema,
    text: string(),
    attachments: attachmentsSchema,
  }),
  object({
    role: literal('assistant'),
    id,
    parentId: id,
    createdAt: timeSchema,
    model: modelSchema,
    replacedModel: exactOptional(modelSchema),
    text: string(),
    reasoning: string(),
    status: picklist(['streaming', 'complete', 'stopped', 'interrupted', 'failed']),
    result: resultSchema,
    // Absent in journals of versions without tools.
    toolRuns: fallback(array(toolRunSchema), []),
    images: exactOptional(array(imageSchema)),
  }),
]);

const recordSchemas = [
  object({
    type: literal('conversation-start'),
    version: literal(1),
    id,
    at: timeSchema,
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
  object({ type: literal('head-set'), id: union([id, literal('')]) }),
  object({ type: literal('mode-set'), mode: picklist(modes) }),
  object({ type: literal('model-set'), model: string(), profile: string() }),
  object({ type: literal('permissions-set'), level: picklist(permissionLevels) }),
  object({ type: literal('context-set'), id, item: string(), isRemoved: boolean() }),
  object({
    type: literal('todos-set'),
    list: object({
      items: array(object({ id, text: string(), status: picklist(todoStatuses) })),
      isEditedByUser: boolean(),
    }),
  }),
  // Decoded only when used, because conversations often load without using the options.
  object({ type: literal('options-set'), options: custom<JsonRecord>(isRecord) }),
] as const;

const recordSchema: GenericSchema<unknown, ConversationRecord> = variant('type', recordSchemas);

const recordTypes: ReadonlySet<string> = new Set(
  recordSchemas.map(({ entries }) => entries.type.literal),
);
