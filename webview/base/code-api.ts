import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';

/** What VS Code gives a webview, once per load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

export type Post = (message: WebviewMessage) => void;

/** The typed way out of the webview. */
export const createPost =
  (api: CodeApi): Post =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's takes the message alone
    api.postMessage(message);
