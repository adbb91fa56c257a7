/** How far a reading is, in seconds of sound. */
export interface Heard {
  readonly seconds: number;
  /** What is there beyond that. */
  readonly ahead: number;
}

/** Plays pieces of sound one behind the other, without gaps as long as they come in time. */
export class SpeechAudio {
  readonly #context = new AudioContext();
  readonly #sources = new Set<AudioBufferSourceNode>();
  /** When the next piece begins, in the context's time; 0 before the first. */
  #next = 0;
  /** Of all pieces so far. */
  #total = 0;
  #decoding: Promise<void> = Promise.resolve();
  #closed = false;

  /** Where the browser plays nothing before the person presses something, it waits for {@link resume}. */
  get isWaiting(): boolean {
    return this.#context.state !== 'running';
  }

  get heard(): Heard {
    const ahead = this.#next === 0 ? 0 : Math.max(0, this.#next - this.#context.currentTime);
    return { seconds: this.#total - ahead, ahead };
  }

  /** Resolves when what was given before can be heard too, however it is packed. */
  get settled(): Promise<void> {
    return this.#decoding;
  }

  async resume(): Promise<void> {
    await this.#context.resume();
  }

  addSamples(bytes: Uint8Array, { rate, channels }: { rate: number; channels: 1 | 2 }): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = Math.floor(bytes.byteLength / 2 / channels);
    if (length === 0) return;
    const buffer = this.#context.createBuffer(channels, length, rate);
    for (let channel = 0; channel < channels; channel++) {
      const samples = buffer.getChannelData(channel);
      for (let at = 0; at < length; at++) {
        samples[at] = view.getInt16((at * channels + channel) * 2, true) / 32_768;
      }
    }
    this.#decoding = this.#decoding.then(() => this.#play(buffer));
  }

  /** Rejects when the browser cannot decode the file. */
  addFile(file: Uint8Array<ArrayBuffer>): Promise<void> {
    const played = this.#playAfter(this.#decoding, file);
    this.#decoding = played.catch(() => {});
    return played;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const source of this.#sources) source.stop();
    void this.#context.close();
  }

  async #playAfter(others: Promise<void>, file: Uint8Array<ArrayBuffer>): Promise<void> {
    await others;
    if (!this.#closed) this.#play(await this.#context.decodeAudioData(file.buffer));
  }

  #play(buffer: AudioBuffer): void {
    if (this.#closed) return;
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    const { currentTime } = this.#context;
    const start = this.#next > currentTime ? this.#next : currentTime + lead;
    source.start(start);
    this.#next = start + buffer.duration;
    this.#total += buffer.duration;
    this.#sources.add(source);
    source.addEventListener('ended', () => this.#sources.delete(source));
  }
}

/** Before the first piece, and after a gap: time for the next one to come. In seconds. */
const lead = 0.08;
