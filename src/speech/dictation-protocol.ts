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
 * Version of the protocol between the recording page and its host, the extension. The protocol uses JSON over POST.
 * Only the page sends requests, and the host validates them as untrusted input. Increment the version for every
 * incompatible change.
 */
export const dictationPageVersion = 3;

/**
 * Sample rate in hertz of the recorded audio, which has one channel of 16-bit samples. Transcription models process
 * speech at this rate.
 */
export const dictationSampleRate = 16_000;

/** Maximum duration of one recording in seconds. The service permits much larger recordings. */
export const maxDictationSeconds = 600;

/** Maximum length of an audio chunk in base64 characters: about one second of samples. */
const maxChunkCharacters = 40_000;

/** Names of the requests that the page's script sends. Each name is a path of the page server. */
export const dictationCalls = [...pairingCalls, 'audio'] as const;

/** States of the recording page. The states `done` and `failed` are final. */
export const dictationStates = ['ready', 'working', 'done', 'failed'] as const;
export type DictationState = (typeof dictationStates)[number];

const stateSchema = picklist(dictationStates);
/**
 * Request that waits for a state change. `state` is the state that the page shows. The host replies as soon as its own
 * state differs.
 */
const pollSchema = strictObject({ state: nullable(stateSchema) });
const pollReplySchema = strictObject({
  state: stateSchema,
  message: pipe(string(), maxLength(1_000)),
});
const audioSchema = strictObject({
  /** Index of the audio chunk, from 0. The host rejects a chunk that repeats or skips an index. */
  number: pipe(number(), integer(), minValue(0), maxValue(10 * maxDictationSeconds)),
  samples: pipe(
    string(),
    minLength(4),
    maxLength(maxChunkCharacters),
    regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u),
  ),
});
const eventSchema = strictObject({
  /** Event that ends the recording. `incomplete` means that a part of the audio did not reach the host. */
  event: union([
    picklist(['finished', 'incomplete', 'canceled', 'page-closed', 'denied', 'no-microphone']),
  ]),
});

export type DictationEvent = InferOutput<typeof eventSchema>['event'];
export type DictationPoll = InferOutput<typeof pollSchema>;
export type DictationReply = InferOutput<typeof pollReplySchema>;

export const readPoll = createReader(pollSchema);
export const readPollReply = createReader(pollReplySchema);
export const readAudio = createReader(audioSchema);
export const readEvent = createReader(eventSchema);

/** UI texts of the recording page, which are part of its HTML. */
export interface DictationLabels {
  readonly title: string;
  readonly explanation: string;
  readonly startButton: string;
  readonly stopButton: string;
  readonly cancelButton: string;
  readonly soundLevel: string;
  readonly recordingStatus: string;
  readonly transcribingStatus: string;
  readonly completedMessage: string;
  readonly microphoneDeniedMessage: string;
  readonly noMicrophoneMessage: string;
  readonly disconnectedMessage: string;
}
