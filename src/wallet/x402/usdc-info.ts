import * as l10n from '@vscode/l10n';
import { getAddress } from 'viem';
import { hasHiddenCharacters } from '../../base/visible-text.ts';
import { type CheckedChain, readChain, type TokenInfo, usdcAbi } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/** The token for top-ups, with its EIP-712 domain, the payer's balance, and the time and number of the latest block. */
export interface UsdcInfo extends TokenInfo {
  /** Name of the token's EIP-712 domain. */
  readonly name: string;
  readonly version: string;
  /** Balance of the payer, in the token's smallest unit. */
  readonly balance: bigint;
  /** Time of the latest block, in seconds since the Unix epoch. */
  readonly blockTime: bigint;
  readonly blockNumber: bigint;
}

/**
 * Number of decimals of USDC, for amounts and the spending limit. Not read from the node, because a wrong number would
 * change the value of the amounts.
 */
export const usdcDecimals = 6;

/**
 * Reads the USDC token and the payer's balance.
 * @throws WalletError with one of the codes `no-chain`, `chain-unreachable`, `not-a-contract` or `stopped`
 */
export async function readUsdcInfo(
  { client, usdc }: CheckedChain,
  payer: Address,
  signal: AbortSignal,
): Promise<UsdcInfo> {
  if (usdc === undefined) {
    throw new WalletError('no-chain', l10n.t('The setting {0} is missing.', 'usdc'));
  }
  if (usdc.decimals !== usdcDecimals) {
    throw new WalletError(
      'not-a-contract',
      l10n.t('{0} is not the expected contract.', `${usdc.address} (decimals: ${usdc.decimals})`),
    );
  }
  const contract = { address: usdc.address, abi: usdcAbi } as const;
  const [name, version, balance, block] = await readChain('usdc', signal, () =>
    Promise.all([
      client.readContract({ ...contract, functionName: 'name' }),
      client.readContract({ ...contract, functionName: 'version' }),
      client.readContract({ ...contract, functionName: 'balanceOf', args: [payer] }),
      client.getBlock({ blockTag: 'latest' }),
    ]),
  );
  checkDomainText(name, 64);
  checkDomainText(version, 16);
  const address = getAddress(usdc.address);
  const { timestamp: blockTime, number: blockNumber } = block;
  return { ...usdc, address, name, version, balance, blockTime, blockNumber };
}

/**
 * Rejects a token name or version that is too long or has hidden characters, because both are part of the signed text.
 */
function checkDomainText(text: string, maxLength: number): void {
  const isShort = text.length > 0 && text.length <= maxLength;
  if (isShort && !/[\r\n\t]/.test(text) && !hasHiddenCharacters(text)) return;
  throw new WalletError('not-a-contract', l10n.t('{0} is not the expected contract.', 'USDC'));
}
