import type { ServiceContext } from '../../service/http/client.ts';
import type { KeyOptions, NewKey } from '../../service/key-record.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Hex } from '../chain.ts';
import type { Review, Signer } from '../signer.ts';
import type { MintJournal } from './mint-journal.ts';
import type { CheckedToken } from './validation-token.ts';

/** Everything that minting one key needs. */
export interface Mint {
  readonly signer: Signer;
  readonly options: KeyOptions;
  readonly signal: AbortSignal;
  /** Of one address for the whole of it: a token goes back to where it came from. */
  readonly service: ServiceContext;
  /** Asked about signatures of accounts that are contracts; without it only plain accounts can mint. */
  readonly chain?: ChainClient;
  readonly journal: MintJournal;
  /** What people see of what is signed; for every token anew. */
  readonly review: (token: CheckedToken) => Review;
  /** Asks before the first signature; absent when nobody is to be asked. False when the person does not want it. */
  readonly confirm?: (review: Review, token: CheckedToken) => Promise<boolean>;
  /** Puts the key where it belongs. Should it throw, the journal goes on to say that there may be a lost key. */
  readonly keep?: (key: NewKey) => Promise<void>;
  readonly onProgress?: (progress: MintProgress) => void;
}

export type MintProgress =
  | { readonly step: 'token' }
  /** The wallet is open. */
  | { readonly step: 'sign'; readonly token: CheckedToken }
  | { readonly step: 'verify' }
  | { readonly step: 'exchange' }
  /** The service could not check the signature; the next try comes after `ms` milliseconds. */
  | { readonly step: 'wait'; readonly ms: number };

/** A token, and the signature over it. */
export interface SignedToken {
  readonly token: CheckedToken;
  readonly signature: Hex;
}
