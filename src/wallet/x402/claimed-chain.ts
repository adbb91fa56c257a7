import { isAddress, isAddressEqual } from 'viem';
import type { PaymentRequirements } from '../../service/payment-requirements.ts';
import type { Address } from '../chain.ts';

/**
 * Returns the id of the first EVM chain in the payment terms of the service; `undefined` if the terms name none. The
 * service can name any chain, so the user must verify the id.
 */
export function findClaimedChainId({ accepts }: PaymentRequirements): number | undefined {
  for (const { network } of accepts) {
    const chainId = readChainId(
      /^eip155:(?<id>[1-9]\d{0,15})$/u.exec(network)?.groups?.['id'] ?? '',
    );
    if (chainId !== undefined) return chainId;
  }
  return undefined;
}

/**
 * Addresses of Circle's USDC token contract by chain id.
 * @see https://developers.circle.com/stablecoins/usdc-contract-addresses
 */
const usdcByChainId: Readonly<Record<number, Address>> = {
  1: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  10: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
  137: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  8_453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  42_161: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  43_114: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  84_532: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
};

/** Known USDC address of a chain. `isClaimed` is true if the payment terms of the service name the same address. */
interface ProposedUsdc {
  readonly address: Address;
  readonly isClaimed: boolean;
}

/**
 * Returns the known USDC address of a chain. Returns `undefined` for an unknown chain, or if the service names only
 * other tokens on the chain. Never returns an address from the payment terms.
 */
export function findProposedUsdc(
  chainId: number,
  requirements: PaymentRequirements | undefined,
): ProposedUsdc | undefined {
  const address = usdcByChainId[chainId];
  if (address === undefined) return undefined;
  const chainRequirements = (requirements?.accepts ?? []).filter(
    ({ network }) => network === `eip155:${chainId}`,
  );
  const isClaimed = chainRequirements.some(
    ({ asset }) => isAddress(asset, { strict: false }) && isAddressEqual(asset, address),
  );
  return isClaimed || chainRequirements.length === 0 ? { address, isClaimed } : undefined;
}

/** Maximum chain id of EIP-2294. */
const maxChainId = 4_503_599_627_370_476;

/** Parses a chain id (EIP-155) in decimal digits. Returns `undefined` for any other text. */
export function readChainId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/u.test(text.trim()) ? Number(text) : 0;
  return id > 0 && id <= maxChainId ? id : undefined;
}
