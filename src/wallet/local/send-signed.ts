import { keccak256 } from 'viem';
import { type ChainClient, readChain } from '../chain-client.ts';
import type { Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/**
 * Hands a signed transaction to the chain and returns its hash, which is ours, not what the node says. Stopping comes
 * too late here: it is sent in any case.
 * @throws WalletError `transaction-unknown` with the hash when nobody can say whether the node has it
 */
export async function sendSigned(client: ChainClient, signed: Hex): Promise<Hash> {
  const hash = keccak256(signed);
  const signal = AbortSignal.timeout(sendTimeoutMs);
  try {
    await readChain('the transaction', signal, () =>
      client.sendRawTransaction({ serializedTransaction: signed }),
    );
  } catch {
    // A repeated sending is refused as known; the node has it all the same.
    if (!(await isKnown(client, hash))) throw unknown(hash);
  }
  return hash;
}

const sendTimeoutMs = 60_000;
const lookTimeoutMs = 15_000;

async function isKnown(client: ChainClient, hash: Hash): Promise<boolean> {
  const look = readChain('the transaction', AbortSignal.timeout(lookTimeoutMs), () =>
    client.getTransaction({ hash }),
  );
  return look.then(
    () => true,
    () => false,
  );
}

const unknown = (hash: Hash): WalletError =>
  new WalletError(
    'transaction-unknown',
    'The node did not say that it took the transaction.',
    hash,
  );
