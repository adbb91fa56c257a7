import type { FailureCode } from '../service/http/failure.ts';

/**
 * Whether the service may have made a picture, and charged for it, in a call that failed. Only what certainly came
 * before that says no: what is unknown counts as charged.
 * @param code Of an `ImageFailure`; undefined when there is no failure and no picture either.
 */
export const mayBeCharged = (code: string | undefined): boolean =>
  code === undefined || !free.has(code);

const refused: readonly FailureCode[] = [
  'no-address',
  'invalid-address',
  'no-key',
  'invalid-key',
  'unauthorized',
  'forbidden',
  'model-access',
  'out-of-funds',
  'wallet-out-of-funds',
  'no-wallet',
  'sign-in-refused',
  'sign-in-stale',
  'over-budget',
  'spend-limit',
  'model-not-found',
  'not-found',
  'invalid-request',
  'unsupported-feature',
  'payload-too-large',
  'unsupported-media-type',
  'content-policy',
  'rate-limited',
  'offline',
  'tls',
  'proxy',
  'redirected',
];

/** A source that cannot be read is never sent. */
const free: ReadonlySet<string> = new Set([...refused, 'source']);
