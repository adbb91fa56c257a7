import * as vscode from 'vscode';
import { unexpectedResponse } from '../../service/http/reply.ts';
import type { SpeechFormat } from '../../service/speech.ts';

/** Samples as a page plays them: 16-bit little-endian, whole frames. */
export interface Samples {
  readonly rate: number;
  readonly channels: 1 | 2;
  readonly bytes: Uint8Array;
}

/** Samples without a header are of this rate, and there is one channel. */
const pcmRate = 24_000;
/** What stands before the samples is never longer. */
const mostHeader = 64 * 1024;

/** The samples of audio that comes in pieces of any size: of a WAV file, or bare ones. */
export class SampleReader {
  #format: Omit<Samples, 'bytes'> | undefined;
  #left = Number.POSITIVE_INFINITY;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(format: 'wav' | 'pcm') {
    if (format === 'pcm') this.#format = { rate: pcmRate, channels: 1 };
  }

  /**
   * The samples that are whole by now; undefined when none is.
   * @throws ServiceError `unexpected-response` for anything but a WAV file of 16-bit samples
   */
  feed(bytes: Uint8Array): Samples | undefined {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    if (this.#format === undefined) this.#readHeader();
    if (this.#format === undefined) return undefined;
    const frame = this.#format.channels * 2;
    const available = Math.min(this.#waiting.length, this.#left);
    const length = available - (available % frame);
    if (length === 0) return undefined;
    const samples = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    this.#left -= length;
    return { ...this.#format, bytes: samples };
  }

  #readHeader(): void {
    const found = readHeader(this.#waiting);
    if (found === undefined) {
      if (this.#waiting.length > mostHeader) throw notWav();
      return;
    }
    this.#format = { rate: found.rate, channels: found.channels };
    this.#left = found.dataBytes;
    this.#waiting = this.#waiting.subarray(found.start);
  }
}

interface Header {
  readonly rate: number;
  readonly channels: 1 | 2;
  readonly start: number;
  /** Whoever streams does not know it: then there is no end. */
  readonly dataBytes: number;
}

function readHeader(file: Buffer): Header | undefined {
  if (file.length < 12) return undefined;
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw notWav();
  let format: Pick<Header, 'rate' | 'channels'> | undefined;
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === 'data') {
      if (format === undefined) throw notWav();
      const isUnknown = size === 0 || size >= 0x7f_ff_ff_00;
      return { ...format, start, dataBytes: isUnknown ? Number.POSITIVE_INFINITY : size };
    }
    if (name === 'fmt ') {
      if (size < 16) throw notWav();
      if (start + 16 > file.length) return undefined;
      format = readFormat(file.subarray(start));
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

/** As is, or with a longer description of the same. */
const plainKinds = new Set([1, 0xff_fe]);

function readFormat(chunk: Buffer): Pick<Header, 'rate' | 'channels'> {
  const [kind, channels] = [chunk.readUInt16LE(0), chunk.readUInt16LE(2)];
  const [rate, bits] = [chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
  const isOurs = plainKinds.has(kind) && bits === 16 && (channels === 1 || channels === 2);
  if (!isOurs || rate < 8_000 || rate > 96_000) throw notWav();
  return { rate, channels };
}

const notWav = (): Error =>
  unexpectedResponse(
    vscode.l10n.t('The service sent audio of an unknown kind. Choose another voice.'),
  );

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
