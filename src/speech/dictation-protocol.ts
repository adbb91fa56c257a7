import {
  type InferOutput,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
  union,
} from 'valibot';
import { pairingCalls, createReader } from '../platform/pages/protocol.ts';

/**
 * Protocol between the recording page and the host: JSON over POST, always initiated by the page.
 * Page input is untrusted.
 */

/** Protocol version. Incremented with every incompatible change. */
export const dictationPageVersion = 1;

/** Sample rate in hertz: 16 bits, one channel. Transcription models work with this rate. */
export const dictationSampleRate = 16_000;

/** Maximum length of one recording, in seconds. Well below the service's limit. */
export const maxDictationSeconds = 600;

/** Maximum Base64 characters of one audio chunk: half a second. */
const maxChunkCharacters = 40_000;

/** Calls of the page's script. Each has its own path. */
export const dictationCalls = [...pairingCalls, 'audio'] as const;

/** States of the page. After `done` or `failed`, nothing follows. */
export const dictationStates = ['ready', 'working', 'done', 'failed'] as const;
export type DictationState = (typeof dictationStates)[number];

const stateSchema = picklist(dictationStates);
/** Poll with the page's current state. The host replies when its state differs. */
const pollSchema = strictObject({ state: nullable(stateSchema) });
const pollReplySchema = strictObject({
  state: stateSchema,
  message: pipe(string(), maxLength(1_000)),
});
const audioSchema = strictObject({
  /** Chunk number, starting at 0. Detects lost and repeated chunks. */
  number: pipe(number(), integer(), minValue(0), maxValue(10 * maxDictationSeconds)),
  samples: pipe(
    string(),
    minLength(4),
    maxLength(maxChunkCharacters),
    regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u),
  ),
});
const eventSchema = strictObject({
  event: union([picklist(['finished', 'cancelled', 'page-closed', 'denied', 'no-microphone'])]),
});

export type DictationEvent = InferOutput<typeof eventSchema>['event'];
export type DictationPoll = InferOutput<typeof pollSchema>;
export type DictationReply = InferOutput<typeof pollReplySchema>;

export const readPoll = createReader(pollSchema);
export const readPollReply = createReader(pollReplySchema);
export const readAudio = createReader(audioSchema);
export const readEvent = createReader(eventSchema);

/** UI text of the recording page, sent with its HTML. */
export interface DictationLabels {
  readonly title: string;
  readonly explanation: string;
  readonly start: string;
  readonly stop: string;
  readonly cancel: string;
  readonly level: string;
  readonly recording: string;
  readonly working: string;
  readonly done: string;
  readonly denied: string;
  readonly noMicrophone: string;
  readonly disconnected: string;
}
