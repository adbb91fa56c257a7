import type { WalletWords } from '../../src/wallet/browser/wallet-page-words.ts';
import type { WalletPage } from './wallet-page.ts';

/** What every part of the page draws with, and what its buttons do. */
export interface ViewContext {
  readonly words: WalletWords;
  readonly page: Pick<WalletPage, 'connect' | 'go' | 'cancel'>;
}
