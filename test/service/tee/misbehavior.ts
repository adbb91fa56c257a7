import * as v from 'valibot';

/** Schema of {@link EnclaveMisbehavior}. */
export const enclaveMisbehaviorSchema = v.strictObject({
  /** Misbehavior in the response to an attestation request. */
  attestation: v.optional(
    v.picklist([
      /** The quote contains a nonce that differs from the nonce in the request. */
      'nonce',
      /** The response and the quote contain different keys. */
      'key',
      /** The quote reports that debugging is enabled. */
      'debug',
      /** The certificates have expired. */
      'expired',
      /** The quote's signature is invalid. */
      'signature',
      /** The certificate chain ends in an unknown root. */
      'root',
      /** The quote is signed by a quoting enclave of another vendor, on genuine hardware. */
      'quoting-enclave',
      /** The response names a model that differs from the requested model. */
      'model',
      /** The request for attestation fails with status 502. */
      'refuses',
    ]),
  ),
  /** Misbehavior in the answer of an encrypted chat. */
  answer: v.optional(
    v.picklist([
      /** All fragments are unencrypted. */
      'plain',
      /** The second fragment is unencrypted. */
      'half-plain',
      /** One bit of the second fragment is flipped. */
      'tampered',
      /** The first fragment is repeated. */
      'replayed',
      /** The fragments are encrypted for the key of another client. */
      'other-reader',
      /** The second fragment is truncated. */
      'cut',
      /** The service fails to decrypt the messages, with status 400. */
      'refuses',
    ]),
  ),
});

export type EnclaveMisbehavior = v.InferOutput<typeof enclaveMisbehaviorSchema>;
