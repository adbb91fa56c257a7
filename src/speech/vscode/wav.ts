import * as vscode from 'vscode';
import { createUnexpectedResponseError } from '../../service/http/response.ts';
import type { SpeechFormat } from '../../service/speech.ts';

/**
 * Audio samples for the page that plays them, 16-bit little-endian. Contains only complete frames. A frame has one
 * sample per channel.
 */
export interface AudioSamples {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly bytes: Uint8Array;
}

/** Sample rate in hertz of PCM without a header, which has one channel. */
const pcmSampleRate = 24_000;
/** Maximum number of bytes before the first sample of a WAV file. */
const maxHeaderBytes = 64 * 1024;

/** Extracts samples from a WAV file or from PCM without a header. The audio can be split into chunks of any size. */
export class SampleReader {
  #format: Omit<AudioSamples, 'bytes'> | undefined;
  #remainingBytes = Number.POSITIVE_INFINITY;
  #bufferedBytes: Buffer = Buffer.alloc(0);

  constructor(format: 'wav' | 'pcm') {
    if (format === 'pcm') this.#format = { sampleRate: pcmSampleRate, channels: 1 };
  }

  /**
   * Adds a chunk. Returns all complete frames that no earlier call returned, or undefined if there are none.
   * @throws ServiceError `unexpected-response` unless the audio is PCM without a header, or a WAV file with 16-bit
   * samples
   */
  feed(bytes: Uint8Array): AudioSamples | undefined {
    this.#bufferedBytes = Buffer.concat([this.#bufferedBytes, bytes]);
    if (this.#format === undefined) this.#readHeader();
    if (this.#format === undefined) return undefined;
    const frameBytes = this.#format.channels * 2;
    const availableLength = Math.min(this.#bufferedBytes.length, this.#remainingBytes);
    const length = availableLength - (availableLength % frameBytes);
    if (length === 0) return undefined;
    const samples = this.#bufferedBytes.subarray(0, length);
    this.#bufferedBytes = this.#bufferedBytes.subarray(length);
    this.#remainingBytes -= length;
    return { ...this.#format, bytes: samples };
  }

  #readHeader(): void {
    const header = readHeader(this.#bufferedBytes);
    if (header === undefined) {
      if (this.#bufferedBytes.length > maxHeaderBytes) throw createNotWavError();
      return;
    }
    this.#format = { sampleRate: header.sampleRate, channels: header.channels };
    this.#remainingBytes = header.dataBytes;
    this.#bufferedBytes = this.#bufferedBytes.subarray(header.samplesOffset);
  }
}

interface WavHeader {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly samplesOffset: number;
  /** Size of all samples in bytes. Infinite for a streamed file, because its header does not contain the size. */
  readonly dataBytes: number;
}

function readHeader(file: Buffer): WavHeader | undefined {
  if (file.length < 12) return undefined;
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw createNotWavError();
  let format: Pick<WavHeader, 'sampleRate' | 'channels'> | undefined;
  for (let offset = 12; offset + 8 <= file.length;) {
    const name = file.toString('latin1', offset, offset + 4);
    const size = file.readUInt32LE(offset + 4);
    const start = offset + 8;
    if (name === 'data') {
      if (format === undefined) throw createNotWavError();
      const isUnknown = size === 0 || size >= 0x7f_ff_ff_00;
      return {
        ...format,
        samplesOffset: start,
        dataBytes: isUnknown ? Number.POSITIVE_INFINITY : size,
      };
    }
    if (name === 'fmt ') {
      if (size < 16) throw createNotWavError();
      if (start + 16 > file.length) return undefined;
      format = readFormat(file.subarray(start));
    }
    offset = start + size + (size % 2);
  }
  return undefined;
}

/** Format tags of WAV files for PCM, and for the extensible format, which can contain PCM. */
const pcmFormatTags = new Set([1, 0xff_fe]);

function readFormat(chunk: Buffer): Pick<WavHeader, 'sampleRate' | 'channels'> {
  const [formatTag, channels] = [chunk.readUInt16LE(0), chunk.readUInt16LE(2)];
  const [rate, bits] = [chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
  const isSupported =
    pcmFormatTags.has(formatTag) && bits === 16 && (channels === 1 || channels === 2);
  if (!isSupported || rate < 8_000 || rate > 96_000) throw createNotWavError();
  return { sampleRate: rate, channels };
}

const createNotWavError = (): Error =>
  createUnexpectedResponseError(
    vscode.l10n.t('The service sent no usable audio. Try another voice.'),
  );

/**
 * Concatenates audio files of the same format. For WAV, writes one new header and the samples of all files. Other files
 * are concatenated unchanged.
 * @throws ServiceError `unexpected-response` for an invalid WAV file
 */
export function joinAudioFiles(files: readonly Uint8Array[], format: SpeechFormat): Uint8Array {
  if (format !== 'wav' || files.length === 1) return Buffer.concat(files);
  const audioChunks = files.flatMap((file) => new SampleReader('wav').feed(file) ?? []);
  const { sampleRate = 24_000, channels = 1 } = audioChunks[0] ?? {};
  const samples = Buffer.concat(audioChunks.map(({ bytes }) => bytes));
  return Buffer.concat([
    createWavHeader({ rate: sampleRate, channels, dataBytes: samples.length }),
    samples,
  ]);
}

/** Creates the header of a WAV file with 16-bit samples. */
export function createWavHeader(format: {
  rate: number;
  channels: number;
  dataBytes: number;
}): Uint8Array {
  const { rate, channels, dataBytes } = format;
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
