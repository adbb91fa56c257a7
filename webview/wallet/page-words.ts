import { parseJson } from '../../src/base/json.ts';
import { readWalletWords, type WalletWords } from '../../src/wallet/browser/wallet-page-words.ts';

/** The words that the host put into the page. Throws when they are not there: then this is not our page. */
export function pageWords(root: HTMLElement): WalletWords {
  const words = readWalletWords(parseJson(root.dataset['words'] ?? ''));
  if (words === undefined) throw new Error('The page has no words.');
  return words;
}

/** `text` with `value` in the place of `{0}`. */
export const filled = (text: string, value: string): string => text.split('{0}').join(value);
