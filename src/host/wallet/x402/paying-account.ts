import type * as vscode from 'vscode';
import type { KeyState } from '../../../account/key-state.ts';
import type { Address } from '../../../wallet/evm.ts';
import { setUserSetting, userSetting } from '../../settings.ts';

const setting = 'inferenceService.wallet.payPerRequest';
const stateName = 'wallet.payingAccount';

/** Whether requests are signed by a wallet in place of a key. Read at start, so nothing of wallets is loaded for it. */
export const paysPerRequest = (): boolean => userSetting(setting) === true;

export const startPayingPerRequest = (): Promise<void> => setUserSetting(setting, true);

export const stopPayingPerRequest = (): Promise<void> => setUserSetting(setting, undefined);

/** The wallet that pays for requests, as far as it is known without its secret. */
export function walletState(
  state: vscode.Memento,
): Extract<KeyState, { kind: 'wallet' | 'no-wallet' }> {
  const address = payingAccount(state);
  return address === undefined ? { kind: 'no-wallet' } : { kind: 'wallet', address };
}

/** The address of the local account that the person chose to pay for requests. */
export function payingAccount(state: vscode.Memento): Address | undefined {
  const address = state.get(stateName);
  const isAddress = typeof address === 'string' && /^0x[0-9a-fA-F]{40}$/.test(address);
  return isAddress ? (address as Address) : undefined;
}

export const choosePayingAccount = async (
  state: vscode.Memento,
  address: Address | undefined,
): Promise<void> => state.update(stateName, address);
