import { isRecord } from '../../src/base/json.ts';

/** API object that VS Code provides to a webview. A page can acquire the object only once per load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/**
 * Returns the message of a `message` event. Returns `undefined` if the event does not come from the host, or if it is a
 * `state-set` with another protocol version. The host's messages arrive through VS Code's frame around the page, which
 * has the page's origin. The frames of other extensions have other origins, so they cannot post to the page. Does not
 * validate the fields of the message, because the host and the page come from the same build: the version of
 * `state-set` confirms this, and a page shows nothing before a `state-set` with the matching version. The caller may
 * therefore cast the message.
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

/** Returns a function that posts messages to the host. Annotate the result with the page's own message type. */
export const createPost =
  (api: CodeApi): ((message: unknown) => void) =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's function has no target parameter
    api.postMessage(message);
