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
/** Bytes in base64: at most about a minute of samples, or one file. */
const bytes = pipe(string(), maxLength(48 * 1024 * 1024), regex(/^[A-Za-z0-9+/]*={0,2}$/u));

/** What the page shows of voices and personas. */
export const voiceSchema = strictObject({
  /** The service has a model that speaks, and one that writes down what is said. */
  reads: boolean(),
  listens: boolean(),
  /** The name of the persona that answers in this conversation. */
  persona: nullable(pipe(string(), maxLength(200))),
});

export type VoiceView = InferOutput<typeof voiceSchema>;

/** What the host tells the page. */
export const voiceChangeSchema = strictObject({
  type: literal('voice-change'),
  voice: voiceSchema,
});

/** Something is about to be read aloud; whatever was before is over. */
export const speechOpenSchema = strictObject({
  type: literal('speech-open'),
  id: idSchema,
  /** The answer that is read, if it is one. */
  messageId: nullable(idSchema),
});

/** 16-bit little-endian samples that follow those before. */
export const speechSamplesSchema = strictObject({
  type: literal('speech-samples'),
  id: idSchema,
  rate: pipe(number(), integer(), minValue(8_000), maxValue(96_000)),
  channels: picklist([1, 2]),
  samples: bytes,
});

/** A whole file in a format that the page decodes, to be heard after what came before. */
export const speechFileSchema = strictObject({
  type: literal('speech-file'),
  id: idSchema,
  file: bytes,
});

/** One part of the text is there whole: the page asks for the next one with `speech-more` when it nears the end. */
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

/** Silence, at once. */
export const speechCloseSchema = strictObject({ type: literal('speech-close'), id: idSchema });

/** Writes at the caret of the composer, as if it had been typed: what was dictated. */
export const composerTypeSchema = strictObject({
  type: literal('composer-type'),
  text: pipe(string(), maxLength(200_000)),
});

/** What the page asks of the host. */
export const voiceAskSchema = strictObject({
  type: literal('voice-ask'),
  ask: picklist(['dictate', 'choose-persona', 'remove-persona', 'choose-voice']),
});

/** Reads an answer aloud; the one that is being read falls silent. */
export const speechStartSchema = strictObject({
  type: literal('speech-start'),
  messageId: idSchema,
});
export const speechMoreSchema = strictObject({ type: literal('speech-more'), id: idSchema });
/** The person stopped it, or all was heard. */
export const speechOverSchema = strictObject({ type: literal('speech-over'), id: idSchema });

export type SpeechMessage = InferOutput<
  | typeof speechOpenSchema
  | typeof speechSamplesSchema
  | typeof speechFileSchema
  | typeof speechPartSchema
  | typeof speechFailSchema
  | typeof speechCloseSchema
>;
