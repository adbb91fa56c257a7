import { decodePcm } from './samples.ts';
import { createUnreadableAudioError } from './wav.ts';

const samplesPerBlock = 4_096;

/** Encodes 16-bit mono samples at 24 kHz as a lossless FLAC file. */
export function encodeFlac(pcm: Buffer): Buffer {
  const sampleCount = pcm.length / 2;
  const frames: Buffer[] = [];
  for (let index = 0; index < sampleCount; index += samplesPerBlock) {
    frames.push(
      encodeFrame(pcm.subarray(index * 2, (index + samplesPerBlock) * 2), index / samplesPerBlock),
    );
  }
  return Buffer.concat([Buffer.from('fLaC'), createStreamInfo(sampleCount), ...frames]);
}

function createStreamInfo(sampleCount: number): Buffer {
  const streamInfo = Buffer.alloc(38);
  streamInfo.writeUInt32BE(0x80_00_00_22, 0);
  streamInfo.writeUInt16BE(samplesPerBlock, 4);
  streamInfo.writeUInt16BE(samplesPerBlock, 6);
  // Bits of each field: sample rate 20, channels 3, sample depth 5, number of samples 36.
  const packedFields = (BigInt(24_000) << 44n) | (0n << 41n) | (15n << 36n) | BigInt(sampleCount);
  streamInfo.writeBigUInt64BE(packedFields, 14);
  return streamInfo;
}

/**
 * Encodes one FLAC frame. In the frame header, 7 is the code for 24 kHz and also for a 16-bit block size field, and 4
 * is the code for 16 bits per sample.
 */
function encodeFrame(pcm: Buffer, frameNumber: number): Buffer {
  const blockSize = pcm.length / 2;
  const header = Buffer.concat([
    Buffer.from([0xff, 0xf8, 0x77, 0x08]),
    Buffer.from(encodeUtf8Number(frameNumber)),
    Buffer.from([(blockSize - 1) >> 8, (blockSize - 1) & 255]),
  ]);
  const samples = Buffer.from(pcm);
  const frame = Buffer.concat([header, Buffer.from([computeCrc8(header), 0x02]), samples.swap16()]);
  const crc = computeCrc16(frame);
  return Buffer.concat([frame, Buffer.from([crc >> 8, crc & 255])]);
}

/**
 * Reads a FLAC file that {@link encodeFlac} created. Its frames contain uncompressed samples.
 * @throws ApiError 422 for other FLAC files
 */
export function readFlac(file: Buffer): { samples: Float32Array; rate: number } {
  const pcmBlocks: Buffer[] = [];
  let offset = 42;
  while (offset < file.length) {
    if (file.readUInt16BE(offset) !== 0xff_f8 || file[offset + 2] !== 0x77)
      throw createUnreadableAudioError();
    const firstByte = file[offset + 4] ?? 0;
    const numberLength = firstByte < 0x80 ? 1 : Math.clz32(~(firstByte << 24));
    const sizeOffset = offset + 4 + numberLength;
    const blockSize = file.readUInt16BE(sizeOffset) + 1;
    const start = sizeOffset + 4;
    if (file[start - 1] !== 0x02 || start + blockSize * 2 + 2 > file.length)
      throw createUnreadableAudioError();
    pcmBlocks.push(Buffer.from(file.subarray(start, start + blockSize * 2)).swap16());
    offset = start + blockSize * 2 + 2;
  }
  return { samples: decodePcm(Buffer.concat(pcmBlocks)), rate: 24_000 };
}

/** Encodes a frame number in the same way as UTF-8 encodes a code point. */
const encodeUtf8Number = (number: number): number[] =>
  number < 0x80
    ? [number]
    : number < 0x800
      ? [0xc0 | (number >> 6), 0x80 | (number & 63)]
      : [0xe0 | (number >> 12), 0x80 | ((number >> 6) & 63), 0x80 | (number & 63)];

const computeCrc8 = (bytes: Buffer): number => computeCrc(bytes, { width: 8, polynomial: 0x07 });
const computeCrc16 = (bytes: Buffer): number =>
  computeCrc(bytes, { width: 16, polynomial: 0x80_05 });

function computeCrc(
  bytes: Buffer,
  { width, polynomial }: { width: number; polynomial: number },
): number {
  const [topBit, mask] = [1 << (width - 1), (1 << width) - 1];
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) {
      crc = ((crc & topBit) === 0 ? crc << 1 : (crc << 1) ^ polynomial) & mask;
    }
  }
  return crc;
}
