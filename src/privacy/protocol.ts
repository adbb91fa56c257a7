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

/**
 * Protection of an answer: none, a verified enclave, or end-to-end encryption. Contains the texts with which the chat
 * page describes the protection.
 */
export const protectionSchema = strictObject({
  kind: picklist(['none', 'attested', 'encrypted']),
  /** Short name of the protection, such as `Encrypted end to end`. */
  label: createBoundedTextSchema(80),
  /** Sentences that explain the protection and list the features removed from the request. */
  detail: createBoundedTextSchema(1_000),
});

/**
 * Property of a chat message that states whether the answer was encrypted or came from a verified enclave. Absent if
 * the model offered neither.
 */
export const messageProtection = { protection: exactOptional(protectionSchema) };

/** Message to the chat page that contains the protection of an answer. Sent at the end of the answer. */
export const protectionPutSchema = strictObject({
  type: literal('protection-put'),
  messageId: createBoundedTextSchema(64),
  protection: protectionSchema,
});

/**
 * Message of the chat page, sent when the user clicks the protection label of an answer. The host shows the attestation
 * of the model that wrote the answer or, if `messageId` is null, of the selected model.
 */
export const attestationShowSchema = strictObject({
  type: literal('attestation-show'),
  messageId: nullable(createBoundedTextSchema(64)),
});

export type ProtectionView = InferOutput<typeof protectionSchema>;
