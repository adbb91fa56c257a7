import * as v from 'valibot';
import { ApiError } from '../api-error.ts';
import { readFlac } from './flac.ts';
import { decodeSpeech } from './tones.ts';
import { readWav, createUnreadableAudioError } from './wav.ts';

/** Schema of the form fields of `POST /audio/transcriptions`; unknown fields are rejected. */
export const transcriptionBodySchema = v.object({
  file: v.instance(Buffer),
  model: v.optional(v.string(), 'default'),
  response_format: v.optional(v.picklist(['json', 'text']), 'json'),
  timestamps: v.optional(v.picklist(['true', 'false']), 'false'),
  language: v.optional(v.string()),
});

export const maxFileBytes = 25 * 1024 * 1024;

export interface Transcript {
  readonly text: string;
  /** Duration of the recording in seconds. */
  readonly durationSeconds: number;
}

/**
 * Transcribes a recording of synthesized speech.
 * @throws ApiError 400 if the bytes are not audio, 413 if the file is larger than 25 MB, 422 if the encoding is
 * unsupported
 */
export function transcribeFile(file: Buffer): Transcript {
  if (file.length > maxFileBytes)
    throw new ApiError(413, {
      code: 'PAYLOAD_TOO_LARGE',
      error: 'Audio files may have at most 25 MB',
    });
  const format = detectFormat(file);
  if (format === undefined)
    throw new ApiError(400, { error: 'Invalid audio format', code: 'INVALID_AUDIO_FORMAT' });
  if (format === 'other') throw createUnreadableAudioError();
  const { samples, rate } = format === 'wav' ? readWav(file) : readFlac(file);
  return { text: decodeSpeech(samples, rate), durationSeconds: samples.length / rate };
}

/** Detects the format by the first bytes of the file. */
function detectFormat(file: Buffer): 'wav' | 'flac' | 'other' | undefined {
  const startText = file.toString('latin1', 0, 12);
  if (/^RIFF[^]{4}WAVE/u.test(startText)) return 'wav';
  if (startText.startsWith('fLaC')) return 'flac';
  const isMatroska = file.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
  const isOtherFormat = /^(?:OggS|ID3|\u00FF[\u00E0-\u00FF]|[^]{4}ftyp)/u.test(startText);
  return isOtherFormat || isMatroska ? 'other' : undefined;
}

/** Returns timestamps for words and segments, estimated from the positions of their characters in the text. */
export function createWordTimestamps({ text, durationSeconds }: Transcript): object {
  const words = [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({
    word,
    start: (index / text.length) * durationSeconds,
    end: ((index + word.length) / text.length) * durationSeconds,
  }));
  return { word: words, segment: [{ text, start: 0, end: durationSeconds }], char: [] };
}
