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
import { pairingCalls, reader } from '../platform/pages/protocol.ts';

/**
 * What the page that records and the host tell each other: JSON over POST, from the page's side only. Whatever comes
 * from the page counts as hostile.
 */

/** Raised when either side changes meaning. */
export const dictationPageVersion = 1;

/** Samples for each second of what is recorded: 16 bits, one channel. What models that listen work with. */
export const dictationSampleRate = 16_000;

/** Of one recording, in seconds: well below what the service takes. */
export const maxDictationSeconds = 600;

/** Of one piece: half a second, in base64. */
const maxChunkCharacters = 40_000;

/** What the page's script calls, each a path of its own. */
export const dictationCalls = [...pairingCalls, 'audio'] as const;

/** What the page shows. `listening` until the person presses Stop; after `ended` nothing follows. */
export const dictationStates = ['ready', 'working', 'done', 'failed'] as const;
export type DictationState = (typeof dictationStates)[number];

const stateSchema = picklist(dictationStates);
/** The page says what it has, and hears when it is something else. */
const pollSchema = strictObject({ state: nullable(stateSchema) });
const pollReplySchema = strictObject({
  state: stateSchema,
  message: pipe(string(), maxLength(1_000)),
});
const audioSchema = strictObject({
  /** Counts from 0, so that no piece is lost or there twice. */
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

export const readPoll = reader(pollSchema);
export const readPollReply = reader(pollReplySchema);
export const readAudio = reader(audioSchema);
export const readEvent = reader(eventSchema);

/** All words of the page that records; they come with it. */
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
