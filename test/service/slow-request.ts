import type { Control } from './control.ts';

/** Path of the request that `startSlowRequest` sends. No other code requests this path. */
export const slowPath = '/characters/slow-reference';

/**
 * Sends a request that takes five seconds. Tests compare other durations with it instead of a fixed time, because a
 * busy machine delays both.
 */
export async function startSlowRequest({
  baseUrl,
  control,
}: {
  readonly baseUrl: string;
  readonly control: Control;
}): Promise<void> {
  await control.injectFault({ match: { path: slowPath }, fault: { kind: 'delay', ms: 5_000 } });
  // The reply is irrelevant, and the service may stop before the reply.
  void fetch(`${baseUrl}${slowPath}`).then(
    (reply) => reply.body?.cancel(),
    () => {},
  );
  await control.waitForRequest(({ path }) => path.endsWith(slowPath));
}
