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
import { mediaScaleMessage } from '../../conversation/protocol.ts';
import { accountSchema, failureSchema } from '../../account/protocol.ts';
import {
  callIdSchema,
  changesSchema,
  modeSchema,
  pendingSchema,
  toolCallSchema,
} from '../../agent/protocol.ts';
import { idSchema } from '../../base/schema.ts';
import { modelSchema } from '../../models/protocol.ts';
import {
  attachmentSchema,
  chatStateSchema,
  citationsPutSchema,
  messageSchema,
  messageStatusSchema,
  statsSchema,
} from './view-state.ts';
import { protectionPutSchema } from '../../privacy/protocol.ts';
import {
  composerTypeSchema,
  speechCloseSchema,
  speechFailSchema,
  speechFileSchema,
  speechOpenSchema,
  speechPartSchema,
  speechSamplesSchema,
  voiceChangeSchema,
} from '../../speech/protocol.ts';

const seq = pipe(number(), integer(), minValue(0));

/**
 * Messages from the host to the chat page. The schemas define the types, and tests check the host's messages against
 * them. The page trusts its own host and loads no schema; see `readHostMessage` in `webview/chat/store.ts`.
 */
export const hostMessageSchema = variant('type', [
  /**
   * The whole state, sent as reply to `ready` and when another conversation is shown. All other messages are
   * differences.
   */
  strictObject({
    type: literal('state-set'),
    version: literal(protocolVersion),
    state: chatStateSchema,
  }),
  /** Appends a message, or replaces the message with the same id. */
  strictObject({ type: literal('message-put'), message: messageSchema }),
  /** Replaces the transcript from index `from` on, after a branch was selected or a message was edited. */
  strictObject({ type: literal('transcript-splice'), from: seq, messages: array(messageSchema) }),
  /** New text since the last frame. At least one of `text` and `reasoning` is not empty. */
  strictObject({
    type: literal('text-delta'),
    messageId: idSchema,
    text: string(),
    reasoning: string(),
  }),
  /** Reasoning has ended and the answer starts. */
  strictObject({
    type: literal('reasoning-end'),
    messageId: idSchema,
    reasoningMs: pipe(number(), minValue(0)),
  }),
  /** The request waits before a retry. Null means that the wait is over. */
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
  /** A new or changed tool call of the message. */
  strictObject({ type: literal('tool-call-put'), messageId: idSchema, call: toolCallSchema }),
  /** Reply to `tool-output-request`. Both texts are capped and have no hidden characters. */
  strictObject({
    type: literal('tool-output'),
    messageId: idSchema,
    callId: callIdSchema,
    arguments: string(),
    output: string(),
  }),
  /** The answer's tool calls have ended. The turn continues in another message or ends. */
  strictObject({ type: literal('work-end'), messageId: idSchema, status: messageStatusSchema }),
  strictObject({ type: literal('pending-change'), pending: array(pendingSchema) }),
  strictObject({ type: literal('changes-put'), changes: changesSchema }),
  strictObject({
    type: literal('mode-change'),
    mode: modeSchema,
    toolsOff: nullable(string()),
  }),
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
  strictObject({ type: literal('options-change'), options: optionsStateSchema }),
  voiceChangeSchema,
  speechOpenSchema,
  speechSamplesSchema,
  speechFileSchema,
  speechPartSchema,
  speechFailSchema,
  speechCloseSchema,
  composerTypeSchema,
  optionDetailsSchema,
  citationsPutSchema,
  protectionPutSchema,
  strictObject({ type: literal('title-change'), title: string() }),
  strictObject({ type: literal('attachments-change'), attachments: array(attachmentSchema) }),
  strictObject({ type: literal('model-change'), model: nullable(modelSchema) }),
  /**
   * Reply to `model-list-request`. `stale` is the reason why the list comes from the cache; `privateOnly` is true when
   * a setting hides all other models.
   */
  strictObject({
    type: literal('model-list'),
    models: array(modelSchema),
    stale: nullable(string()),
    loading: boolean(),
    privateOnly: boolean(),
  }),
  strictObject({ type: literal('account-change'), account: accountSchema }),
  strictObject({ type: literal('settings-change'), wrapCode: boolean() }),
  strictObject({ type: literal('suggestions-change'), suggestions: array(string()) }),
  /** Puts text into the composer: below the existing text, or instead of the existing text if `replace` is true. */
  strictObject({ type: literal('draft-set'), text: string(), replace: boolean() }),
  /** A sentence for the live region, also shown above the composer for a few seconds. */
  strictObject({ type: literal('notice-show'), text: string() }),
  /** Reply to `image-hint-request`: the model of the next image and its price. Empty without an image model. */
  strictObject({ type: literal('image-hint'), text: pipe(string(), maxLength(300)) }),
  contextSuggestionsSchema,
  mediaScaleMessage,
  strictObject({ type: literal('composer-focus') }),
  strictObject({ type: literal('find-open') }),
]);

export type HostMessage = InferOutput<typeof hostMessageSchema>;
