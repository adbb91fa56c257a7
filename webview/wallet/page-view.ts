import { parseJson } from '../../src/base/json.ts';
import {
  readWalletPageLabels,
  type WalletPageRequest,
  type WalletPageState,
  type WalletPageLabels,
} from '../../src/wallet/browser/protocol.ts';
import type { LinkEndReason } from '../base/host-link.ts';
import type { FoundWallet } from './provider.ts';

/** All that the page draws. Nothing in it changes in place. */
export interface PageView {
  /** Null until the editor has told it. */
  readonly state: WalletPageState | null;
  /** What the wallet is to be asked now. */
  readonly request: WalletPageRequest | null;
  /** `person`: a button waits to be pressed. `wallet`: the wallet has it. `host`: the editor has the answer. */
  readonly waitsFor: 'person' | 'wallet' | 'host';
  /** The last that the wallet was asked for is a transaction, which it has sent. */
  readonly isSent: boolean;
  readonly wallets: readonly FoundWallet[];
  readonly isSearching: boolean;
  /** The account that the wallet gave in place of the only one that will do. */
  readonly otherAccount: string | null;
  readonly isOffline: boolean;
  readonly end: LinkEndReason | null;
}

export const firstView: PageView = {
  state: null,
  request: null,
  waitsFor: 'host',
  isSent: false,
  wallets: [],
  isSearching: true,
  otherAccount: null,
  isOffline: false,
  end: null,
};

/** The words that the host put into the page. Throws when they are not there: then this is not our page. */
export function pageWords(root: HTMLElement): WalletPageLabels {
  const words = readWalletPageLabels(parseJson(root.dataset['words'] ?? ''));
  if (words === undefined) throw new Error('The page has no words.');
  return words;
}

/** `text` with `value` in the place of `{0}`. */
export const filled = (text: string, value: string): string => text.split('{0}').join(value);
