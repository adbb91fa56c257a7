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

const createBoundedTextSchema = (limit: number) => pipe(string(), maxLength(limit));

/** Protection of an answer, with the texts that the page shows. */
export const protectionSchema = strictObject({
  kind: picklist(['none', 'attested', 'encrypted']),
  /** Short name of the protection, such as `Encrypted end to end`. */
  label: createBoundedTextSchema(80),
  /** Sentences that explain the protection and list the features removed from the request. */
  detail: createBoundedTextSchema(1_000),
});

/** Message field with the protection of an answer. The field is absent if the model offered no protection. */
export const messageProtection = { protection: exactOptional(protectionSchema) };

/** Sets the protection of an answer. Sent at the end of the answer. */
export const protectionPutSchema = strictObject({
  type: literal('protection-put'),
  messageId: createBoundedTextSchema(64),
  protection: protectionSchema,
});

/**
 * Sent when the user clicks the protection of a message. The host shows the attestation of the model that wrote the
 * message. If `messageId` is null, the host shows the attestation of the selected model.
 */
export const attestationShowSchema = strictObject({
  type: literal('attestation-show'),
  messageId: nullable(createBoundedTextSchema(64)),
});

export type ProtectionView = InferOutput<typeof protectionSchema>;
