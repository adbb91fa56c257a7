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

const text = (limit: number) => pipe(string(), maxLength(limit));

/** Protection of an answer, as text. */
export const protectionSchema = strictObject({
  kind: picklist(['none', 'attested', 'encrypted']),
  /** `Encrypted end to end`. */
  label: text(80),
  /** Explanation, and features that the request omitted. */
  detail: text(1_000),
});

/** Protection of a message. Absent when the message's model offers no protection. */
export const messageProtection = { protection: exactOptional(protectionSchema) };

/** Sent at the end of an answer, with its protection. */
export const protectionPutSchema = strictObject({
  type: literal('protection-put'),
  messageId: text(64),
  protection: protectionSchema,
});

/**
 * Sent when the user clicks the protection of a message. The host shows the attestation of its
 * model. Null means the selected model.
 */
export const attestationShowSchema = strictObject({
  type: literal('attestation-show'),
  messageId: nullable(text(64)),
});

export type ProtectionView = InferOutput<typeof protectionSchema>;
