import type { Control } from './control.ts';

/** Path of the request that `startSlowRequest` sends. Nothing else requests it. */
export const slowPath = '/characters/slow-reference';

/**
 * Sends a request that the service answers after five seconds. High load delays this reference too, so tests compare
 * other requests with it instead of with a fixed time.
 */
export async function startSlowRequest({
  baseUrl,
  control,
}: {
  readonly baseUrl: string;
  readonly control: Control;
}): Promise<void> {
  await control.injectFault({ match: { path: slowPath }, fault: { kind: 'delay', ms: 5_000 } });
  // The reply is irrelevant, and the service may stop before it.
  void fetch(`${baseUrl}${slowPath}`).then(
    (reply) => reply.body?.cancel(),
    () => {},
  );
  await control.waitForRequest(({ path }) => path.endsWith(slowPath));
}
