// oxlint-disable-next-line import/no-unassigned-import -- the words must be there before any module says one
import '../base/translations.ts';
import { systemClock } from '../../src/base/clock.ts';
import {
  readStudioHostMessage,
  type StudioHostMessage,
  studioVersion,
} from '../../src/image/studio/protocol/messages.ts';
import type { CodeApi } from '../base/code-api.ts';
import { createStudioPost, initialState, reduce } from './store.ts';
import { Saved } from './saved.ts';
import { StudioApp } from './view/app.ts';

declare function acquireVsCodeApi(): CodeApi;

const api = acquireVsCodeApi();
const post = createStudioPost(api);
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const app = new StudioApp({ root, post, saved: new Saved(api), clock: systemClock, roll });

let state = initialState;
let arrived: StudioHostMessage[] = [];

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const message = readStudioHostMessage(data);
  if (message === undefined) return;
  state = reduce(state, message);
  // At most one paint per frame, however many messages arrived since the last.
  if (arrived.length === 0) requestAnimationFrame(paint);
  arrived.push(message);
});

post({ type: 'ready', version: studioVersion });

function paint(): void {
  const messages = arrived;
  arrived = [];
  app.paint(state);
  // What a message asks for beyond its state, like the focus, needs what it asks it of to be there.
  for (const message of messages) app.perform(message);
}

/** A seed as the service takes it: nine digits at most. */
function roll(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number % 1_000_000_000;
}
