import { parseJson } from '../../src/base/json.ts';
import {
  readWalletPageLabels,
  type WalletPageRequest,
  type WalletPageState,
  type WalletPageLabels,
} from '../../src/wallet/browser/protocol.ts';
import type { ConnectionEndReason } from '../base/host-connection.ts';
import type { FoundWallet } from './provider.ts';

/** Immutable view model of the page. */
export interface PageView {
  /** State that the host sent last. Null until the host sends the first state. */
  readonly state: WalletPageState | null;
  /** Pending wallet request, or null. */
  readonly request: WalletPageRequest | null;
  /** Party that must act next: the user (by pressing a button), the wallet, or VS Code. */
  readonly waitsFor: 'user' | 'wallet' | 'host';
  /** True if the last request was a transaction, and the wallet has sent it. */
  readonly isSent: boolean;
  readonly wallets: readonly FoundWallet[];
  readonly isSearching: boolean;
  /** Account that the wallet uses although the request requires another account. Null otherwise. */
  readonly otherAccount: string | null;
  readonly isOffline: boolean;
  readonly endReason: ConnectionEndReason | null;
}

export const initialView: PageView = {
  state: null,
  request: null,
  waitsFor: 'host',
  isSent: false,
  wallets: [],
  isSearching: true,
  otherAccount: null,
  isOffline: false,
  endReason: null,
};

/**
 * Reads the texts that the host wrote into the page.
 * @throws if the texts are missing or invalid, which means that the extension did not create the page
 */
export function readLabels(root: HTMLElement): WalletPageLabels {
  const labels = readWalletPageLabels(parseJson(root.dataset['translations'] ?? ''));
  if (labels === undefined) throw new Error('The page contains no texts.');
  return labels;
}

/** Replaces each `{0}` in `text` with `value`. */
export const fillPlaceholder = (text: string, value: string): string =>
  text.split('{0}').join(value);
