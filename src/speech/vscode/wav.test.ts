import { describe, expect, test, vi } from 'vitest';
import { createWavHeader } from '../../../test/service/audio/wav.ts';
import { SampleReader } from './wav.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const sampleBytes = Buffer.from([1, 2, 3, 4, 5, 6]);

function readSamples(chunks: readonly Uint8Array[], format: 'wav' | 'pcm' = 'wav') {
  const reader = new SampleReader(format);
  const samplesList = chunks.flatMap((chunk) => reader.feed(chunk) ?? []);
  return { ...samplesList[0], bytes: Buffer.concat(samplesList.map(({ bytes }) => bytes)) };
}

const wavFile = Buffer.concat([createWavHeader(24_000, 6), sampleBytes]);

describe('a WAV file', () => {
  test.each([1, 2, 3, 7, 43, 44, 45, 100])('is read correctly in chunks of %d bytes', (size) => {
    const chunks: Buffer[] = [];
    for (let index = 0; index < wavFile.length; index += size)
      chunks.push(wavFile.subarray(index, index + size));
    expect(readSamples(chunks)).toEqual({ sampleRate: 24_000, channels: 1, bytes: sampleBytes });
  });

  test('is read only up to the end of the samples, without the content that follows', () => {
    expect(readSamples([wavFile, Buffer.from('LIST and more')]).bytes).toEqual(sampleBytes);
  });

  test.each([0, 0xff_ff_ff_ff, 0x7f_ff_ff_ff])(
    'is read to the end of the file if the header contains the placeholder length %d',
    (size) => {
      const file = Buffer.from(wavFile);
      file.writeUInt32LE(size, 40);
      expect(readSamples([file, sampleBytes]).bytes).toEqual(
        Buffer.concat([sampleBytes, sampleBytes]),
      );
    },
  );

  test('is read without the metadata before the samples', () => {
    const listChunk = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1');
    const file = Buffer.concat([wavFile.subarray(0, 36), listChunk, wavFile.subarray(36)]);
    expect(readSamples([file]).bytes).toEqual(sampleBytes);
  });
});

test('SampleReader returns only complete frames of headerless PCM', () => {
  const chunks = [sampleBytes.subarray(0, 1), sampleBytes.subarray(1, 4), sampleBytes.subarray(4)];
  expect(readSamples(chunks, 'pcm')).toEqual({
    sampleRate: 24_000,
    channels: 1,
    bytes: sampleBytes,
  });
});

const createModifiedFile = (change: (file: Buffer) => void): Buffer => {
  const file = Buffer.from(wavFile);
  change(file);
  return file;
};

test.each([
  ['no audio', Buffer.from('<html>............')],
  ['another RIFF format', createModifiedFile((file) => file.write('AVI ', 8))],
  ['8-bit samples', createModifiedFile((file) => file.writeUInt16LE(8, 34))],
  ['six channels', createModifiedFile((file) => file.writeUInt16LE(6, 22))],
  ['a sample rate of zero', createModifiedFile((file) => file.writeUInt32LE(0, 24))],
  ['a huge sample rate', createModifiedFile((file) => file.writeUInt32LE(4_000_000_000, 24))],
  ['a short format chunk', createModifiedFile((file) => file.writeUInt32LE(4, 16))],
  ['compressed samples', createModifiedFile((file) => file.writeUInt16LE(85, 20))],
  ['no format chunk', Buffer.concat([wavFile.subarray(0, 12), wavFile.subarray(36)])],
  [
    'an endless header',
    Buffer.concat([
      Buffer.from('RIFF....WAVELIST\xff\xff\xff\x7f', 'latin1'),
      Buffer.alloc(70_000),
    ]),
  ],
])('SampleReader rejects a WAV file with %s', (_, file) => {
  expect(() => readSamples([file])).toThrow(/no usable audio/u);
});
