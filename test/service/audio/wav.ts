import { ApiError } from '../api-error.ts';
import { decodePcm } from './samples.ts';

/** Returns the header of a WAV file with 16-bit mono samples. */
export function createWavHeader(rate: number, dataLength: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataLength, 40);
  return header;
}

/**
 * Reads the first channel of a WAV file with 16-bit samples.
 * @throws ApiError 422 if the file has another encoding
 */
export function readWav(file: Buffer): { samples: Float32Array; rate: number } {
  let format: { channelCount: number; rate: number } | undefined;
  for (let offset = 12; offset + 8 <= file.length;) {
    const size = Math.min(file.readUInt32LE(offset + 4), file.length - offset - 8);
    const chunk = file.subarray(offset + 8, offset + 8 + size);
    const name = file.toString('latin1', offset, offset + 4);
    if (
      name === 'fmt ' &&
      size >= 16 &&
      chunk.readUInt16LE(0) === 1 &&
      chunk.readUInt16LE(14) === 16
    )
      format = { channelCount: chunk.readUInt16LE(2), rate: chunk.readUInt32LE(4) };
    if (name === 'data' && format !== undefined && format.channelCount > 0 && format.rate >= 8_000)
      return { samples: decodePcm(chunk, format.channelCount), rate: format.rate };
    offset += 8 + size + (size % 2);
  }
  throw createUnreadableAudioError();
}

export const createUnreadableAudioError = (): ApiError =>
  new ApiError(422, {
    error: 'The audio could not be read',
    code: 'ASR_UPSTREAM_VALIDATION_FAILED',
  });
