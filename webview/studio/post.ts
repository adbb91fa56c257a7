import type { StudioPageMessage } from '../../src/image/studio/protocol/studio-page-message.ts';
import type { CodeApi } from '../base/code-api.ts';

export type StudioPost = (message: StudioPageMessage) => void;

/** The typed way out of the image studio. */
export const createStudioPost =
  (api: CodeApi): StudioPost =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's takes the message alone
    api.postMessage(message);
