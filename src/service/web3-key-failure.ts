import type { ServiceFailure } from './failure.ts';

/** Why a key could not be minted: the refusals of spec §7.1, and what else has an action of its own. */
export type MintProblem =
  | 'invalid-address'
  | 'token-expired'
  | 'token-signature'
  | 'token-claims'
  | 'token-malformed'
  | 'wrong-signature'
  /** The service could not check the signature just now. The same token may be sent again. */
  | 'signature-unverified'
  | 'no-stake'
  /** The service does not take the type, description, expiry, limit or privacy that was asked for. */
  | 'invalid-options'
  /** The service offers no keys for wallets at this address. */
  | 'not-offered'
  /** The answer was lost: there may be a key now that nobody has. The list of keys shows it. */
  | 'maybe-minted'
  /** No key was minted, for the reason in `failure`. */
  | 'failed';

/** A key was not minted, or may have been lost. Neither its message nor `failure` holds words of the service. */
export class MintError extends Error {
  readonly problem: MintProblem;
  /** What the call itself came to. */
  readonly failure: ServiceFailure;

  constructor(problem: MintProblem, failure: ServiceFailure) {
    super(`No key: ${problem} (${failure.code}).`);
    this.name = 'MintError';
    this.problem = problem;
    this.failure = failure;
  }
}
