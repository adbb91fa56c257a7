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
import { HostConnection, takeToken } from '../base/host-connection.ts';
import { Downsampler, toBase64 } from './downsampler.ts';

interface AudioListener {
  /** Called with half a second of audio at the dictation sample rate. */
  readonly onSamples: (samples: Float32Array) => void;
  /** Called many times per second with the level of the microphone, from 0 (silence) to 1. */
  readonly onLevel: (level: number) => void;
}

/** Recording of the user's microphone. */
export class Microphone {
  readonly #context: AudioContext;
  readonly #stream: MediaStream;
  readonly #onSamples: AudioListener['onSamples'];
  #pendingSamples: Float32Array[] = [];
  #sampleCount = 0;

  /**
   * Starts a recording.
   * @throws DOMException `NotAllowedError` if the user denies the permission, `NotFoundError` if there is no microphone
   */
  static async open(listener: AudioListener): Promise<Microphone> {
    // Speech models are trained on unprocessed sound. Noise suppression can remove words.
    const audio = { channelCount: 1, echoCancellation: false, noiseSuppression: false };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    const context = new AudioContext();
    await context.audioWorklet.addModule('recorder.js');
    return new Microphone(stream, context, listener);
  }

  private constructor(stream: MediaStream, context: AudioContext, listener: AudioListener) {
    this.#stream = stream;
    this.#context = context;
    this.#onSamples = listener.onSamples;
    const source = context.createMediaStreamSource(stream);
    const recorder = new AudioWorkletNode(context, 'recorder');
    const downsampler = new Downsampler(context.sampleRate, dictationSampleRate);
    recorder.port.addEventListener('message', ({ data }: MessageEvent<Float32Array>) => {
      listener.onLevel(data.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0));
      this.#addSamples(downsampler.downsample(data));
    });
    recorder.port.start();
    source.connect(recorder);
    // Some browsers run only nodes that are connected to an output. This node outputs silence.
    recorder.connect(context.destination);
    void context.resume();
  }

  /** Delivers the remaining samples to the listener and releases the microphone. */
  async close(): Promise<void> {
    for (const track of this.#stream.getTracks()) track.stop();
    this.#flushSamples();
    await this.#context.close();
  }

  #addSamples(samples: Float32Array): void {
    this.#pendingSamples.push(samples);
    this.#sampleCount += samples.length;
    if (this.#sampleCount >= dictationSampleRate / 2) this.#flushSamples();
  }

  #flushSamples(): void {
    const samples = new Float32Array(this.#sampleCount);
    let offset = 0;
    for (const block of this.#pendingSamples) {
      samples.set(block, offset);
      offset += block.length;
    }
    this.#pendingSamples = [];
    this.#sampleCount = 0;
    if (samples.length > 1) this.#onSamples(samples);
  }
}

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const labels = parseJson(root.dataset['translations'] ?? '') as DictationLabels;
const { token, base } = takeToken();

const connection = new HostConnection<DictationPoll, DictationReply, DictationEvent>({
  fetch: (...args) => fetch(...args),
  ...{ base, clock: systemClock, version: dictationPageVersion, readReply: readPollReply },
  hasChanges: (reply, previousPoll) => reply.state !== previousPoll.state,
  // If VS Code exits, another program may take over the port, so the microphone must close immediately.
  endsWhenOffline: true,
});
const heading = createElement('h1', labels.title);
const explanationElement = createElement('p', labels.explanation);
const meter = document.createElement('meter');
const statusElement = createElement('p', '');
const startButton = createElement('button', labels.startButton);
const cancelButton = createElement('button', labels.cancelButton);
let microphone: Microphone | undefined;
let hasEnded = false;
let chunkCount = 0;
/** Resolves when all chunks are sent: to true if the host received all of them, or to false after a failure. */
let sendPromise: Promise<boolean> = Promise.resolve(true);

statusElement.role = 'status';
meter.ariaLabel = labels.soundLevel;
meter.hidden = true;
cancelButton.className = 'quiet';
const buttons = createElement('div', '');
buttons.className = 'buttons';
buttons.append(startButton, cancelButton);
const card = createElement('main', '');
card.append(heading, explanationElement, meter, statusElement, buttons);
root.append(card);
startButton.addEventListener(
  'click',
  () => void (microphone === undefined ? startRecording() : finishRecording()),
);
cancelButton.addEventListener('click', () => void cancelDictation());
window.addEventListener('pagehide', () => {
  if (!hasEnded) void connection.notify('page-closed');
});
startButton.focus();
void startListening();

async function startListening(): Promise<void> {
  let state: DictationPoll['state'] = null;
  const failure =
    (await connection.claim(token)) ??
    (await connection.listen({
      createPoll: () => ({ state }),
      onReply: (reply) => {
        ({ state } = reply);
        if (state === 'done') showEndMessage(reply.message || labels.completedMessage);
        else if (state === 'failed') showEndMessage(reply.message || labels.disconnectedMessage);
        return !hasEnded;
      },
    }));
  if (failure !== undefined) showEndMessage(labels.disconnectedMessage);
}

/** Sends a chunk after all earlier chunks have arrived. Sends nothing after a failure. */
function sendSamples(encodedSamples: string): void {
  const number = chunkCount++;
  sendPromise = sendPromise.then(
    async (isSent) =>
      isSent && (await connection.send('audio', { number, samples: encodedSamples })),
  );
}

async function startRecording(): Promise<void> {
  startButton.disabled = true;
  try {
    const onSamples = (samples: Float32Array): void => sendSamples(toBase64(samples));
    microphone = await Microphone.open({ onSamples, onLevel: (level) => (meter.value = level) });
  } catch (error) {
    const isMissing = error instanceof DOMException && error.name === 'NotFoundError';
    statusElement.textContent = isMissing
      ? labels.noMicrophoneMessage
      : labels.microphoneDeniedMessage;
    startButton.disabled = false;
    return;
  }
  startButton.disabled = false;
  startButton.textContent = labels.stopButton;
  statusElement.textContent = labels.recordingStatus;
  meter.hidden = false;
  setTimeout(() => void finishRecording(), (maxDictationSeconds - 5) * 1_000);
}

async function finishRecording(): Promise<void> {
  const activeMicrophone = microphone;
  if (activeMicrophone === undefined || hasEnded || startButton.hidden) return;
  startButton.hidden = true;
  cancelButton.hidden = true;
  meter.hidden = true;
  statusElement.textContent = labels.transcribingStatus;
  await activeMicrophone.close();
  const isComplete = await sendPromise;
  await connection.notify(isComplete ? 'finished' : 'incomplete');
}

async function cancelDictation(): Promise<void> {
  await connection.notify('canceled');
  await microphone?.close();
}

function showEndMessage(message: string): void {
  hasEnded = true;
  void microphone?.close().catch(() => {});
  meter.hidden = true;
  buttons.hidden = true;
  statusElement.textContent = message;
}

function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  content: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = content;
  return element;
}
