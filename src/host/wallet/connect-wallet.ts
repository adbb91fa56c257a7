import type { ConnectOptions, WalletConnection } from '../../wallet/wallet-connection.ts';
import { WalletError } from '../../wallet/wallet-failure.ts';
import type { Host } from '../host.ts';

/**
 * Connects the account that the person uses: the remembered one, else one they choose, the browser's wallet first.
 * @throws WalletError
 */
export async function connectWallet(
  _host: Host,
  _options: ConnectOptions,
): Promise<WalletConnection> {
  throw new WalletError('no-wallet', 'No wallet was chosen.');
}
