import { describe, expect, test, vi } from 'vitest';
import { wavHeader } from '../../../test/service/audio/wav.ts';
import { SampleReader } from './wav.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const samples = Buffer.from([1, 2, 3, 4, 5, 6]);

function readIn(pieces: readonly Uint8Array[], format: 'wav' | 'pcm' = 'wav') {
  const reader = new SampleReader(format);
  const found = pieces.flatMap((piece) => reader.feed(piece) ?? []);
  return { ...found[0], bytes: Buffer.concat(found.map(({ bytes }) => bytes)) };
}

const whole = Buffer.concat([wavHeader(24_000, 6), samples]);

describe('a WAV file', () => {
  test.each([1, 2, 3, 7, 43, 44, 45, 100])('is read in chunks of %d bytes', (size) => {
    const pieces: Buffer[] = [];
    for (let index = 0; index < whole.length; index += size)
      pieces.push(whole.subarray(index, index + size));
    expect(readIn(pieces)).toEqual({ rate: 24_000, channels: 1, bytes: samples });
  });

  test('is read without the content after its samples', () => {
    expect(readIn([whole, Buffer.from('LIST and more')]).bytes).toEqual(samples);
  });

  test.each([0, 0xff_ff_ff_ff, 0x7f_ff_ff_ff])(
    'is read to its end if the length (%d) is unknown',
    (size) => {
      const file = Buffer.from(whole);
      file.writeUInt32LE(size, 40);
      expect(readIn([file, samples]).bytes).toEqual(Buffer.concat([samples, samples]));
    },
  );

  test('is read without the chunks before its samples', () => {
    const list = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1');
    const file = Buffer.concat([whole.subarray(0, 36), list, whole.subarray(36)]);
    expect(readIn([file]).bytes).toEqual(samples);
  });
});

test('returns only complete frames of headerless samples', () => {
  const pieces = [samples.subarray(0, 1), samples.subarray(1, 4), samples.subarray(4)];
  expect(readIn(pieces, 'pcm')).toEqual({ rate: 24_000, channels: 1, bytes: samples });
});

const changed = (change: (file: Buffer) => void): Buffer => {
  const file = Buffer.from(whole);
  change(file);
  return file;
};

test.each([
  ['no audio', Buffer.from('<html>............')],
  ['another RIFF format', changed((file) => file.write('AVI ', 8))],
  ['8-bit samples', changed((file) => file.writeUInt16LE(8, 34))],
  ['six channels', changed((file) => file.writeUInt16LE(6, 22))],
  ['a sample rate of zero', changed((file) => file.writeUInt32LE(0, 24))],
  ['a huge sample rate', changed((file) => file.writeUInt32LE(4_000_000_000, 24))],
  ['a short format chunk', changed((file) => file.writeUInt32LE(4, 16))],
  ['compressed samples', changed((file) => file.writeUInt16LE(85, 20))],
  ['no format chunk', Buffer.concat([whole.subarray(0, 12), whole.subarray(36)])],
  [
    'an endless header',
    Buffer.concat([
      Buffer.from('RIFF....WAVELIST\xff\xff\xff\x7f', 'latin1'),
      Buffer.alloc(70_000),
    ]),
  ],
])('rejects a WAV file with %s', (_, file) => {
  expect(() => readIn([file])).toThrow(/unknown kind/u);
});
