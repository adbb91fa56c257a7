/**
 * What is done for a key press: `listeners` by all that is told of the change and the move of the cursor; `begin of a
 * call` until the provider waits for the first time; `known answer` by the whole call for a known suggestion; `key` by
 * the listeners and that call together. And what is done when a question is asked: `context` gathers what goes along,
 * `prompt` makes the request of it, `request` is all of that with the request begun; the first one stands by itself,
 * since its code may never have run before.
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
  /** By what listens. */
  readonly listeners: Readonly<Record<string, readonly number[]>>;
}
