import type { RefusedPart } from './refusal.ts';

/**
 * Failure codes of service calls (spec §7). Each code states if a retry can succeed, and which actions to suggest to
 * the user, best first.
 */
export const failureTable = {
  'no-address': { retryable: false, actions: ['set-address'] },
  'invalid-address': { retryable: false, actions: ['set-address'] },
  /** The address is unencrypted in the local network, and the user has not confirmed its origin. */
  'unencrypted-address': { retryable: false, actions: ['allow-unencrypted', 'set-address'] },
  /** The user switched to another service before the request was sent. */
  'address-changed': { retryable: false, actions: ['retry'] },
  'no-key': { retryable: false, actions: ['set-key', 'mint-key', 'retry'] },
  /** The request had no credentials, and the service also accepts payments by wallet. */
  'payment-required': {
    retryable: false,
    actions: ['set-key', 'connect-wallet', 'mint-key', 'retry'],
  },
  'invalid-key': { retryable: false, actions: ['set-key'] },
  unauthorized: { retryable: false, actions: ['set-key', 'retry'] },
  forbidden: { retryable: false, actions: ['set-key', 'choose-model'] },
  'model-access': { retryable: false, actions: ['choose-model'] },
  'out-of-funds': { retryable: false, actions: ['add-credits', 'choose-model', 'retry'] },
  'wallet-out-of-funds': { retryable: false, actions: ['add-credits', 'choose-model', 'retry'] },
  'no-wallet': { retryable: false, actions: ['connect-wallet', 'set-key'] },
  /** The service accepts no payments by wallets (x402). */
  'no-pay-per-request': { retryable: false, actions: ['set-key', 'mint-key'] },
  'sign-in-refused': { retryable: false, actions: ['retry', 'show-log'] },
  'sign-in-stale': { retryable: true, actions: ['retry', 'show-log'] },
  /** The user's budget is used up, and the user declined to continue. */
  'over-budget': { retryable: false, actions: ['set-budget', 'retry'] },
  /** A setting permits only private models, and the model of the request is not known to be private. */
  'private-only': { retryable: false, actions: ['choose-private-model', 'open-private-setting'] },
  /** The attestation of the model's enclave or the encryption of the answer is invalid. */
  'protection-failed': { retryable: false, actions: ['retry', 'choose-model'] },
  'spend-limit': { retryable: false, actions: ['set-key', 'add-credits'] },
  'model-not-found': { retryable: false, actions: ['choose-model'] },
  'not-found': { retryable: false, actions: ['set-address'] },
  'invalid-request': { retryable: false, actions: ['show-log'] },
  'unsupported-option': { retryable: false, actions: ['send-without', 'choose-model'] },
  'unsupported-feature': { retryable: false, actions: ['choose-model'] },
  'context-overflow': { retryable: false, actions: ['new-chat', 'choose-model'] },
  'payload-too-large': { retryable: false, actions: ['new-chat'] },
  'unsupported-media-type': { retryable: false, actions: ['show-log'] },
  'content-policy': { retryable: false, actions: [] },
  'rate-limited': { retryable: true, actions: ['retry'] },
  overloaded: { retryable: true, actions: ['retry', 'choose-model'] },
  'server-error': { retryable: true, actions: ['retry'] },
  timeout: { retryable: true, actions: ['retry'] },
  offline: { retryable: true, actions: ['retry', 'test-connection'] },
  tls: { retryable: false, actions: ['use-editor-transport', 'test-connection'] },
  proxy: { retryable: false, actions: ['use-editor-transport', 'test-connection'] },
  redirected: { retryable: false, actions: ['set-address'] },
  'unexpected-response': { retryable: false, actions: ['retry', 'set-address'] },
  'internal-error': { retryable: false, actions: ['retry', 'show-log'] },
  /** The user has paid for an image that is only in memory, because the user has neither saved nor discarded it. */
  'unstored-image': {
    retryable: false,
    actions: ['save-image', 'discard-image', 'pay-again'],
  },
  interrupted: { retryable: false, actions: ['continue', 'retry'] },
  paused: { retryable: false, actions: ['retry'] },
  stopped: { retryable: false, actions: [] },
} as const satisfies Record<string, { retryable: boolean; actions: readonly FailureAction[] }>;

export type FailureCode = keyof typeof failureTable;

/** User actions that a failure suggests. The extension host provides their labels and handlers. */
export type FailureAction =
  | 'set-address'
  | 'allow-unencrypted'
  | 'set-key'
  | 'mint-key'
  | 'add-credits'
  | 'set-budget'
  | 'connect-wallet'
  | 'top-up'
  | 'choose-model'
  | 'choose-private-model'
  | 'open-private-setting'
  | 'new-chat'
  | 'retry'
  /** Repeats a call that the service may have charged, so the user may pay twice. */
  | 'pay-again'
  | 'continue'
  | 'test-connection'
  | 'use-editor-transport'
  | 'send-without'
  | 'save-image'
  | 'discard-image'
  | 'show-log';

/**
 * Failure of a call as plain data. Contains no key, no header value, and no part of the response body except the error
 * message.
 */
export interface ServiceFailure {
  readonly code: FailureCode;
  /** One or two localized sentences: the problem and the next step. Redacted, at most 500 characters. */
  readonly message: string;
  /** HTTP status. Absent without a response. */
  readonly status?: number;
  /** Delay in milliseconds that the service requests before a retry. */
  readonly retryAfterMs?: number;
  /** Origin of an unencrypted address. The user can permit unencrypted requests to this origin. */
  readonly origin?: string;
  /** Request id of the service, to quote in support requests. */
  readonly requestId?: string;
  /** Error message of the service. Redacted, at most 300 characters. */
  readonly detail?: string;
  /** Key of the optional field that the service refused. */
  readonly refusedField?: string;
  /** Identifies the connection whose service refused the field, by its base URL. */
  readonly connection?: string;
  /** Part of the request that the model cannot process. The request can be repeated without this part. */
  readonly refusedPart?: RefusedPart;
  /**
   * True if the server or the model does not support text completion on the requested route. The caller must use
   * another route.
   */
  readonly refusesRoute?: true;
  /** Context size in tokens, if the error about an overlong request contains the number. */
  readonly contextTokens?: number;
}

/** Failed attempt and the delay before the next attempt. */
export interface RetryWait {
  /** Number of the next attempt, starting at 2. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly failure: ServiceFailure;
}

/** Error with a {@link ServiceFailure}. */
export class ServiceError extends Error {
  readonly failure: ServiceFailure;

  constructor(failure: ServiceFailure) {
    super(failure.message);
    this.name = 'ServiceError';
    this.failure = failure;
  }
}
