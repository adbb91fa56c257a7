import type { SpeechFormat } from '../../service/speech.ts';
import { SampleReader } from './wav.ts';

/**
 * Files of one format as one file. MP3, AAC and Opus are made for being put behind each other; of WAV files the samples
 * are.
 * @throws ServiceError `unexpected-response` for a WAV file that is none
 */
export function joinSpeech(files: readonly Uint8Array[], format: SpeechFormat): Uint8Array {
  if (format !== 'wav' || files.length === 1) return Buffer.concat(files);
  const all = files.flatMap((file) => new SampleReader('wav').feed(file) ?? []);
  const { rate = 24_000, channels = 1 } = all[0] ?? {};
  const samples = Buffer.concat(all.map(({ bytes }) => bytes));
  return Buffer.concat([wavHeader({ rate, channels, dataBytes: samples.length }), samples]);
}

/** The beginning of a WAV file of 16-bit samples. */
export function wavHeader(of: { rate: number; channels: number; dataBytes: number }): Uint8Array {
  const { rate, channels, dataBytes } = of;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
