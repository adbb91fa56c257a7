import type { WalletWords } from '../protocol.ts';
import { servedPage } from '../../../platform/pages/page-link.ts';

/** The page as it is served: nothing of the flow is in it, and nothing runs but its own script. */
export const walletPageHtml = (words: WalletWords, language: string): string =>
  servedPage({ title: words.title, language, name: 'wallet', words });
