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
  pipe,
  strictObject,
  string,
  variant,
} from 'valibot';
import { contextSuggestionsSchema, optionDetailsSchema, optionsStateSchema } from './composer.ts';
import { protocolVersion } from './constants.ts';
import { mediaScaleMessageSchema } from '../../conversation/protocol.ts';
import {
  accountSchema,
  connectResultSchema,
  failureSchema,
  localServerSchema,
} from '../../account/protocol.ts';
import {
  callIdSchema,
  changesSchema,
  modeSchema,
  pendingSchema,
  statsSchema,
  toolCallSchema,
} from '../../agent/protocol.ts';
import { idSchema } from '../../base/schema.ts';
import { modelSchema } from '../../models/protocol.ts';
import {
  attachmentSchema,
  chatStateSchema,
  contextViewSchema,
  citationsPutSchema,
  messageSchema,
  messageStatusSchema,
} from './view-state.ts';
import { protectionPutSchema } from '../../privacy/protocol.ts';
import {
  composerTypeSchema,
  speechCloseSchema,
  speechFailSchema,
  speechWaitSchema,
  speechFileSchema,
  speechOpenSchema,
  speechPartSchema,
  speechSamplesSchema,
  voiceChangeSchema,
} from '../../speech/protocol.ts';

const sequenceNumberSchema = pipe(number(), integer(), minValue(0));

/**
 * Messages from the host to the chat page. The schemas define the types, and tests validate the host's messages with
 * the schemas. The page does not load the schemas; see `readHostMessage` in `webview/base/code-api.ts`.
 */
export const hostMessageSchema = variant('type', [
  /**
   * Complete page state. Sent as reply to `ready`, and when the page shows another conversation. All other messages
   * contain only changes.
   */
  strictObject({
    type: literal('state-set'),
    version: literal(protocolVersion),
    state: chatStateSchema,
  }),
  /** Appends a message, or replaces the message with the same id. */
  strictObject({ type: literal('message-put'), message: messageSchema }),
  /**
   * Replaces the messages of the page from the 0-based index `from` to the end. Sent when the user edits a message or
   * selects a branch.
   */
  strictObject({
    type: literal('transcript-splice'),
    from: sequenceNumberSchema,
    messages: array(messageSchema),
  }),
  /** Text to append to the answer and to its reasoning. At least one of `text` and `reasoning` is not empty. */
  strictObject({
    type: literal('text-delta'),
    messageId: idSchema,
    text: string(),
    reasoning: string(),
  }),
  /** Sent when the reasoning has ended and the answer text begins. */
  strictObject({
    type: literal('reasoning-end'),
    messageId: idSchema,
    reasoningMs: pipe(number(), minValue(0)),
  }),
  /**
   * Sent when a failed request waits for a retry. `failure` is the failure of the request; null when the retry starts.
   */
  strictObject({
    type: literal('retry-wait'),
    messageId: idSchema,
    failure: nullable(failureSchema),
  }),
  strictObject({
    type: literal('turn-end'),
    messageId: idSchema,
    status: messageStatusSchema,
    failure: nullable(failureSchema),
    stats: nullable(statsSchema),
    toolCalls: array(toolCallSchema),
  }),
  /** Adds a tool call to the answer, or replaces the tool call with the same id. */
  strictObject({ type: literal('tool-call-put'), messageId: idSchema, call: toolCallSchema }),
  /**
   * Reply to `tool-output-request`: the arguments and the output of a tool call, both truncated and without escape
   * sequences.
   */
  strictObject({
    type: literal('tool-output'),
    messageId: idSchema,
    callId: callIdSchema,
    arguments: string(),
    output: string(),
  }),
  /** Sent when all tool calls of the answer have ended. The turn then ends or continues with another answer. */
  strictObject({ type: literal('work-end'), messageId: idSchema, status: messageStatusSchema }),
  strictObject({ type: literal('pending-change'), pending: array(pendingSchema) }),
  strictObject({ type: literal('changes-put'), changes: changesSchema }),
  strictObject({
    type: literal('mode-change'),
    mode: modeSchema,
    toolsOff: nullable(string()),
  }),
  strictObject({
    type: literal('permissions-change'),
    permissionLevel: chatStateSchema.entries.permissionLevel,
  }),
  strictObject({ type: literal('edits-notice-change'), isShown: boolean() }),
  strictObject({ type: literal('suggestions-offer-change'), isShown: boolean() }),
  strictObject({
    type: literal('instructions-change'),
    instructions: chatStateSchema.entries.instructions,
  }),
  strictObject({ type: literal('turn-use-change'), turnUse: chatStateSchema.entries.turnUse }),
  strictObject({
    type: literal('context-change'),
    context: chatStateSchema.entries.context,
    baseTokens: chatStateSchema.entries.baseTokens,
  }),
  contextViewSchema,
  strictObject({ type: literal('options-change'), options: optionsStateSchema }),
  voiceChangeSchema,
  speechOpenSchema,
  speechSamplesSchema,
  speechFileSchema,
  speechPartSchema,
  speechFailSchema,
  speechWaitSchema,
  speechCloseSchema,
  composerTypeSchema,
  optionDetailsSchema,
  citationsPutSchema,
  protectionPutSchema,
  strictObject({ type: literal('title-change'), title: string() }),
  strictObject({ type: literal('attachments-change'), attachments: array(attachmentSchema) }),
  strictObject({ type: literal('todos-change'), todos: chatStateSchema.entries.todos }),
  strictObject({ type: literal('queue-change'), queued: chatStateSchema.entries.queued }),
  strictObject({
    type: literal('active-file-change'),
    activeFile: chatStateSchema.entries.activeFile,
  }),
  strictObject({ type: literal('model-change'), model: nullable(modelSchema) }),
  /**
   * Reply to `model-list-request`.
   * - `stale`: reason why a cached list is shown.
   * - `privateOnly`: true if a setting hides models that are not private.
   * - `retryAt`: time before which the service permits no request, in milliseconds since the epoch. If `loading` is
   *   true, the host waits until this time to repeat its request.
   */
  strictObject({
    type: literal('model-list'),
    models: array(modelSchema),
    stale: nullable(string()),
    loading: boolean(),
    retryAt: nullable(number()),
    privateOnly: boolean(),
  }),
  strictObject({ type: literal('account-change'), account: accountSchema }),
  strictObject({ type: literal('connect-result'), ...connectResultSchema.entries }),
  strictObject({ type: literal('local-servers'), servers: array(localServerSchema) }),
  strictObject({ type: literal('settings-change'), wrapCode: boolean() }),
  strictObject({ type: literal('suggestions-change'), suggestions: array(string()) }),
  /**
   * Puts text into the composer. If `replace` is true, the text replaces the existing text. Otherwise, the text is
   * added below the existing text.
   */
  strictObject({ type: literal('draft-set'), text: string(), replace: boolean() }),
  /** Sentence that the page shows above the composer for a few seconds and announces to screen readers. */
  strictObject({ type: literal('notice-show'), text: string() }),
  /** Reply to `paths-check`. Contains only the paths that name files of the workspace. */
  strictObject({ type: literal('paths-found'), paths: array(string()) }),
  /** Reply to `image-hint-request`: the selected image model and its price. Empty if there is no image model. */
  strictObject({ type: literal('image-hint'), text: pipe(string(), maxLength(300)) }),
  contextSuggestionsSchema,
  mediaScaleMessageSchema,
  /** Plays a short sound as a notification that a chat needs the user. */
  strictObject({ type: literal('sound-play') }),
  strictObject({ type: literal('composer-focus') }),
  strictObject({ type: literal('find-open') }),
]);

export type HostMessage = InferOutput<typeof hostMessageSchema>;
