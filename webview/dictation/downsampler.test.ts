import { expect, test } from 'vitest';
import { Downsampler, toBase64 } from './downsampler.ts';

test.each([
  [48_000, 16_000],
  [44_100, 16_000],
  [16_000, 16_000],
])(
  'Downsampler preserves the duration of audio when converting %d Hz to %d Hz',
  (inputRate, outputRate) => {
    const downsampler = new Downsampler(inputRate, outputRate);
    let count = 0;
    for (let blockIndex = 0; blockIndex < inputRate / 100; blockIndex++) {
      count += downsampler.downsample(new Float32Array(100)).length;
    }
    expect(Math.abs(count - outputRate)).toBeLessThanOrEqual(1);
  },
);

test('Downsampler preserves the waveform of audio', () => {
  const inputSamples = Float32Array.from({ length: 4_800 }, (_, index) =>
    Math.sin((index * 440 * 2 * Math.PI) / 48_000),
  );
  const outputSamples = new Downsampler(48_000, 16_000).downsample(inputSamples);
  const errors = outputSamples.map((sample, index) =>
    Math.abs(sample - Math.sin(((index * 3 + 1) * 440 * 2 * Math.PI) / 48_000)),
  );
  expect(Math.max(...errors)).toBeLessThan(0.01);
});

test('toBase64 encodes 16-bit samples and clips loud input', () => {
  const bytes = Buffer.from(toBase64(Float32Array.from([0, 1, -1, 9, -9])), 'base64');
  const values = [0, 2, 4, 6, 8].map((index) => bytes.readInt16LE(index));
  expect(values).toEqual([0, 32_767, -32_767, 32_767, -32_767]);
});
