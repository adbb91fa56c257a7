import { systemClock } from '../../src/base/clock.ts';
import { parseJson } from '../../src/base/json.ts';
import {
  type DictationEvent,
  dictationPageVersion,
  type DictationPoll,
  dictationSampleRate,
  type DictationReply,
  type DictationLabels,
  maxDictationSeconds,
  readPollReply,
} from '../../src/speech/dictation-protocol.ts';
import { HostLink, takeToken } from '../base/host-link.ts';
import { Downsampler, toBase64 } from './downsampler.ts';

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
    const downsampler = new Downsampler(context.sampleRate, dictationSampleRate);
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
    if (this.#size >= dictationSampleRate / 2) this.#flush();
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

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const words = parseJson(root.dataset['words'] ?? '') as DictationLabels;
const { token, base } = takeToken();

const link = new HostLink<DictationPoll, DictationReply, DictationEvent>({
  fetch: (...args) => fetch(...args),
  ...{ base, clock: systemClock, version: dictationPageVersion, readReply: readPollReply },
  isNews: (reply, had) => reply.state !== had.state,
  // The microphone must not stay open, and another program may take the port.
  endsWhenOffline: true,
});
const heading = made('h1', words.title);
const text = made('p', words.explanation);
const meter = document.createElement('meter');
const status = made('p', '');
const main = made('button', words.start);
const cancel = made('button', words.cancel);
let microphone: Microphone | undefined;
let isOver = false;
let pieces = 0;
/** False when a piece did not arrive. */
let sent: Promise<boolean> = Promise.resolve(true);

status.role = 'status';
meter.ariaLabel = words.level;
meter.hidden = true;
cancel.className = 'quiet';
const buttons = made('div', '');
buttons.className = 'buttons';
buttons.append(main, cancel);
const card = made('main', '');
card.append(heading, text, meter, status, buttons);
root.append(card);
main.addEventListener('click', () => void (microphone === undefined ? start() : finish()));
cancel.addEventListener('click', () => void abandon());
window.addEventListener('pagehide', () => {
  if (!isOver) void link.notify('page-closed');
});
main.focus();
void listen();

async function listen(): Promise<void> {
  let state: DictationPoll['state'] = null;
  const broken =
    (await link.claim(token)) ??
    (await link.listen({
      has: () => ({ state }),
      onReply: (reply) => {
        ({ state } = reply);
        if (state === 'done') end(reply.message || words.done);
        else if (state === 'failed') end(reply.message || words.disconnected);
        return !isOver;
      },
    }));
  if (broken !== undefined) end(words.disconnected);
}

/** Sends a piece behind those before. */
function send(samples: string): void {
  const number = pieces++;
  sent = sent.then(async (isFine) => isFine && (await link.send('audio', { number, samples })));
}

async function start(): Promise<void> {
  main.disabled = true;
  try {
    const take = (samples: Float32Array): void => send(toBase64(samples));
    microphone = await Microphone.open({ take, level: (level) => (meter.value = level) });
  } catch (error) {
    const isMissing = error instanceof DOMException && error.name === 'NotFoundError';
    status.textContent = isMissing ? words.noMicrophone : words.denied;
    main.disabled = false;
    return;
  }
  main.disabled = false;
  main.textContent = words.stop;
  status.textContent = words.recording;
  meter.hidden = false;
  setTimeout(() => void finish(), (maxDictationSeconds - 5) * 1_000);
}

async function finish(): Promise<void> {
  const recording = microphone;
  if (recording === undefined || isOver || main.hidden) return;
  main.hidden = true;
  cancel.hidden = true;
  meter.hidden = true;
  status.textContent = words.working;
  await recording.close();
  const isWhole = await sent;
  await link.notify(isWhole ? 'finished' : 'cancelled');
}

async function abandon(): Promise<void> {
  await link.notify('cancelled');
  await microphone?.close();
}

function end(message: string): void {
  isOver = true;
  void microphone?.close().catch(() => {});
  meter.hidden = true;
  buttons.hidden = true;
  status.textContent = message;
}

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  words_: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = words_;
  return element;
}
