import {
  exactOptional,
  type InferOutput,
  literal,
  maxLength,
  nullable,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';

const text = (longest: number) => pipe(string(), maxLength(longest));

/** What protected an answer, in words. */
export const protectionSchema = strictObject({
  kind: picklist(['none', 'attested', 'encrypted']),
  /** `Encrypted end to end`. */
  label: text(80),
  /** What that means, and what the request did without. */
  detail: text(1_000),
});

/** Of a message; absent where its model offers nothing. */
export const messageProtection = { protection: exactOptional(protectionSchema) };

/** The answer ended, and this protected it. */
export const protectionPutSchema = strictObject({
  type: literal('protection-put'),
  messageId: text(64),
  protection: protectionSchema,
});

/**
 * A click on what protected the message: the host shows the attestation of its model. Null stands for the model that is
 * chosen.
 */
export const attestationShowSchema = strictObject({
  type: literal('attestation-show'),
  messageId: nullable(text(64)),
});

export type ProtectionView = InferOutput<typeof protectionSchema>;
