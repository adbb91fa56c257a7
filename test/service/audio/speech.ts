import * as v from 'valibot';
import { hashText } from '../random.ts';
import { encodeFlac } from './flac.ts';
import { encodePcm } from './samples.ts';
import { createSilentAac, createSilentMp3, createSilentOpus } from './silent-formats.ts';
import {
  estimateSpeechDurationS,
  sampleRate,
  countSamples,
  encodeSpeech,
  type Utterance,
} from './tones.ts';
import { createWavHeader } from './wav.ts';

/** Schema of the body of `POST /audio/speech`; unknown keys are rejected. */
export const speechBodySchema = v.object({
  input: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
  model: v.optional(v.string(), 'default'),
  voice: v.optional(v.pipe(v.string(), v.maxLength(512))),
  response_format: v.optional(v.picklist(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])),
  speed: v.optional(v.pipe(v.number(), v.minValue(0.25), v.maxValue(4)), 1),
  streaming: v.optional(v.boolean(), false),
  language: v.optional(v.pipe(v.string(), v.minLength(2), v.maxLength(32))),
  prompt: v.optional(v.pipe(v.string(), v.maxLength(500))),
  temperature: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(2))),
  top_p: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

export type AudioFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

export const audioMimeTypes: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

interface SpeechRequest {
  readonly text: string;
  readonly voice: string;
  readonly speed: number;
}

/** Synthesizes speech from a text. Yields the bytes of the audio file in chunks. */
export function* synthesizeSpeech(request: SpeechRequest, format: AudioFormat): Generator<Buffer> {
  const { text, speed, voice } = request;
  const utterance: Utterance = { text, speed, timbre: (hashText(voice) % 100) / 100 };
  const seconds = estimateSpeechDurationS(utterance);
  switch (format) {
    case 'mp3':
      return yield* splitFile(createSilentMp3(seconds));
    case 'aac':
      return yield* splitFile(createSilentAac(seconds));
    case 'opus':
      return yield* splitFile(createSilentOpus(seconds));
    case 'flac':
      return yield* splitFile(
        encodeFlac(Buffer.concat([...encodeSpeech(utterance)].map(encodePcm))),
      );
    case 'wav':
      yield createWavHeader(sampleRate, countSamples(utterance) * 2);
      break;
    case 'pcm':
  }
  for (const samples of encodeSpeech(utterance)) yield encodePcm(samples);
}

function* splitFile(file: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < file.length; offset += 8_192)
    yield file.subarray(offset, offset + 8_192);
}
