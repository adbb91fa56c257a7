/** Samples per second of all synthesized speech. */
export const sampleRate = 24_000;

/** Speaking rate at speed 1, in UTF-8 bytes of text per second. */
const textBytesPerSecond = 15;
/** Silence before and after the speech, in seconds. */
const silenceSeconds = 0.05;
/** Fraction of the time for one byte of text during which its tones sound. The rest of this time is silent. */
const soundingRatio = 0.75;
const fadeSeconds = 0.001;

const toneStepHz = 120;
const getHighToneHz = (nibble: number): number => 400 + toneStepHz * nibble;
const getLowToneHz = (nibble: number): number => 2_500 + toneStepHz * nibble;
const nibbles = Array.from({ length: 16 }, (_, index) => index);

export interface Utterance {
  readonly text: string;
  /** Factor by which the speaking rate changes; 1 is normal speed. */
  readonly speed: number;
  /** Tone color of the voice, from 0 to 1. */
  readonly timbre: number;
}

/** Returns the duration of the synthesized text, in seconds. */
export const estimateSpeechDurationS = (utterance: Pick<Utterance, 'text' | 'speed'>): number =>
  countSamples(utterance) / sampleRate;

/** Returns the number of samples that {@link encodeSpeech} yields. */
export const countSamples = ({ text, speed }: Pick<Utterance, 'text' | 'speed'>): number =>
  2 * Math.round(silenceSeconds * sampleRate) +
  Math.round((Buffer.byteLength(text) * sampleRate) / textBytesPerSecond / speed);

/**
 * Encodes a text as sound. Each byte becomes two simultaneous tones, one for each half of the byte, so that {@link
 * decodeSpeech} can recover the text. Yields blocks of samples in [-1, 1], each with at most a quarter of a second of
 * sound.
 */
export function* encodeSpeech({ text, speed, timbre }: Utterance): Generator<Float32Array> {
  const bytes = Buffer.from(text);
  const samplesPerByte = sampleRate / textBytesPerSecond / speed;
  yield new Float32Array(Math.round(silenceSeconds * sampleRate));
  const bytesPerChunk = Math.max(1, Math.floor(sampleRate / 4 / samplesPerByte));
  for (let startIndex = 0; startIndex < bytes.length; startIndex += bytesPerChunk) {
    const endIndex = Math.min(bytes.length, startIndex + bytesPerChunk);
    const startSample = Math.round(startIndex * samplesPerByte);
    const chunkSamples = new Float32Array(Math.round(endIndex * samplesPerByte) - startSample);
    for (let index = startIndex; index < endIndex; index++) {
      const toneStart = Math.round(index * samplesPerByte) - startSample;
      writeTones(
        chunkSamples.subarray(toneStart, toneStart + Math.round(samplesPerByte * soundingRatio)),
        bytes[index] ?? 0,
        timbre,
      );
    }
    yield chunkSamples;
  }
  yield new Float32Array(Math.round(silenceSeconds * sampleRate));
}

function writeTones(samples: Float32Array, byte: number, timbre: number): void {
  const [highAngle, lowAngle] = [getHighToneHz(byte >> 4), getLowToneHz(byte & 15)].map(
    (hz) => (2 * Math.PI * hz) / sampleRate,
  );
  const fadeLength = fadeSeconds * sampleRate;
  for (let index = 0; index < samples.length; index++) {
    const fadeFactor = Math.min(1, index / fadeLength, (samples.length - index) / fadeLength);
    const value =
      0.4 * Math.sin((highAngle ?? 0) * index) +
      (0.18 + 0.08 * timbre) * Math.sin((lowAngle ?? 0) * index);
    samples[index] = fadeFactor * value;
  }
}

/**
 * Recovers the text from samples. The sample rate must be at least twice the highest tone frequency. Returns an empty
 * string for silence, and for sound that {@link encodeSpeech} did not create.
 */
export function decodeSpeech(samples: Float32Array, rate: number): string {
  const bytes = findSounds(samples, rate).flatMap((samples) => decodeByte(samples, rate) ?? []);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Returns the parts of the recording between silences, as samples. */
function findSounds(samples: Float32Array, rate: number): Float32Array[] {
  const windowSize = Math.max(1, Math.round(rate * 0.002));
  const levels = measureSoundLevels(samples, windowSize);
  const threshold = 0.12 * Math.max(...levels.slice(0, 100_000), 0.02);
  const sounds: Float32Array[] = [];
  let startIndex: number | undefined;
  for (let index = 0; index <= levels.length; index++) {
    const isLoud = (levels[index] ?? 0) > threshold;
    if (isLoud) startIndex ??= index;
    else if (startIndex !== undefined) {
      if (index - startIndex >= 3)
        sounds.push(samples.subarray(startIndex * windowSize, index * windowSize));
      startIndex = undefined;
    }
  }
  return sounds;
}

function measureSoundLevels(samples: Float32Array, windowSize: number): number[] {
  const levels: number[] = [];
  for (let index = 0; index + windowSize <= samples.length; index += windowSize) {
    let sum = 0;
    for (let sampleIndex = index; sampleIndex < index + windowSize; sampleIndex++)
      sum += (samples[sampleIndex] ?? 0) ** 2;
    levels.push(Math.sqrt(sum / windowSize));
  }
  return levels;
}

function decodeByte(samples: Float32Array, rate: number): number | undefined {
  const marginLength = Math.floor(samples.length * 0.1);
  const middleSamples = samples.subarray(marginLength, samples.length - marginLength);
  const [highNibble, lowNibble] = [
    findTone(middleSamples, rate, getHighToneHz),
    findTone(middleSamples, rate, getLowToneHz),
  ];
  return highNibble === undefined || lowNibble === undefined
    ? undefined
    : highNibble * 16 + lowNibble;
}

/**
 * Returns the half of a byte, from 0 to 15, whose tone is the loudest. Returns undefined if no tone is clearly louder
 * than all others.
 */
function findTone(
  samples: Float32Array,
  rate: number,
  getFrequency: (nibble: number) => number,
): number | undefined {
  const powers = nibbles.map((nibble) =>
    computeGoertzelPower(samples, (2 * Math.PI * getFrequency(nibble)) / rate),
  );
  const maxIndex = powers.indexOf(Math.max(...powers));
  const otherPowers = powers.filter((_, index) => index !== maxIndex);
  return (powers[maxIndex] ?? 0) > 1.3 * Math.max(...otherPowers) ? maxIndex : undefined;
}

/** Computes the power at a frequency by the Goertzel algorithm. */
function computeGoertzelPower(samples: Float32Array, angle: number): number {
  const factor = 2 * Math.cos(angle);
  let [secondLastValue, lastValue] = [0, 0];
  for (const sample of samples)
    [secondLastValue, lastValue] = [lastValue, sample + factor * lastValue - secondLastValue];
  return secondLastValue ** 2 + lastValue ** 2 - factor * secondLastValue * lastValue;
}
