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

/** What the chat's webview asks of the host. Ids are looked up host-side; an unknown one is ignored. */
export const webviewMessageSchema = variant('type', [
  /** Sent once per load, and again when a difference could not be applied: the host answers with `state-set`. */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  strictObject({
    type: literal('message-send'),
    /** The conversation on the page: the host may show another by now. */
    conversationId: idSchema,
    /** Empty when a picture or a document says it all. */
    text: prompt,
  }),
  /** A new branch beside the person's message `messageId`, with this text. */
  strictObject({
    type: literal('message-edit'),
    messageId: idSchema,
    text: pipe(prompt, minLength(1)),
  }),
  strictObject({ type: literal('message-copy'), messageId: idSchema }),
  strictObject({ type: literal('turn-stop') }),
  /** A new answer beside the answer `messageId`. */
  strictObject({ type: literal('turn-retry'), messageId: idSchema }),
  /** Goes on where the interrupted answer `messageId` ends. */
  strictObject({ type: literal('turn-continue'), messageId: idSchema }),
  strictObject({
    type: literal('branch-select'),
    messageId: idSchema,
    index,
  }),
  /** The row was opened: the host answers with `tool-output`. */
  strictObject({
    type: literal('tool-output-request'),
    messageId: idSchema,
    callId: callIdSchema,
  }),
  /** A click on the target of a row. */
  strictObject({ type: literal('tool-open'), messageId: idSchema, callId: callIdSchema }),
  /** Stops one running call; the turn goes on. */
  strictObject({ type: literal('tool-cancel'), messageId: idSchema, callId: callIdSchema }),
  /** `id` of something that waits; it holds once. `reason` goes to the model with a denial. */
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
  /** Shows what the turn changed in its `index`-th file, against the state before the turn. */
  strictObject({ type: literal('changes-open'), turnId: idSchema, index }),
  /** Keeps, takes back, or redoes everything that the turn changed. */
  strictObject({
    type: literal('changes-decide'),
    turnId: idSchema,
    decision: picklist(['accept', 'reject', 'undo', 'redo']),
  }),
  /** Does something with a picture of the message. */
  strictObject({
    type: literal('image-act'),
    messageId: idSchema,
    imageId: idSchema,
    action: picklist(['save-file', 'insert', 'studio', 'open']),
  }),
  attestationShowSchema,
  /** `/` was typed: the host answers with `image-hint`. */
  strictObject({ type: literal('image-hint-request') }),
  strictObject({ type: literal('code-copy'), text: prompt }),
  strictObject({ type: literal('code-insert'), text: prompt }),
  strictObject({
    type: literal('code-new-file'),
    text: prompt,
    language: pipe(string(), maxLength(64)),
  }),
  strictObject({ type: literal('link-open'), href: pipe(string(), maxLength(4_096)) }),
  /** A suggested prompt went into the composer: the host attaches what it speaks of, in sight. */
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
  /** An action of a failure card, or of the account's state when `messageId` is null. */
  strictObject({
    type: literal('action-run'),
    messageId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
]);

export type WebviewMessage = InferOutput<typeof webviewMessageSchema>;

/** The message, or `undefined` for anything that is not one. */
export function readWebviewMessage(value: unknown): WebviewMessage | undefined {
  const result = safeParse(webviewMessageSchema, value);
  return result.success ? result.output : undefined;
}
