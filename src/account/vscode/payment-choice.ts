import * as vscode from 'vscode';
import type { KeyState } from '../key-state.ts';
import { isRecord } from '../../base/json.ts';
import { showInformation } from '../../platform/notifications.ts';
import { setSetting, getSetting } from '../../platform/settings.ts';

/** Account address: 20 bytes in hexadecimal. */
type Address = `0x${string}`;

const payingAccountEntryName = 'wallet.payingAccount';

/**
 * Checks whether a wallet signs requests in place of a key. Runs at startup, so the function loads
 * no wallet code.
 */
export const paysPerRequest = (): boolean => getSetting('inferenceService.wallet.payPerRequest');

export const startPayingPerRequest = (): Promise<void> =>
  setSetting('inferenceService.wallet.payPerRequest', true);

export const stopPayingPerRequest = (): Promise<void> =>
  setSetting('inferenceService.wallet.payPerRequest', undefined);

/**
 * Returns the wallet that signs requests to `origin`, without its secret. Returns undefined if
 * requests use a key, or if the user chose the wallet for another origin.
 */
export function getWalletState(
  state: vscode.Memento,
  origin: string | undefined,
): Extract<KeyState, { kind: 'wallet' | 'no-wallet' }> | undefined {
  if (!paysPerRequest()) return undefined;
  const payingAccount = readPayingAccount(state);
  if (payingAccount === undefined) return { kind: 'no-wallet' };
  return payingAccount.origin === origin
    ? { kind: 'wallet', address: payingAccount.address }
    : undefined;
}

/** Returns the address of the local account that the user chose to pay for requests to `origin`. */
export function getPayingAddress(state: vscode.Memento, origin: string): Address | undefined {
  const payingAccount = readPayingAccount(state);
  return payingAccount?.origin === origin ? payingAccount.address : undefined;
}

/** Returns the chain id that the user entered for sign-ins to `origin`. */
export function getPayingChainId(state: vscode.Memento, origin: string): number | undefined {
  const payingAccount = readPayingAccount(state);
  return payingAccount?.origin === origin ? payingAccount.chainId : undefined;
}

/** A local account and the only origin that the account may sign in to. */
export interface PayingAccount {
  readonly address: Address;
  readonly origin: string;
  /** Chain id that the user entered for the sign-in messages; absent if sign-ins use the configured chain. */
  readonly chainId?: number;
}

export const savePayingAccount = async (
  state: vscode.Memento,
  account: PayingAccount | undefined,
): Promise<void> => state.update(payingAccountEntryName, account);

function readPayingAccount(state: vscode.Memento): PayingAccount | undefined {
  const json: unknown = state.get(payingAccountEntryName);
  if (!isRecord(json)) return undefined;
  const { address, origin, chainId } = json;
  const isAddress = typeof address === 'string' && /^0x[0-9a-fA-F]{40}$/.test(address);
  return isAddress && typeof origin === 'string'
    ? {
        ...{ address: address as Address, origin },
        ...(typeof chainId === 'number' && Number.isSafeInteger(chainId) ? { chainId } : {}),
      }
    : undefined;
}

/** Runs `store`, which stores a key. If the stored key ends payment by wallet, notifies the user. */
export async function storeKeyAndNotify<T>(store: () => Promise<T>): Promise<T> {
  const wasPayingByWallet = paysPerRequest();
  const result = await store();
  if (wasPayingByWallet && !paysPerRequest()) {
    void showInformation(vscode.l10n.t('Requests use the API key now, not the wallet.'));
  }
  return result;
}
