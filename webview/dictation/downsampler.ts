/** Reduces the sample rate of audio. Each output sample is the mean of the input samples in its time interval. */
export class Downsampler {
  readonly #ratio: number;
  #sum = 0;
  #count = 0;
  /** Offset from the start of the current output sample, in input samples. */
  #position = 0;

  /** @param inputRate input sample rate in Hz, at least `outputRate` */
  constructor(inputRate: number, outputRate: number) {
    this.#ratio = inputRate / outputRate;
  }

  downsample(samples: Float32Array): Float32Array {
    const outputSamples: number[] = [];
    for (const sample of samples) {
      this.#sum += sample;
      this.#count += 1;
      this.#position += 1;
      if (this.#position < this.#ratio) continue;
      outputSamples.push(this.#sum / this.#count);
      this.#position -= this.#ratio;
      this.#sum = 0;
      this.#count = 0;
    }
    return Float32Array.from(outputSamples);
  }
}

/** Encodes samples as 16-bit little-endian PCM in base64. */
export function toBase64(samples: Float32Array): string {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, sample] of samples.entries()) {
    view.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true);
  }
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
