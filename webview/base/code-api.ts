import { isRecord } from '../../src/base/json.ts';

/** API object that VS Code provides to a webview. A page can acquire the object only once per load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/**
 * Returns the message of a `message` event, or `undefined` if the host did not send it or if it is a `state-set` with
 * another protocol version. Accepts only the page's own origin: the host's messages arrive through VS Code's frame
 * around the page, which has this origin. Frames of other extensions have other origins.
 * Does not validate the fields, because the host and the page come from the same build. The version in `state-set`
 * confirms this, and the page shows nothing before a matching `state-set`. The caller may therefore cast the message.
 */
export function readHostMessage(
  { data, origin }: Pick<MessageEvent<unknown>, 'data' | 'origin'>,
  page: { readonly origin: string; readonly version: number },
): { readonly type: string } | undefined {
  if (origin !== page.origin || !isRecord(data) || typeof data['type'] !== 'string')
    return undefined;
  const isOtherVersion = data['type'] === 'state-set' && data['version'] !== page.version;
  return isOtherVersion ? undefined : (data as { readonly type: string });
}

/**
 * Returns a function that posts messages to the host. Callers annotate the result with the message type of their page.
 */
export const createPost =
  (api: CodeApi): ((message: unknown) => void) =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's function has no target parameter
    api.postMessage(message);
