import { parseJson } from '../../src/base/json.ts';
import { type DictationWords, longestDictation } from '../../src/speech/dictation-protocol.ts';
import { toBase64 } from './downsampler.ts';
import { HostLink } from './host-link.ts';
import { Microphone } from './microphone.ts';

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const words = parseJson(root.dataset['words'] ?? '') as DictationWords;
const base = new URL('.', location.href);
const inPath = /[A-Za-z0-9_-]{43}$/u.exec(location.pathname)?.[0] ?? '';
const token = /[A-Za-z0-9_-]{43}$/u.exec(location.hash)?.[0] ?? inPath;
// Out of the address, so that it is neither seen nor kept in the history.
history.replaceState(null, '', base.pathname);

const link = new HostLink(base);
const heading = made('h1', words.title);
const text = made('p', words.explanation);
const meter = document.createElement('meter');
const status = made('p', '');
const main = made('button', words.start);
const cancel = made('button', words.cancel);
let microphone: Microphone | undefined;
let isOver = false;

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
  if (!isOver) void link.tell('page-closed');
});
main.focus();
void listen();

async function listen(): Promise<void> {
  if (!(await link.claim(token))) return end(words.gone);
  let state: Parameters<HostLink['poll']>[0] = null;
  while (!isOver) {
    const reply = await link.poll(state);
    if (reply === undefined) return isOver ? undefined : end(words.gone);
    state = reply.state;
    if (state === 'done') end(reply.message || words.done);
    else if (state === 'failed') end(reply.message || words.gone);
  }
}

async function start(): Promise<void> {
  main.disabled = true;
  try {
    const take = (samples: Float32Array): void => link.send(toBase64(samples));
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
  setTimeout(() => void finish(), (longestDictation - 5) * 1_000);
}

async function finish(): Promise<void> {
  const recording = microphone;
  if (recording === undefined || isOver || main.hidden) return;
  main.hidden = true;
  cancel.hidden = true;
  meter.hidden = true;
  status.textContent = words.working;
  await recording.close();
  const isWhole = await link.sent;
  await link.tell(isWhole ? 'finished' : 'cancelled');
}

async function abandon(): Promise<void> {
  await link.tell('cancelled');
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
