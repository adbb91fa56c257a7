// oxlint-disable-next-line import/no-unassigned-import -- translations must load before any module uses one
import '../base/translations.ts';
import { systemClock } from '../../src/base/clock.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import { type CodeApi, createPostFunction, readHostMessage } from '../base/code-api.ts';
import { SavedState } from './saved-state.ts';
import { initialState, type PostMessage, reduceState } from './store.ts';
import { ChatApp } from './app.ts';
import { loadControls } from '../base/controls.ts';

declare function acquireVsCodeApi(): CodeApi;

const resyncIntervalMs = 1_000;
const page = { origin: globalThis.origin, version: protocolVersion };

const api = acquireVsCodeApi();
const post: PostMessage = createPostFunction(api);
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const pageState = new SavedState(api);
const app = new ChatApp({ root, post, savedState: pageState, clock: systemClock });

let state = initialState;
let receivedMessages: HostMessage[] = [];
let readySentAt = 0;
let hasRequestedControls = false;

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const message = readHostMessage(event, page) as HostMessage | undefined;
  if (message === undefined) return;
  const nextState = reduceState(state, message);
  if (nextState === undefined) return sendReadyMessage();
  state = nextState;
  if (message.type === 'state-set') pageState.setConversationId(message.state.conversation.id);
  // Render at most once per frame, regardless of the number of messages.
  if (receivedMessages.length === 0) requestAnimationFrame(renderApp);
  receivedMessages.push(message);
});

sendReadyMessage();

function renderApp(): void {
  const messages = receivedMessages;
  receivedMessages = [];
  app.renderState(state);
  // Actions such as moving the focus need the rendered elements, so they run after rendering.
  for (const message of messages) app.performAction(message);
  if (hasRequestedControls) return;
  hasRequestedControls = true;
  // The toolkit loads after the first paint, because a transcript is readable without it.
  requestAnimationFrame(() => setTimeout(() => void loadControls()));
}

function sendReadyMessage(): void {
  const now = performance.now();
  if (readySentAt !== 0 && now - readySentAt < resyncIntervalMs) return;
  readySentAt = now;
  post({ type: 'ready', version: protocolVersion });
}
