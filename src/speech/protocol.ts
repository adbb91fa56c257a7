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

const sentence = pipe(string(), maxLength(1_000));
/** Bytes in Base64: at most about a minute of samples, or one file. */
const bytes = pipe(string(), maxLength(48 * 1024 * 1024), regex(/^[A-Za-z0-9+/]*={0,2}$/u));

/** Voice and persona state of the page. */
export const voiceSchema = strictObject({
  /** True if the service has a speech model (`reads`) or a transcription model (`listens`). */
  reads: boolean(),
  listens: boolean(),
  /** Name of the conversation's persona. */
  persona: nullable(pipe(string(), maxLength(200))),
});

export type VoiceView = InferOutput<typeof voiceSchema>;

/** Messages from the host to the page. */
export const voiceChangeSchema = strictObject({
  type: literal('voice-change'),
  voice: voiceSchema,
});

/** Starts a reading and replaces the previous reading. */
export const speechOpenSchema = strictObject({
  type: literal('speech-open'),
  id: idSchema,
  /** Id of the answer that is read. Null for other texts. */
  messageId: nullable(idSchema),
});

/** The next samples: 16-bit little-endian. */
export const speechSamplesSchema = strictObject({
  type: literal('speech-samples'),
  id: idSchema,
  rate: pipe(number(), integer(), minValue(8_000), maxValue(96_000)),
  channels: picklist([1, 2]),
  samples: bytes,
});

/** A complete audio file for the page to decode, played after the preceding audio. */
export const speechFileSchema = strictObject({
  type: literal('speech-file'),
  id: idSchema,
  file: bytes,
});

/**
 * Marks the end of a part. The page requests the next part with `speech-more` shortly before
 * playback reaches the end.
 */
export const speechPartSchema = strictObject({
  type: literal('speech-part'),
  id: idSchema,
  isLast: boolean(),
});

export const speechFailSchema = strictObject({
  type: literal('speech-fail'),
  id: idSchema,
  message: sentence,
});

/** Stops playback immediately. */
export const speechCloseSchema = strictObject({ type: literal('speech-close'), id: idSchema });

/** Inserts dictated text at the caret of the composer, as if typed. */
export const composerTypeSchema = strictObject({
  type: literal('composer-type'),
  text: pipe(string(), maxLength(200_000)),
});

/** Messages from the page to the host. */
export const voiceAskSchema = strictObject({
  type: literal('voice-ask'),
  ask: picklist(['dictate', 'choose-persona', 'remove-persona', 'choose-voice']),
});

/** Reads an answer aloud and stops the current reading. */
export const speechStartSchema = strictObject({
  type: literal('speech-start'),
  messageId: idSchema,
});
export const speechMoreSchema = strictObject({ type: literal('speech-more'), id: idSchema });
/** The user stopped the reading, or playback finished. */
export const speechOverSchema = strictObject({ type: literal('speech-over'), id: idSchema });

export type SpeechMessage = InferOutput<
  | typeof speechOpenSchema
  | typeof speechSamplesSchema
  | typeof speechFileSchema
  | typeof speechPartSchema
  | typeof speechFailSchema
  | typeof speechCloseSchema
>;
