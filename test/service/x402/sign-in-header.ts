import type { FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { parseJson } from '../../../src/base/json.ts';
import { ApiError } from '../api-error.ts';

const chainIdSchema = v.union([v.number(), v.string()]);
const commonFields = { address: v.string(), signature: v.string() };
const textPayloadSchema = v.object({
  ...commonFields,
  message: v.string(),
  chainId: v.optional(chainIdSchema),
  type: v.optional(v.string()),
  /** Time of the sign-in in milliseconds since the Unix epoch. */
  timestamp: v.optional(v.number()),
});
const fieldsPayloadSchema = v.object({
  ...commonFields,
  chainId: chainIdSchema,
  domain: v.string(),
  uri: v.string(),
  nonce: v.string(),
  issuedAt: v.string(),
  version: v.optional(v.string()),
  statement: v.optional(v.string()),
  expirationTime: v.optional(v.string()),
  notBefore: v.optional(v.string()),
  timestamp: v.optional(v.number()),
});

/** Content of a sign-in header: the signed text, or the fields from which this text is built. */
export type SignInPayload =
  | v.InferOutput<typeof textPayloadSchema>
  | v.InferOutput<typeof fieldsPayloadSchema>;

/** Returns the value of the sign-in header under its current or former name. Returns undefined without this header. */
export function readSignInHeader({ headers }: FastifyRequest): string | undefined {
  const value = headers['sign-in-with-x'] ?? headers['x-sign-in-with-x'];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Parses the sign-in header.
 * @throws ApiError 401 if the header is invalid
 */
export function parseSignIn(header: string): SignInPayload {
  if (header.length > 8_192 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) {
    throw createSignInError('PARSE_ERROR', 'The sign-in header is not base64');
  }
  const json = parseJson(Buffer.from(header, 'base64').toString('utf8'));
  if (json === undefined) throw createSignInError('PARSE_ERROR', 'The sign-in header is not JSON');
  const result = v.safeParse(v.union([textPayloadSchema, fieldsPayloadSchema]), json);
  if (!result.success) throw createSignInError('INVALID_PAYLOAD', 'The sign-in has missing fields');
  return result.output;
}

export type SignInCode =
  | 'INVALID_PAYLOAD'
  | 'PARSE_ERROR'
  | 'INVALID_MESSAGE'
  | 'ADDRESS_MISMATCH'
  | 'INVALID_CHAIN_ID'
  | 'CHAIN_MISMATCH'
  | 'UNSUPPORTED_CHAIN'
  | 'MISSING_NONCE'
  | 'DOMAIN_MISMATCH'
  | 'TIMESTAMP_MISMATCH'
  | 'EXPIRED'
  | 'FUTURE_TIMESTAMP'
  | 'NOT_BEFORE'
  | 'INVALID_SIGNATURE'
  | 'INVALID_WALLET'
  | 'NONCE_REUSED';

/** Creates the 401 error for an invalid sign-in on inference routes. */
export const createSignInError = (code: SignInCode, error: string): ApiError =>
  new ApiError(401, { error, code: `X402_SIGN_IN_${code}` });
