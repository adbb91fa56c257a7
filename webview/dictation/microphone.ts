import { dictationRate } from '../../src/speech/dictation-protocol.ts';
import { Downsampler } from './downsampler.ts';

interface Listener {
  /** Of half a second each, at the rate of dictations. */
  readonly take: (samples: Float32Array) => void;
  /** 0 to 1, many times a second. */
  readonly level: (level: number) => void;
}

/** The person's microphone while it records. */
export class Microphone {
  readonly #context: AudioContext;
  readonly #stream: MediaStream;
  readonly #take: Listener['take'];
  #waiting: Float32Array[] = [];
  #size = 0;

  /** @throws DOMException `NotAllowedError`, `NotFoundError` */
  static async open(listener: Listener): Promise<Microphone> {
    // Models that listen were made for unclean sound; what cleans it can take words away.
    const audio = { channelCount: 1, echoCancellation: false, noiseSuppression: false };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    const context = new AudioContext();
    await context.audioWorklet.addModule('recorder.js');
    return new Microphone(stream, context, listener);
  }

  private constructor(stream: MediaStream, context: AudioContext, listener: Listener) {
    this.#stream = stream;
    this.#context = context;
    this.#take = listener.take;
    const source = context.createMediaStreamSource(stream);
    const recorder = new AudioWorkletNode(context, 'recorder');
    const downsampler = new Downsampler(context.sampleRate, dictationRate);
    recorder.port.addEventListener('message', ({ data }: MessageEvent<Float32Array>) => {
      listener.level(data.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0));
      this.#add(downsampler.feed(data));
    });
    recorder.port.start();
    source.connect(recorder);
    // What is connected to nothing is not run everywhere; it is silent.
    recorder.connect(context.destination);
    void context.resume();
  }

  /** Gives what is left, and lets the microphone go. */
  async close(): Promise<void> {
    for (const track of this.#stream.getTracks()) track.stop();
    this.#flush();
    await this.#context.close();
  }

  #add(samples: Float32Array): void {
    this.#waiting.push(samples);
    this.#size += samples.length;
    if (this.#size >= dictationRate / 2) this.#flush();
  }

  #flush(): void {
    const all = new Float32Array(this.#size);
    let at = 0;
    for (const part of this.#waiting) {
      all.set(part, at);
      at += part.length;
    }
    this.#waiting = [];
    this.#size = 0;
    if (all.length > 1) this.#take(all);
  }
}
