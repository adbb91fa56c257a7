import { isAddress } from 'viem';
import { expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { readPaymentRequirements } from '../../service/payment-requirements.ts';
import { getTopUpRequirements } from '../../service/x402.ts';
import { findClaimedChainId, findProposedUsdc, readChainId } from './claimed-chain.ts';

const createTerms = (networks: readonly string[], asset = '0x1') => {
  const requirement = { scheme: 'exact', amount: '1', asset, payTo: '0x2', maxTimeoutSeconds: 1 };
  const accepts = networks.map((network) => ({ ...requirement, network }));
  return readPaymentRequirements({ x402Version: 2, accepts });
};

const findClaimedId = (...networks: readonly string[]): number | undefined => {
  const requirements = createTerms(networks);
  return requirements && findClaimedChainId(requirements);
};

test('findClaimedChainId returns the first EVM chain of the payment terms', () => {
  expect(findClaimedId('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'eip155:8453', 'eip155:1')).toBe(
    8453,
  );
});

test.each([[[]], [['base']], [['eip155:0']], [['eip155:1e3']], [['eip155:99999999999999999']]])(
  'findClaimedChainId returns no chain for the networks %j',
  (networks: readonly string[]) => {
    expect(findClaimedId(...networks)).toBeUndefined();
  },
);

test.each([
  [' 8453 ', 8453],
  ['0x2105', undefined],
  ['-1', undefined],
  ['', undefined],
  ['9999999999999999', undefined],
])('readChainId reads %j as %s', (text, chainId) => {
  expect(readChainId(text)).toBe(chainId);
});

const usdcAddressOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

test('findProposedUsdc marks the known USDC address as claimed by the service only if the payment terms contain this address', () => {
  const claimedUsdc = { address: usdcAddressOnBase, isClaimed: true };
  expect(
    findProposedUsdc(8453, createTerms(['eip155:8453'], usdcAddressOnBase.toLowerCase())),
  ).toEqual(claimedUsdc);
  const knownUsdc = { address: usdcAddressOnBase, isClaimed: false };
  expect(findProposedUsdc(8453, undefined)).toEqual(knownUsdc);
  expect(findProposedUsdc(8453, createTerms(['eip155:1'], usdcAddressOnBase))).toEqual(knownUsdc);
});

test.each([
  ['the service names another token', 8453, `0x${'12'.repeat(20)}`],
  ['the service names no address', 8453, 'USDC'],
  ['the chain is unknown', 31_337, usdcAddressOnBase],
])('findProposedUsdc proposes no address if %s', (_case, chainId, asset) => {
  expect(findProposedUsdc(chainId, createTerms([`eip155:${chainId}`], asset))).toBeUndefined();
});

test('findProposedUsdc proposes addresses with a valid checksum', () => {
  for (const id of [1, 10, 137, 8_453, 42_161, 43_114, 84_532]) {
    const address = findProposedUsdc(id, undefined)?.address ?? '';
    expect(isAddress(address), address).toBe(true);
  }
});

test.each(['minimal', 'full'] as const)(
  'findClaimedChainId reads the payment terms of a %s deployment',
  async (shape) => {
    await using server = await startStrictDeployment({ shape });
    const { signal } = new AbortController();
    const terms = await getTopUpRequirements(server.connect(), { signal });
    expect(findClaimedChainId(terms)).toBe(8453);
    // The deployment names another token than the known USDC token.
    expect(findProposedUsdc(8453, terms)).toBeUndefined();
  },
);
