import type { WalletPageEvent } from '../../src/wallet/browser/protocol.ts';
import type { Provider } from './provider.ts';
import { readChainId } from './wallet-calls.ts';

interface Watched {
  /** The account that must stay chosen, in lower case. */
  account(): string;
  /** The chain that the wallet must stay on; undefined while any will do. */
  chainId(): number | undefined;
  tell(event: WalletPageEvent): void;
}

/** Tells when the wallet changes by itself to what it must not (EIP-1193). */
export function watchWallet(provider: Provider, watched: Watched): void {
  try {
    provider.on?.('accountsChanged', (accounts) => {
      const [first] = Array.isArray(accounts) ? (accounts as readonly unknown[]) : [];
      if (String(first).toLowerCase() !== watched.account()) watched.tell('account-changed');
    });
    provider.on?.('chainChanged', (id) => {
      const wanted = watched.chainId();
      if (wanted !== undefined && readChainId(id) !== wanted) watched.tell('wrong-chain');
    });
    provider.on?.('disconnect', () => watched.tell('disconnected'));
  } catch {
    // A wallet without events: account and chain are read anew before everything that is asked of it.
  }
}
