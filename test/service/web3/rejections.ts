import { ApiError } from '../api-error.ts';

/** Messages of rejected minting requests (spec §7.1). */
const refusals = {
  'invalid-address': 'Invalid wallet address',
  'token-malformed': 'JWT is malformed',
  'token-signature': 'JWT signature is invalid',
  'token-claims': 'JWT claims are invalid',
  'token-expired': 'JWT has expired',
  'wrong-signature': 'Wallet signature does not match',
  'signature-unverified': 'Could not verify wallet signature',
  /** Message of a planned rejection; the real one contains the token and the chain. */
  'no-stake': 'Wallet has no staked STK on Local Chain',
  /** Used only where a token mints one key. Not in the specification. */
  'token-used': 'JWT has already been used',
} as const;

export type RejectionReason = keyof typeof refusals;

export const rejectionReasons = Object.keys(refusals) as RejectionReason[];

/** Creates the error, with status 400. */
export const mintRejection = (reason: RejectionReason): ApiError =>
  new ApiError(400, refusals[reason]);
