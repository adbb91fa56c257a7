import type { FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { isRecord, type Json, parseJson } from '../../../src/base/json.ts';
import { toCaip2Network } from '../../../src/wallet/chain.ts';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { ApiError } from '../api-error.ts';
import { maxTopUpUsd, minTopUpUsd } from './requirements.ts';

const headerNames = ['payment-signature', 'x-402-payment', 'x-payment'] as const;

const createHexSchema = (digitCount: number) =>
  v.pipe(
    v.string(),
    v.regex(new RegExp(`^0x[0-9a-fA-F]{${digitCount}}$`)),
    v.transform((text) => text as `0x${string}`),
  );
const secondsSchema = v.pipe(v.string(), v.regex(/^\d{1,18}$/));
const payloadSchema = v.object({
  signature: v.pipe(
    v.string(),
    v.regex(/^0x(?:[0-9a-fA-F]{2})+$/),
    v.transform((text) => text as `0x${string}`),
  ),
  authorization: v.object({
    from: v.string(),
    to: v.string(),
    value: v.string(),
    validAfter: secondsSchema,
    validBefore: secondsSchema,
    nonce: createHexSchema(64),
  }),
});

/** Signed token transfer (EIP-3009) whose format, recipient and amount are valid. */
export type Payment = v.InferOutput<typeof payloadSchema>;

export function readPaymentHeader({ headers }: FastifyRequest): string | undefined {
  const value = headerNames.map((name) => headers[name]).find((header) => header !== undefined);
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Parses a payment of x402 version 2, or of the older format without nesting.
 * @throws ApiError 400 if the payment is invalid
 */
export function parsePayment(header: string, chain: ChainFacts): Payment {
  const json = /^[A-Za-z0-9+/]+={0,2}$/.test(header)
    ? parseJson(Buffer.from(header, 'base64').toString('utf8'))
    : undefined;
  if (!isRecord(json) || !isRecord(json['payload'])) {
    throw createPaymentError(
      'INVALID_PAYMENT_FORMAT',
      'The payment header is not base64 of a payment',
    );
  }
  checkTerms(isRecord(json['accepted']) ? json['accepted'] : toTerms(json), chain);
  const result = v.safeParse(payloadSchema, json['payload']);
  if (!result.success)
    throw createPaymentError('INVALID_PAYMENT', 'The payment has no signed authorization');
  checkAuthorization(result.output, chain);
  return result.output;
}

/** Reads scheme and network from a payment in the older format, in which the name of the network is `base`. */
const toTerms = ({ scheme, network }: Record<string, unknown>): Record<string, unknown> => ({
  scheme,
  network: network === 'base' ? 'eip155:8453' : network,
});

function checkTerms(terms: Record<string, unknown>, chain: ChainFacts): void {
  const { scheme, network, asset = chain.usdc, payTo = chain.payTo } = terms;
  if (scheme !== 'exact')
    throw createPaymentError('UNSUPPORTED_SCHEME', 'Only exact payments are taken');
  if (network !== toCaip2Network({ id: chain.chainId })) {
    throw createPaymentError('UNSUPPORTED_NETWORK', 'Payments on this network are not taken');
  }
  if (!isSameAddress(asset, chain.usdc))
    throw createPaymentError('UNSUPPORTED_TOKEN', 'Only USDC is taken');
  if (!isSameAddress(payTo, chain.payTo)) throw createWrongRecipientError();
}

function checkAuthorization({ authorization }: Payment, chain: ChainFacts): void {
  const { from, to, value } = authorization;
  if (!/^0x[0-9a-fA-F]{40}$/.test(from)) {
    throw createPaymentError('INVALID_PAYMENT_PAYER', 'The payer is not an address');
  }
  if (!isSameAddress(to, chain.payTo)) throw createWrongRecipientError();
  if (!/^[1-9]\d{0,30}$/.test(value))
    throw createPaymentError('INVALID_AMOUNT', 'The amount is not a number');
  if (BigInt(value) < BigInt(minTopUpUsd) * 1_000_000n) {
    throw createPaymentError('AMOUNT_TOO_LOW', `The least is $${minTopUpUsd}`);
  }
  if (BigInt(value) > BigInt(maxTopUpUsd) * 1_000_000n) {
    throw createPaymentError('AMOUNT_TOO_HIGH', `The most is $${maxTopUpUsd}`);
  }
}

const isSameAddress = (value: unknown, address: string): boolean =>
  typeof value === 'string' && value.toLowerCase() === address.toLowerCase();

const createWrongRecipientError = (): ApiError =>
  createPaymentError('INVALID_PAYMENT_RECIPIENT', 'The payment is to somebody else');

/** Creates the 400 error for a rejected payment, with an error code such as `INVALID_PAYMENT`. */
export const createPaymentError = (code: string, message: string, details?: Json): ApiError =>
  new ApiError(400, { error: code, message, ...(details !== undefined && { details }) });
