import type { RefusedPart } from './refusal.ts';

/**
 * Failure codes of service calls (spec §7). Each code states if a retry can succeed, and which actions to suggest to
 * the user, best first.
 */
export const failureTable = {
  'no-address': { isRetryable: false, actions: ['set-address'] },
  'invalid-address': { isRetryable: false, actions: ['set-address'] },
  /** The address is unencrypted in the local network, and the user has not confirmed its origin. */
  'unencrypted-address': { isRetryable: false, actions: ['allow-unencrypted', 'set-address'] },
  /** The user switched to another service before the request was sent. */
  'address-changed': { isRetryable: false, actions: ['retry'] },
  'no-key': { isRetryable: false, actions: ['set-key', 'mint-key', 'retry'] },
  /** The request had no credentials, and the service also accepts payments by wallet. */
  'payment-required': {
    isRetryable: false,
    actions: ['set-key', 'connect-wallet', 'mint-key', 'retry'],
  },
  'invalid-key': { isRetryable: false, actions: ['set-key'] },
  unauthorized: { isRetryable: false, actions: ['set-key', 'retry'] },
  forbidden: { isRetryable: false, actions: ['set-key', 'choose-model'] },
  'model-access': { isRetryable: false, actions: ['choose-model'] },
  'out-of-funds': { isRetryable: false, actions: ['add-credits', 'choose-model', 'retry'] },
  'wallet-out-of-funds': { isRetryable: false, actions: ['add-credits', 'choose-model', 'retry'] },
  'no-wallet': { isRetryable: false, actions: ['connect-wallet', 'set-key'] },
  /** The service accepts no payments by wallets (x402). */
  'no-pay-per-request': { isRetryable: false, actions: ['set-key', 'mint-key'] },
  'sign-in-refused': { isRetryable: false, actions: ['retry', 'show-log'] },
  'sign-in-stale': { isRetryable: true, actions: ['retry', 'show-log'] },
  /** The user's budget is used up, and the user declined to continue. */
  'over-budget': { isRetryable: false, actions: ['set-budget', 'retry'] },
  /** A setting permits only private models, and the model of the request is not known to be private. */
  'private-only': { isRetryable: false, actions: ['choose-private-model', 'open-private-setting'] },
  /** The attestation of the model's enclave or the encryption of the answer is invalid. */
  'protection-failed': { isRetryable: false, actions: ['retry', 'choose-model'] },
  'spend-limit': { isRetryable: false, actions: ['set-key', 'add-credits'] },
  'model-not-found': { isRetryable: false, actions: ['choose-model'] },
  'not-found': { isRetryable: false, actions: ['set-address'] },
  'invalid-request': { isRetryable: false, actions: ['show-log'] },
  'unsupported-option': { isRetryable: false, actions: ['send-without', 'choose-model'] },
  'unsupported-feature': { isRetryable: false, actions: ['choose-model'] },
  'context-overflow': { isRetryable: false, actions: ['new-chat', 'choose-model'] },
  'payload-too-large': { isRetryable: false, actions: ['new-chat'] },
  'unsupported-media-type': { isRetryable: false, actions: ['show-log'] },
  'content-policy': { isRetryable: false, actions: [] },
  'rate-limited': { isRetryable: true, actions: ['retry'] },
  overloaded: { isRetryable: true, actions: ['retry', 'choose-model'] },
  'server-error': { isRetryable: true, actions: ['retry'] },
  timeout: { isRetryable: true, actions: ['retry'] },
  offline: { isRetryable: true, actions: ['retry', 'test-connection'] },
  tls: { isRetryable: false, actions: ['use-editor-transport', 'test-connection'] },
  proxy: { isRetryable: false, actions: ['use-editor-transport', 'test-connection'] },
  redirected: { isRetryable: false, actions: ['set-address'] },
  'unexpected-response': { isRetryable: false, actions: ['retry', 'set-address'] },
  'internal-error': { isRetryable: false, actions: ['retry', 'show-log'] },
  /** The user has paid for an image that is only in memory, because the user has neither saved nor discarded it. */
  'unstored-image': {
    isRetryable: false,
    actions: ['save-image', 'discard-image', 'pay-again'],
  },
  interrupted: { isRetryable: false, actions: ['continue', 'retry'] },
  paused: { isRetryable: false, actions: ['retry'] },
  stopped: { isRetryable: false, actions: [] },
} as const satisfies Record<string, { isRetryable: boolean; actions: readonly FailureAction[] }>;

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
  /** Base URL of the service that refused the field. Identifies the connection. */
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
