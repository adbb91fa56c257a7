import { isRecord } from '../../src/base/json.ts';

/** API object that VS Code provides to a webview. A page can acquire the object only once per load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/**
 * Returns the data of a `message` event that the host sent. Returns `undefined` for other senders, and for a
 * `state-set` message whose protocol version differs from the page's.
 *
 * Accepts only events with the page's own origin, because VS Code's frame around the page forwards the host's messages
 * with this origin. Frames of other extensions have other origins. Does not validate the fields: a matching version
 * confirms that the host and the page come from the same build, and the page shows nothing before the first matching
 * `state-set`.
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
 * Returns a function that posts messages to the host. The caller must declare the type of the messages, because
 * `createPostFunction` accepts any value.
 */
export const createPostFunction =
  (api: CodeApi): ((message: unknown) => void) =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's function has no target parameter
    api.postMessage(message);
