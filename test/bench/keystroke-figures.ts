/**
 * Processor times per key press. `listeners`: all listeners for the change and the cursor move.
 * `begin of a call`: until the provider first waits. `known answer`: the whole call for a cached
 * suggestion. `key`: the listeners and that call together. Processor times per request. `context`
 * collects the context, `prompt` builds the request, `request` includes both and starts the
 * request. The first request is measured separately, because its code may not have run before.
 */
export type PathPart =
  | 'listeners'
  | 'begin of a call'
  | 'known answer'
  | 'key'
  | 'context'
  | 'prompt'
  | 'request'
  | 'first request';

/** Environment variable with the number of keys to type. */
export const keysVariable = 'INFERENCE_SERVICE_BENCH_KEYS';

/** Milliseconds of the extension host's processor, one figure per key. */
export interface KeystrokeFigures {
  readonly parts: Readonly<Record<PathPart, readonly number[]>>;
  /** Times by listener. */
  readonly listeners: Readonly<Record<string, readonly number[]>>;
}
