/** Turns samples of one rate into fewer of another: each is the mean of those that it stands for. */
export class Downsampler {
  readonly #ratio: number;
  #sum = 0;
  #count = 0;
  /** How far it is within the sample that is being made. */
  #place = 0;

  /** @param from not below `to` */
  constructor(from: number, to: number) {
    this.#ratio = from / to;
  }

  feed(samples: Float32Array): Float32Array {
    const made: number[] = [];
    for (const sample of samples) {
      this.#sum += sample;
      this.#count += 1;
      this.#place += 1;
      if (this.#place < this.#ratio) continue;
      made.push(this.#sum / this.#count);
      this.#place -= this.#ratio;
      this.#sum = 0;
      this.#count = 0;
    }
    return Float32Array.from(made);
  }
}

/** 16-bit little-endian, in base64. */
export function toBase64(samples: Float32Array): string {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [at, sample] of samples.entries()) {
    view.setInt16(at * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true);
  }
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
