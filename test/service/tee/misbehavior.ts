import * as v from 'valibot';

/** How the enclave lies from now on. */
export const enclaveMisbehaviorSchema = v.strictObject({
  /** In its attestation. */
  attestation: v.optional(
    v.picklist([
      /** The quote is of another question. */
      'nonce',
      /** Another key than the quoted one is told. */
      'key',
      /** The machine can be debugged. */
      'debug',
      /** The certificates hold no more. */
      'expired',
      /** The quote's signature is of something else. */
      'signature',
      /** The chain ends in an unknown root. */
      'root',
      /** An enclave that is not Intel's made the quote, on genuine hardware. */
      'quoting-enclave',
      /** It is about another model. */
      'model',
      /** There is none: 502. */
      'refuses',
    ]),
  ),
  /** In its encrypted answers. */
  answer: v.optional(
    v.picklist([
      /** All pieces come in clear. */
      'plain',
      /** The second piece comes in clear. */
      'half-plain',
      /** A bit of the second piece is another. */
      'tampered',
      /** The first piece comes a second time. */
      'replayed',
      /** The pieces are for another key. */
      'other-reader',
      /** Half of the second piece is missing. */
      'cut',
      /** The messages cannot be opened: 400. */
      'refuses',
    ]),
  ),
});

export type EnclaveMisbehavior = v.InferOutput<typeof enclaveMisbehaviorSchema>;
