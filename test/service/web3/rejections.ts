import { ApiError } from '../api-error.ts';

/** Messages of rejected requests for a key (spec §7.1). */
const rejectionMessages = {
  'invalid-address': 'Invalid wallet address',
  'token-malformed': 'JWT is malformed',
  'token-signature': 'JWT signature is invalid',
  'token-claims': 'JWT claims are invalid',
  'token-expired': 'JWT has expired',
  'wrong-signature': 'Wallet signature does not match',
  'signature-unverified': 'Could not verify wallet signature',
  /**
   * Message for a rejection that a test has requested. For a wallet that actually has no stake, the message contains
   * the actual names of the token and the chain.
   */
  'no-stake': 'Wallet has no staked STK on Local Chain',
  /** Message for a token that has already minted a key, if each token mints only one key. Not in the specification. */
  'token-used': 'JWT has already been used',
} as const;

export type RejectionReason = keyof typeof rejectionMessages;

export const rejectionReasons = Object.keys(rejectionMessages) as RejectionReason[];

/** Creates the error of a rejected request, with status 400. */
export const createMintRejection = (reason: RejectionReason): ApiError =>
  new ApiError(400, rejectionMessages[reason]);
