import { ApiError } from '../api-error.ts';

/** Why no key is minted (spec §7.1). */
const refusals = {
  'invalid-address': 'Invalid wallet address',
  'token-malformed': 'JWT is malformed',
  'token-signature': 'JWT signature is invalid',
  'token-claims': 'JWT claims are invalid',
  'token-expired': 'JWT has expired',
  'wrong-signature': 'Wallet signature does not match',
  'signature-unverified': 'Could not verify wallet signature',
  /** Of a refusal that was planned; the true one names the token and the chain it read. */
  'no-stake': 'Wallet has no staked STK on Local Chain',
  /** Only where a token mints one key. The specification does not know it. */
  'token-used': 'JWT has already been used',
} as const;

export type RejectionReason = keyof typeof refusals;

export const rejectionReasons = Object.keys(refusals) as RejectionReason[];

/** All of them are status 400. */
export const mintRejection = (reason: RejectionReason): ApiError =>
  new ApiError(400, refusals[reason]);
