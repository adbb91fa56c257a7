/** What is checked of an attestation, in this order. */
export type CheckName =
  /** There is a quote of a TDX machine. */
  | 'quote'
  /** It is about the model that was asked for. */
  | 'model'
  /** It was made for our question. */
  | 'nonce'
  /** The quote names the enclave's key. */
  | 'key-bound'
  /** Nobody can look into the machine by debugging it. */
  | 'debug'
  /** The quote was signed by its own key. */
  | 'signature'
  /** Hardware that the pinned root vouches for made that key. */
  | 'hardware'
  /** The enclave's key is one that can be encrypted to. */
  | 'key'
  /** What the GPU says, if it says something, is of this moment, too. */
  | 'gpu-nonce';

export interface AttestationCheck {
  readonly name: CheckName;
  readonly passed: boolean;
  /** What was seen, or what is wrong: technical, in the editor's language, ≤ 300 characters. */
  readonly detail: string;
}

/** What a model's enclave says of itself, checked. */
export interface Attestation {
  readonly model: string;
  /** `verified` when every check passed. */
  readonly verdict: 'verified' | 'failed';
  readonly checks: readonly AttestationCheck[];
  /** The enclave's, uncompressed, in hexadecimal; absent where it told none, or none that holds. */
  readonly publicKey?: string;
  /** Of the software in the machine, in hexadecimal, by the name of the register. */
  readonly measurements?: Readonly<Record<string, string>>;
  /** When it was checked, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** What the service calls the maker of the enclave. */
  readonly provider?: string;
  /** Everything the service answered, as JSON. */
  readonly evidence: string;
}
