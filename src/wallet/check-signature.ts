import * as l10n from '@vscode/l10n';
import { verifyMessage } from 'viem';
import type { ChainClient } from './chain-client.ts';
import type { Address, Hex } from './evm.ts';
import { WalletError } from './wallet-failure.ts';

interface SignedMessage {
  readonly address: Address;
  readonly message: string;
  readonly signature: Hex;
}

/** A wrapped signature of a contract that is not there yet (ERC-6492) has a few kilobytes. */
const longestSignature = 32 * 1024;

/**
 * Makes sure that `signature` is by `address` over exactly `message` (EIP-191): of a plain account without asking
 * anybody, of a contract by asking the chain (EIP-1271, ERC-6492).
 * @throws WalletError `wallet-lied`, `chain-unreachable`
 */
export async function checkSignature(signed: SignedMessage, chain?: ChainClient): Promise<void> {
  const { signature } = signed;
  const isHex = signature.length <= longestSignature && /^0x(?:[0-9a-f]{2})+$/i.test(signature);
  if (isHex && ((await isByAccount(signed)) || (await isByContract(signed, chain)))) return;
  throw new WalletError(
    'wallet-lied',
    l10n.t('The signature is not by the account over the message.'),
  );
}

/** Only the signature of a contract makes this throw: it is not of the right length. */
const isByAccount = (signed: SignedMessage): Promise<boolean> =>
  verifyMessage(signed).catch(() => false);

async function isByContract(signed: SignedMessage, chain?: ChainClient): Promise<boolean> {
  if (chain === undefined) return false;
  try {
    return await chain.verifyMessage(signed);
  } catch {
    // Its own words can quote the signature.
    throw new WalletError('chain-unreachable', 'The chain could not be asked about the signature.');
  }
}
