import { expect, test, vi } from 'vitest';
import { readWav } from '../../../test/service/audio/wav.ts';
import { joinAudioFiles, createWavHeader } from './wav.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const createWav = (...samples: readonly number[]): Buffer =>
  Buffer.concat([
    createWavHeader({ rate: 16_000, channels: 1, dataBytes: samples.length * 2 }),
    Buffer.from(new Int16Array(samples).buffer),
  ]);

test('joinAudioFiles joins the samples of WAV files into one WAV file', () => {
  const joinedFile = Buffer.from(joinAudioFiles([createWav(1, 2), createWav(3)], 'wav'));
  const { samples, rate } = readWav(joinedFile);
  expect(
    [rate, ...samples].map((sample, index) => (index === 0 ? sample : sample * 32_768)),
  ).toEqual([16_000, 1, 2, 3]);
  expect(joinedFile.readUInt32LE(4)).toBe(joinedFile.length - 8);
});

test('joinAudioFiles concatenates files that are not in WAV format, and returns a single file unchanged', () => {
  const [a, b] = [Buffer.from('ab'), Buffer.from('c')];
  expect(Buffer.from(joinAudioFiles([a, b], 'mp3')).toString()).toBe('abc');
  expect(Buffer.from(joinAudioFiles([a], 'wav')).toString()).toBe('ab');
});
