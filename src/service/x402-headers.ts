/** How a deployment names the headers for calls that a wallet signs or pays. Only these are sent, never both kinds. */
export interface X402Headers {
  /** Carries the signed message (service facts §6.1). */
  readonly signIn: string;
  /** Carries the signed payment (service facts §6.2). */
  readonly payment: string;
}

/** `v2` is x402 version 2; `compatible` has the names from before it, which many deployments still take. */
export const x402HeaderProfiles = {
  v2: { signIn: 'SIGN-IN-WITH-X', payment: 'PAYMENT-SIGNATURE' },
  compatible: { signIn: 'X-Sign-In-With-X', payment: 'X-402-Payment' },
} as const satisfies Record<string, X402Headers>;

/** Replies have one name each, as transports give it: lower case. */
export const paymentRequiredHeader = 'payment-required';
export const paymentResponseHeader = 'payment-response';
