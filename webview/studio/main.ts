// oxlint-disable-next-line import/no-unassigned-import -- loads the translations before any module uses one
import '../base/translations.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type StudioHostMessage, studioVersion } from '../../src/image/studio/protocol/messages.ts';
import { type CodeApi, createPostFunction, readHostMessage } from '../base/code-api.ts';
import { initialState, reduceState, type StudioPost } from './store.ts';
import { SavedStudio } from './saved.ts';
import { StudioApp } from './view/app.ts';

declare function acquireVsCodeApi(): CodeApi;

const page = { origin: globalThis.origin, version: studioVersion };
const api = acquireVsCodeApi();
const post: StudioPost = createPostFunction(api);
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const app = new StudioApp({
  root,
  post,
  savedState: new SavedStudio(api),
  clock: systemClock,
  createRandomSeed,
});

let state = initialState;
let receivedMessages: StudioHostMessage[] = [];

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const message = readHostMessage(event, page) as StudioHostMessage | undefined;
  if (message === undefined) return;
  state = reduceState(state, message);
  // Render at most once per frame, regardless of the number of messages.
  if (receivedMessages.length === 0) requestAnimationFrame(renderApp);
  receivedMessages.push(message);
});

post({ type: 'ready', version: studioVersion });

function renderApp(): void {
  const messages = receivedMessages;
  receivedMessages = [];
  app.renderState(state);
  // Actions such as moving the focus need the new state to be rendered.
  for (const message of messages) app.performAction(message);
}

/** Returns a random seed from 0 to 999,999,999, which is the maximum of the service. */
function createRandomSeed(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number % 1_000_000_000;
}
