import type { Json } from '../../../src/base/json.ts';
import { toCaip2Network } from '../../../src/wallet/chain.ts';
import type { ChainFacts } from '../chain/chain-facts.ts';

/** Requirements of one payment (x402 version 2, scheme `exact`). Amounts are in millionths of a dollar. */
export interface PaymentRequirements {
  readonly scheme: string;
  readonly network: `${string}:${string}`;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Minimum amount of a top-up in dollars. */
export const minTopUpUsd = 5;
/** Maximum amount of a top-up in dollars. */
export const maxTopUpUsd = 10_000;
export const suggestedTopUp = 10;

export function createPaymentRequirements(
  chain: Pick<ChainFacts, 'chainId' | 'usdc' | 'payTo'>,
  amount: bigint,
): PaymentRequirements {
  return {
    scheme: 'exact',
    network: toCaip2Network({ id: chain.chainId }),
    amount: String(amount),
    asset: chain.usdc,
    payTo: chain.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  };
}

/** Placeholder values for the payment requirements of a service that runs without a chain. */
export const placeholderChain: Pick<ChainFacts, 'chainId' | 'usdc' | 'payTo'> = {
  chainId: 8453,
  usdc: '0x1111111111111111111111111111111111111111',
  payTo: '0x2222222222222222222222222222222222222222',
};

/** Encodes JSON as base64 for a header. */
export const toBase64Json = (value: Json): string =>
  Buffer.from(JSON.stringify(value)).toString('base64');
