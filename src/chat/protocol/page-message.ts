import {
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
  optionsActSchema,
} from './composer.ts';
import { maxPromptLength } from './constants.ts';
import { attachmentMessages } from '../../conversation/protocol.ts';
import {
  speechMoreSchema,
  speechOverSchema,
  speechStartSchema,
  voiceAskSchema,
} from '../../speech/protocol.ts';
import { attestationShowSchema } from '../../privacy/protocol.ts';
import { callIdSchema, modeSchema } from '../../agent/protocol.ts';
import { idSchema } from '../../base/schema.ts';

const index = pipe(number(), integer(), minValue(0));
const prompt = pipe(string(), maxLength(maxPromptLength));

/** Messages from the chat page to the host. The host looks up ids and ignores unknown ones. */
export const webviewMessageSchema = variant('type', [
  /** Sent once per load, and when a difference could not be applied. The host replies with `state-set`. */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  strictObject({
    type: literal('message-send'),
    /** Id of the conversation on the page. The host may have switched to another conversation. */
    conversationId: idSchema,
    /** Empty for a message that consists of images or documents alone. */
    text: prompt,
  }),
  /** Adds a sibling of the user message `messageId` with this text. */
  strictObject({
    type: literal('message-edit'),
    messageId: idSchema,
    text: pipe(prompt, minLength(1)),
  }),
  strictObject({ type: literal('message-copy'), messageId: idSchema }),
  strictObject({ type: literal('turn-stop') }),
  /** Requests another answer as a sibling of the answer `messageId`. */
  strictObject({ type: literal('turn-retry'), messageId: idSchema }),
  /** Continues the interrupted answer `messageId`. */
  strictObject({ type: literal('turn-continue'), messageId: idSchema }),
  strictObject({
    type: literal('branch-select'),
    messageId: idSchema,
    index,
  }),
  /** The user opened a row. The host replies with `tool-output`. */
  strictObject({
    type: literal('tool-output-request'),
    messageId: idSchema,
    callId: callIdSchema,
  }),
  /** Opens the target of a row. */
  strictObject({ type: literal('tool-open'), messageId: idSchema, callId: callIdSchema }),
  /** Cancels one running tool call. The turn continues. */
  strictObject({ type: literal('tool-cancel'), messageId: idSchema, callId: callIdSchema }),
  /** Answers the pending approval `id`, which accepts one answer. The model receives `reason` with a denial. */
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
  /** Shows the turn's changes in the file with this index, compared to the state before the turn. */
  strictObject({ type: literal('changes-open'), turnId: idSchema, index }),
  /** Accepts, rejects, undoes or redoes all file changes of the turn. */
  strictObject({
    type: literal('changes-decide'),
    turnId: idSchema,
    decision: picklist(['accept', 'reject', 'undo', 'redo']),
  }),
  /** Performs an action on an image of the message. */
  strictObject({
    type: literal('image-act'),
    messageId: idSchema,
    imageId: idSchema,
    action: picklist(['save-file', 'insert', 'studio', 'open']),
  }),
  attestationShowSchema,
  /** The user typed `/`. The host replies with `image-hint`. */
  strictObject({ type: literal('image-hint-request') }),
  strictObject({ type: literal('code-copy'), text: prompt }),
  strictObject({ type: literal('code-insert'), text: prompt }),
  strictObject({
    type: literal('code-new-file'),
    text: prompt,
    language: pipe(string(), maxLength(64)),
  }),
  strictObject({ type: literal('link-open'), href: pipe(string(), maxLength(4_096)) }),
  /** The user chose a suggested prompt, which is now in the composer. The host attaches the file that it mentions. */
  strictObject({ type: literal('suggestion-choose'), text: pipe(string(), maxLength(400)) }),
  strictObject({ type: literal('draft-change'), conversationId: idSchema, text: prompt }),
  strictObject({
    type: literal('attachment-add'),
    source: picklist(['pick', 'selection', 'file', 'problems', 'image', 'document']),
  }),
  contextSearchSchema,
  contextChooseSchema,
  contextDropSchema,
  strictObject({ type: literal('attachment-remove'), id: idSchema }),
  ...attachmentMessages,
  strictObject({ type: literal('model-list-request'), refresh: picklist(['no', 'yes']) }),
  strictObject({ type: literal('model-select'), id: pipe(string(), maxLength(300)) }),
  optionsActSchema,
  voiceAskSchema,
  speechStartSchema,
  speechMoreSchema,
  speechOverSchema,
  strictObject({ type: literal('conversation-new') }),
  /** Runs an action of a failure card, or of the account line when `messageId` is null. */
  strictObject({
    type: literal('action-run'),
    messageId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
]);

export type WebviewMessage = InferOutput<typeof webviewMessageSchema>;

/** Returns the message, or `undefined` for any other value. */
export function readWebviewMessage(value: unknown): WebviewMessage | undefined {
  const result = safeParse(webviewMessageSchema, value);
  return result.success ? result.output : undefined;
}
