import {
  boolean,
  integer,
  type InferOutput,
  literal,
  maxLength,
  maxValue,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';
import { idSchema } from '../base/schema.ts';

const sentenceSchema = pipe(string(), maxLength(1_000));
/** Audio in base64, at most 48 MB of text. Contains a chunk of samples or a complete file. */
const audioBase64Schema = pipe(
  string(),
  maxLength(48 * 1024 * 1024),
  regex(/^[A-Za-z0-9+/]*={0,2}$/u),
);

/** Voice features and persona of a conversation. */
export const voiceSchema = strictObject({
  /**
   * `reads` is true if the service has a text-to-speech model. `listens` is true if the service has a transcription
   * model.
   */
  reads: boolean(),
  listens: boolean(),
  /** Name of the conversation's persona. Null if the conversation has no persona. */
  persona: nullable(pipe(string(), maxLength(200))),
});

export type VoiceView = InferOutput<typeof voiceSchema>;

/** Sent to the page when the voice features or the persona of a conversation change. */
export const voiceChangeSchema = strictObject({
  type: literal('voice-change'),
  voice: voiceSchema,
});

/** Starts to read a text aloud. If another text is being read, the new text replaces it. */
export const speechOpenSchema = strictObject({
  type: literal('speech-open'),
  id: idSchema,
  /** Id of the answer that is read aloud. Null for a text that is not an answer. */
  messageId: nullable(idSchema),
});

/** Next samples to play, 16-bit little-endian. `rate` is the sample rate in hertz. */
export const speechSamplesSchema = strictObject({
  type: literal('speech-samples'),
  id: idSchema,
  rate: pipe(number(), integer(), minValue(8_000), maxValue(96_000)),
  channels: picklist([1, 2]),
  samples: audioBase64Schema,
});

/** Complete audio file. The page plays the file after all previous audio. */
export const speechFileSchema = strictObject({
  type: literal('speech-file'),
  id: idSchema,
  file: audioBase64Schema,
});

/**
 * Sent after the audio of one part of the text. Unless this is the last part, the page sends `speech-next` shortly
 * before it has played all audio of the part.
 */
export const speechPartSchema = strictObject({
  type: literal('speech-part'),
  id: idSchema,
  isLast: boolean(),
});

/** Sent while the host waits to retry a request for speech. The wait ends when audio arrives or the reading ends. */
export const speechWaitSchema = strictObject({
  type: literal('speech-wait'),
  id: idSchema,
  /** Sentence with the reason for the wait. */
  message: sentenceSchema,
  /** Time of the retry, in milliseconds since the epoch. */
  retryAt: number(),
});

export const speechFailSchema = strictObject({
  type: literal('speech-fail'),
  id: idSchema,
  message: sentenceSchema,
});

/** Stops playback of the reading `id` immediately. */
export const speechCloseSchema = strictObject({ type: literal('speech-close'), id: idSchema });

/** Inserts dictated text at the caret of the composer, as if the user had typed it. */
export const composerTypeSchema = strictObject({
  type: literal('composer-type'),
  text: pipe(string(), maxLength(200_000)),
});

/** Command of a voice or persona button that the user clicked. */
export const voiceCommandSchema = strictObject({
  type: literal('voice-command'),
  command: picklist(['dictate', 'choose-persona', 'remove-persona', 'choose-voice']),
});

/** Sent when the user selects Read Aloud at an answer. The host then stops the current reading. */
export const speechStartSchema = strictObject({
  type: literal('speech-start'),
  messageId: idSchema,
});
/** Requests the next part of the audio for the reading `id`. */
export const speechNextPartSchema = strictObject({ type: literal('speech-next'), id: idSchema });
/** Sent when the user stops the reading, or when the page has played all audio. */
export const speechEndSchema = strictObject({ type: literal('speech-end'), id: idSchema });

export type SpeechMessage = InferOutput<
  | typeof speechOpenSchema
  | typeof speechSamplesSchema
  | typeof speechFileSchema
  | typeof speechPartSchema
  | typeof speechWaitSchema
  | typeof speechFailSchema
  | typeof speechCloseSchema
>;
