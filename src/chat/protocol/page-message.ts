import {
  array,
  boolean,
  exactOptional,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
  variant,
} from 'valibot';
import {
  contextChooseSchema,
  contextDropSchema,
  contextSearchSchema,
  optionsActionSchema,
} from './composer.ts';
import { maxPromptLength } from './constants.ts';
import { connectRequestSchema, typedAddressSchema } from '../../account/protocol.ts';
import { attachmentMessages, permissionLevels } from '../../conversation/protocol.ts';
import {
  speechNextPartSchema,
  speechEndSchema,
  speechStartSchema,
  voiceCommandSchema,
} from '../../speech/protocol.ts';
import { attestationShowSchema } from '../../privacy/protocol.ts';
import { callIdSchema, modeSchema } from '../../agent/protocol.ts';
import { idSchema } from '../../base/schema.ts';

const indexSchema = pipe(number(), integer(), minValue(0));
const filePathSchema = pipe(string(), maxLength(1_000));
const promptSchema = pipe(string(), maxLength(maxPromptLength));

/** Messages from the chat page to the host. The host ignores messages that refer to unknown ids. */
export const webviewMessageSchema = variant('type', [
  /**
   * Requests the complete state. Sent when the page has loaded, and when it cannot apply a change. The host replies
   * with `state-set`.
   */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  strictObject({
    type: literal('message-send'),
    /** Id of the conversation that the page shows. The host may already show another conversation. */
    conversationId: idSchema,
    /** Text of the message. Empty if the message consists only of images or documents. */
    text: promptSchema,
  }),
  /** Adds a new version of the user message `messageId` as a sibling. */
  strictObject({
    type: literal('message-edit'),
    messageId: idSchema,
    text: pipe(promptSchema, minLength(1)),
  }),
  strictObject({ type: literal('message-copy'), messageId: idSchema }),
  /** Restores the files and the chat to their state before the user message `messageId`. */
  strictObject({ type: literal('message-restore'), messageId: idSchema }),
  strictObject({ type: literal('turn-stop') }),
  /**
   * Requests another answer as a sibling of the answer `messageId`. `model` replaces the selected model for this
   * answer only.
   */
  strictObject({
    type: literal('turn-retry'),
    messageId: idSchema,
    model: exactOptional(pipe(string(), maxLength(300))),
  }),
  /**
   * Continues the answer `messageId` if it is incomplete. Otherwise, continues the turn that ended after the answer's
   * tool calls.
   */
  strictObject({ type: literal('turn-continue'), messageId: idSchema }),
  strictObject({
    type: literal('branch-select'),
    messageId: idSchema,
    index: indexSchema,
  }),
  /** Sent when the user expands a tool call. The host replies with `tool-output`. */
  strictObject({
    type: literal('tool-output-request'),
    messageId: idSchema,
    callId: callIdSchema,
  }),
  /** Opens the file that the tool call refers to. */
  strictObject({ type: literal('tool-open'), messageId: idSchema, callId: callIdSchema }),
  /** Cancels one running tool call. The turn continues. */
  strictObject({ type: literal('tool-cancel'), messageId: idSchema, callId: callIdSchema }),
  /**
   * Answers the approval request `id`. The host ignores later answers to the same request. If the user denies the
   * request, the model receives `reason`.
   */
  strictObject({
    type: literal('approval-answer'),
    id: idSchema,
    answer: picklist(['once', 'conversation', 'always', 'deny']),
    reason: pipe(string(), maxLength(10_000)),
  }),
  strictObject({
    type: literal('question-answer'),
    id: idSchema,
    text: pipe(string(), maxLength(10_000)),
  }),
  strictObject({ type: literal('mode-select'), mode: modeSchema }),
  /**
   * Switches the chat to Agent mode and sends the plan of the answer `messageId`, as the user edited it. `model`
   * replaces the selected model for this turn only.
   */
  strictObject({
    type: literal('plan-start'),
    messageId: idSchema,
    text: pipe(promptSchema, minLength(1)),
    model: exactOptional(pipe(string(), maxLength(300))),
  }),
  /** Changes the todo list. `id` is null for a new item, and for the action `clear`, which removes all items. */
  strictObject({
    type: literal('todo-change'),
    id: nullable(idSchema),
    action: picklist(['write', 'toggle', 'remove', 'clear']),
    text: pipe(string(), maxLength(1_000)),
  }),
  /** Sent when the user opens the context view. The host replies with `context-view`. */
  strictObject({ type: literal('context-view-request') }),
  /**
   * Excludes an attachment of the message `messageId`, or the output of one of its tool calls, from later requests, or
   * includes it again. The host replies with `context-view`.
   */
  strictObject({
    type: literal('context-remove'),
    messageId: idSchema,
    item: callIdSchema,
    isRemoved: boolean(),
  }),
  /** Sets the permission level of the chat. The level of new chats is a setting. */
  strictObject({ type: literal('permissions-select'), level: picklist(permissionLevels) }),
  /** Answers the offer to turn on inline suggestions. */
  strictObject({
    type: literal('suggestions-offer-answer'),
    answer: picklist(['accept', 'close']),
  }),
  strictObject({ type: literal('edits-notice-answer'), answer: picklist(['change', 'close']) }),
  /**
   * Opens a diff between a file before the turn and the current file. `index` is the file's 0-based position in the
   * list of changes.
   */
  strictObject({ type: literal('changes-open'), turnId: idSchema, index: indexSchema }),
  /** Accepts, rejects, undoes or redoes all file changes of the turn. */
  strictObject({
    type: literal('changes-decide'),
    turnId: idSchema,
    decision: picklist(['accept', 'reject', 'undo', 'redo']),
  }),
  /** Saves, inserts or opens an image of the message. The action `studio` opens the image in the studio. */
  strictObject({
    type: literal('image-act'),
    messageId: idSchema,
    imageId: idSchema,
    action: picklist(['save-file', 'insert', 'studio', 'open']),
  }),
  attestationShowSchema,
  /**
   * Requests the model and the price of the next image. Sent when the user types `/`. The host replies with
   * `image-hint`.
   */
  strictObject({ type: literal('image-hint-request') }),
  strictObject({ type: literal('code-copy'), text: promptSchema }),
  strictObject({ type: literal('code-insert'), text: promptSchema }),
  strictObject({
    type: literal('code-new-file'),
    text: promptSchema,
    language: pipe(string(), maxLength(64)),
  }),
  /**
   * Applies a code block to a file. The host shows the changes before it applies them. The host searches three texts
   * for the name of the file: `info`, the text after the opening fence; `lineBefore`, the line before the code block;
   * `textBefore`, the text from the nearest heading to the code block.
   */
  strictObject({
    type: literal('code-apply'),
    text: promptSchema,
    info: pipe(string(), maxLength(500)),
    lineBefore: pipe(string(), maxLength(500)),
    textBefore: pipe(string(), maxLength(4_000)),
  }),
  strictObject({ type: literal('link-open'), href: pipe(string(), maxLength(4_096)) }),
  /** Sent when answers contain paths that may name files of the workspace. The host replies with `paths-found`. */
  strictObject({
    type: literal('paths-check'),
    paths: pipe(array(filePathSchema), maxLength(100)),
  }),
  /** Opens a file of the workspace. The path can end with a line number, as in `src/tide.ts:12`. */
  strictObject({ type: literal('path-open'), path: filePathSchema }),
  /**
   * Sent when the user chooses a suggested prompt. The page puts the prompt into the composer, and the host attaches
   * the context that belongs to the prompt, such as the selection.
   */
  strictObject({ type: literal('suggestion-choose'), text: pipe(string(), maxLength(400)) }),
  strictObject({ type: literal('draft-change'), conversationId: idSchema, text: promptSchema }),
  strictObject({
    type: literal('attachment-add'),
    source: picklist(['pick', 'selection', 'file', 'problems', 'image', 'document']),
  }),
  contextSearchSchema,
  contextChooseSchema,
  contextDropSchema,
  strictObject({ type: literal('attachment-remove'), id: idSchema }),
  /**
   * Acts on the queued message `id`. `edit` moves the message back to the composer. `send-now` sends the message
   * after the current tool call, or immediately if no turn runs.
   */
  strictObject({
    type: literal('queue-act'),
    id: idSchema,
    action: picklist(['edit', 'remove', 'send-now']),
  }),
  /** Attaches the file that the composer offers. Ignored if the host now offers another file. */
  strictObject({ type: literal('active-file-attach'), label: pipe(string(), maxLength(300)) }),
  ...attachmentMessages,
  strictObject({ type: literal('model-list-request'), refresh: picklist(['no', 'yes', 'cancel']) }),
  strictObject({ type: literal('model-select'), id: pipe(string(), maxLength(300)) }),
  optionsActionSchema,
  voiceCommandSchema,
  speechStartSchema,
  speechNextPartSchema,
  speechEndSchema,
  strictObject({ type: literal('conversation-new') }),
  /** Sent when the user submits the connect form. The host replies with `connect-result`. */
  strictObject({ type: literal('connect-submit'), ...connectRequestSchema.entries }),
  /** Sent when the user changes the address in the connect form, so that the host can show it again later. */
  strictObject({ type: literal('address-change'), address: typedAddressSchema }),
  /** Sent when the connect form becomes visible. The host replies with `local-servers`. */
  strictObject({ type: literal('local-servers-request') }),
  /**
   * Runs an action that the page offers for a failure, such as a retry. The failure is that of the answer
   * `messageId`, or that of the account's connection if `messageId` is null.
   */
  strictObject({
    type: literal('action-run'),
    messageId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
]);

export type WebviewMessage = InferOutput<typeof webviewMessageSchema>;

/** Returns the value as a message, or `undefined` if the value is not a valid message. */
export function readWebviewMessage(value: unknown): WebviewMessage | undefined {
  const result = safeParse(webviewMessageSchema, value);
  return result.success ? result.output : undefined;
}
