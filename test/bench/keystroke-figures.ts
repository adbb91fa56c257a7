/**
 * Measured step between a key press and a request.
 * Measured per key press:
 * - `listeners`: all listeners for the document change and the cursor move
 * - `start of a call`: a provider call until it first waits for an asynchronous result
 * - `cached suggestion`: a complete provider call that returns a cached suggestion
 * - `key`: `listeners` plus the provider call
 * Measured per request:
 * - `context`: collecting the context
 * - `prompt`: building the request
 * - `request`: the complete start of the request, including `context` and `prompt`
 * - `first request`: like `request` for the first request, whose code may not have run before
 */
export type KeystrokePhase =
  | 'listeners'
  | 'start of a call'
  | 'cached suggestion'
  | 'key'
  | 'context'
  | 'prompt'
  | 'request'
  | 'first request';

/** Name of the environment variable with the number of keys to type. */
export const keyCountVariable = 'INFERENCE_SERVICE_BENCH_KEYS';

/** Processor times of the extension host in milliseconds, one per key press or request. */
export interface KeystrokeFigures {
  readonly phaseTimes: Readonly<Record<KeystrokePhase, readonly number[]>>;
  /** Duration of each listener call in milliseconds, by the event and by the class that registered the listener. */
  readonly listenerTimes: Readonly<Record<string, readonly number[]>>;
}
