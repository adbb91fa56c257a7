import type { ServiceFailure } from './http/failure.ts';
import { networkFailure } from './http/network-failure.ts';

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

/** What a failed try to mint means. A reply can repeat token, signature and key, so nothing of its words is kept. */
export function mintError(error: unknown): MintError {
  const { detail, ...failure } = networkFailure(error).failure;
  return new MintError(problemOf(failure, detail ?? ''), failure);
}

function problemOf(failure: ServiceFailure, words: string): MintProblem {
  const { code, status } = failure;
  if (status === 400 || status === 422) {
    const said = byWords.find(([pattern]) => pattern.test(words))?.[1];
    return said ?? 'invalid-options';
  }
  if (code === 'not-found') return 'not-offered';
  return mayHaveMinted(failure) ? 'maybe-minted' : 'failed';
}

/** By contents, and in the words of any deployment: names and an address may stand in between (spec §7.1). */
const byWords: readonly (readonly [RegExp, MintProblem])[] = [
  [/invalid wallet address/i, 'invalid-address'],
  [/jwt has expired/i, 'token-expired'],
  [/jwt signature is invalid/i, 'token-signature'],
  [/jwt claims are invalid/i, 'token-claims'],
  [/jwt is malformed/i, 'token-malformed'],
  [/wallet signature does not match/i, 'wrong-signature'],
  [/could not verify wallet signature/i, 'signature-unverified'],
  [/wallet\b.{0,80}\bhas no staked\b/i, 'no-stake'],
  // What else there is to say of a token, such as that it was used before: another one can put it right.
  [/\bjwt\b/i, 'token-expired'],
];

/** The request may have been carried out: it arrived, and how it ended is not known. */
function mayHaveMinted({ code, status }: ServiceFailure): boolean {
  switch (code) {
    case 'interrupted':
    case 'unexpected-response':
    case 'stopped':
    case 'timeout':
      return true;
    case 'server-error':
      return status !== 501;
    default:
      return false;
  }
}
