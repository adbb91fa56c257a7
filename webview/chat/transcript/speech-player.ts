import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../src/base/clock.ts';
import type { SpeechMessage } from '../../../src/speech/protocol.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createCodicon, createElement } from '../../base/element.ts';
import { formatDuration } from '../../base/format.ts';

/** Playback position of an answer that is read aloud. `seconds` is the duration of the audio that was played. */
export interface PlaybackPosition {
  readonly seconds: number;
  /** Seconds of buffered audio after the playback position. */
  readonly bufferedSeconds: number;
}

/** Plays audio chunks in sequence. There are no gaps as long as the chunks arrive in time. */
export class SpeechAudio {
  readonly #context = new AudioContext();
  readonly #sources = new Set<AudioBufferSourceNode>();
  /**
   * Time at which the next chunk starts to play, in seconds on the clock of the audio context. 0 before the first
   * chunk.
   */
  #nextStartSeconds = 0;
  /** Total duration of the added chunks, in seconds. */
  #totalSeconds = 0;
  #decodingPromise: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * True while the browser requires a user action before playback. A call of {@link resume} after such an action starts
   * playback.
   */
  get isWaiting(): boolean {
    return this.#context.state !== 'running';
  }

  get position(): PlaybackPosition {
    const bufferedSeconds =
      this.#nextStartSeconds === 0
        ? 0
        : Math.max(0, this.#nextStartSeconds - this.#context.currentTime);
    return { seconds: this.#totalSeconds - bufferedSeconds, bufferedSeconds };
  }

  /** Promise that resolves when all added chunks are decoded. */
  get decodingPromise(): Promise<void> {
    return this.#decodingPromise;
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
      for (let index = 0; index < length; index++) {
        samples[index] = view.getInt16((index * channels + channel) * 2, true) / 32_768;
      }
    }
    this.#decodingPromise = this.#decodingPromise.then(() => this.#playBuffer(buffer));
  }

  /**
   * Plays a complete audio file after all chunks that were added earlier.
   * @throws if the browser cannot decode the file
   */
  addFile(file: Uint8Array<ArrayBuffer>): Promise<void> {
    const playPromise = this.#playFileAfter(this.#decodingPromise, file);
    this.#decodingPromise = playPromise.catch(() => {});
    return playPromise;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const source of this.#sources) source.stop();
    void this.#context.close();
  }

  async #playFileAfter(
    previousPromise: Promise<void>,
    file: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    await previousPromise;
    if (!this.#isClosed) this.#playBuffer(await this.#context.decodeAudioData(file.buffer));
  }

  #playBuffer(buffer: AudioBuffer): void {
    if (this.#isClosed) return;
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    const { currentTime } = this.#context;
    const start =
      this.#nextStartSeconds > currentTime
        ? this.#nextStartSeconds
        : currentTime + startDelaySeconds;
    source.start(start);
    this.#nextStartSeconds = start + buffer.duration;
    this.#totalSeconds += buffer.duration;
    this.#sources.add(source);
    source.addEventListener('ended', () => this.#sources.delete(source));
  }
}

/**
 * Delay in seconds before the first chunk starts to play, and again after each gap. The next chunk can arrive during
 * this delay.
 */
const startDelaySeconds = 0.08;

interface PlayerContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  readonly announce: (text: string) => void;
  /** Called with the id of the answer that is being read aloud, or null when reading ends. */
  readonly onRead: (messageId: string | null) => void;
}

type PlaybackState = 'loading' | 'blocked' | 'playing' | 'failed';

interface Playback {
  readonly id: string;
  readonly audio: SpeechAudio;
  state: PlaybackState;
  /** True after the audio for the last part of the text has arrived. */
  hasLastPart: boolean;
  /**
   * True if the audio of the last requested part of the text is complete, and the player has not requested the next
   * part.
   */
  canRequestMore: boolean;
  /** Latest message in which the host reports a delay before it repeats a failed request for speech. */
  waitMessage?: Extract<SpeechMessage, { type: 'speech-wait' }>;
}

/** Number of seconds of remaining audio at which the player requests the next part. */
const prefetchSeconds = 20;
const tickMs = 250;

/** Plays speech from the host and shows the playback time. Loaded when the user first selects Read Aloud. */
export class SpeechPlayer {
  readonly element = createElement('div', { class: 'speech-bar', role: 'group' });
  readonly #context: PlayerContext;
  readonly #textElement = createElement('span', { class: 'speech-text' });
  readonly #playButton = createButton(l10n.t('Play'), 'play', () => void this.#resumePlayback());
  readonly #voiceButton: HTMLElement;
  readonly #stopButton = createButton(l10n.t('Stop'), 'debug-stop', () => this.#endPlayback());
  #playback: Playback | undefined;
  #stopTicking: () => void = () => {};

  constructor(context: PlayerContext) {
    this.#context = context;
    loadStyle();
    this.#voiceButton = createButton(l10n.t('Voice'), 'person', () =>
      context.post({ type: 'voice-command', command: 'choose-voice' }),
    );
    this.element.ariaLabel = l10n.t('Reading aloud');
    this.element.append(
      createCodicon('unmute'),
      this.#textElement,
      this.#playButton,
      this.#voiceButton,
      this.#stopButton,
    );
    this.element.hidden = true;
  }

  handleMessage(message: SpeechMessage): void {
    if (message.type === 'speech-open') return this.#openPlayback(message);
    const playback = this.#playback;
    if (playback?.id !== message.id) return;
    switch (message.type) {
      case 'speech-samples':
        playback.audio.addSamples(decodeBase64(message.samples), message);
        return this.#beginPlayback(playback);
      case 'speech-file':
        playback.audio
          .addFile(decodeBase64(message.file))
          .then(() => this.#beginPlayback(playback))
          .catch(() => this.#failPlayback(playback, getDecodeFailureMessage()));
        return;
      case 'speech-part':
        playback.hasLastPart = message.isLast;
        playback.canRequestMore = !message.isLast;
        return;
      case 'speech-wait':
        playback.waitMessage = message;
        return this.#context.announce(message.message);
      case 'speech-fail':
        return this.#failPlayback(playback, message.message);
      case 'speech-close':
        return this.#closePlayer();
    }
  }

  #openPlayback({ id, messageId }: Extract<SpeechMessage, { type: 'speech-open' }>): void {
    this.#closePlayer();
    this.#context.onRead(messageId);
    this.#playback = {
      ...{
        id,
        audio: new SpeechAudio(),
        state: 'loading',
        hasLastPart: false,
        canRequestMore: false,
      },
    };
    this.element.hidden = false;
    this.#context.announce(l10n.t('Reading aloud'));
    this.#updateProgress();
  }

  /** Starts playback when the first audio of the reading arrives. */
  #beginPlayback(playback: Playback): void {
    if (this.#playback !== playback || playback.state !== 'loading') return;
    playback.state = 'playing';
    void this.#resumePlayback();
  }

  async #resumePlayback(): Promise<void> {
    const playback = this.#playback;
    if (playback === undefined) return;
    // Resolves only after a user action if the browser blocks playback.
    void playback.audio.resume().then(() => this.#showControls());
    await playback.audio.decodingPromise;
    this.#showControls();
  }

  #updateProgress(): void {
    this.#stopTicking();
    const playback = this.#playback;
    if (playback === undefined) return;
    this.#showControls();
    if (playback.state === 'failed') return;
    const { seconds, bufferedSeconds } = playback.audio.position;
    if (playback.canRequestMore && bufferedSeconds < prefetchSeconds) {
      playback.canRequestMore = false;
      this.#context.post({ type: 'speech-next', id: playback.id });
    }
    const isFinished = playback.hasLastPart && seconds > 0 && bufferedSeconds === 0;
    if (isFinished) void this.#finishPlayback(playback);
    this.#stopTicking = this.#context.clock.after(tickMs, () => this.#updateProgress());
  }

  async #finishPlayback(playback: Playback): Promise<void> {
    await playback.audio.decodingPromise;
    if (this.#playback === playback && playback.audio.position.bufferedSeconds === 0)
      this.#endPlayback();
  }

  #showControls(): void {
    const playback = this.#playback;
    if (playback === undefined || playback.state === 'failed') return;
    const isBlocked = playback.state === 'playing' && playback.audio.isWaiting;
    this.#playButton.hidden = !isBlocked;
    this.element.dataset['state'] = isBlocked ? 'blocked' : playback.state;
    this.#textElement.textContent = this.#formatStatus(playback, isBlocked);
  }

  #formatStatus({ state, audio, waitMessage }: Playback, isBlocked: boolean): string {
    const waitMs = (waitMessage?.retryAt ?? 0) - this.#context.clock.now();
    if (waitMessage !== undefined && waitMs > 0 && audio.position.bufferedSeconds === 0) {
      return `${waitMessage.message} ${l10n.t('Trying again in {0}', formatDuration(Math.ceil(waitMs / 1_000) * 1_000))}`;
    }
    if (state === 'loading') return l10n.t('Loading…');
    if (isBlocked) return l10n.t('Read Aloud');
    return `${l10n.t('Reading aloud')} ${formatTime(audio.position.seconds)}`;
  }

  #failPlayback(playback: Playback, message: string): void {
    if (this.#playback !== playback) return;
    playback.state = 'failed';
    playback.audio.close();
    this.#context.onRead(null);
    this.#playButton.hidden = true;
    this.element.dataset['state'] = 'failed';
    this.#textElement.textContent = message;
    this.#context.announce(message);
  }

  /** Ends playback after the user stopped it or all audio was played. */
  #endPlayback(): void {
    const id = this.#playback?.id;
    this.#closePlayer();
    if (id !== undefined) this.#context.post({ type: 'speech-end', id });
  }

  #closePlayer(): void {
    this.#stopTicking();
    this.#playback?.audio.close();
    this.#playback = undefined;
    this.#context.onRead(null);
    this.element.hidden = true;
  }
}

const getDecodeFailureMessage = (): string =>
  l10n.t('This editor cannot play what the voice makes. Choose another voice.');

const formatTime = (seconds: number): string => {
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  return `${Math.floor(wholeSeconds / 60)}:${String(wholeSeconds % 60).padStart(2, '0')}`;
};

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function createButton(label: string, icon: string, run: () => void): HTMLElement {
  const buttonElement = createElement(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': label, title: label },
    createCodicon(icon),
  );
  buttonElement.addEventListener('click', run);
  return buttonElement;
}

let isLoaded = false;

function loadStyle(): void {
  if (isLoaded) return;
  isLoaded = true;
  addStyle(`
.speech-bar {
  display: flex;
  flex: none;
  gap: 4px;
  align-items: center;
  box-sizing: border-box;
  width: 100%;
  max-width: calc(80ch + 24px);
  margin: 0 auto;
  padding: 4px 12px;
  color: var(--muted);
}
.speech-bar[hidden], .speech-bar [hidden] { display: none; }
.speech-text { flex: 1; min-width: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.speech-bar[data-state='failed'] .speech-text { color: var(--vscode-errorForeground); }`);
}
