import * as vscode from 'vscode';
import type { SignIn } from '../../../service/http/client.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { chainOf } from '../../vscode/chain-settings.ts';
import { payingAccount } from '../../../account/vscode/payment-choice.ts';
import { payingSigner } from './paying-signer.ts';
import { requestSignIn, signInWhereTaken } from './wallet-context.ts';

export interface PayingSignInOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>;
  readonly account: Pick<Account, 'profileId' | 'serviceClock'>;
  readonly baseUrl: URL;
  /** For routes that take no wallet. */
  readonly apiKey?: string;
}

/** What signs the requests of an account that a wallet pays for. Loaded with the first of them. */
export function payingSignIn(options: PayingSignInOptions): SignIn {
  const { account } = options;
  const wallet: SignIn = async (request) => {
    const { chain, signer } = payer(options);
    return requestSignIn(account, { chain, signer: async () => signer })(request);
  };
  return signInWhereTaken(wallet, options);
}

function payer({ context, account, baseUrl }: PayingSignInOptions) {
  const address = payingAccount(context.globalState, baseUrl.origin);
  try {
    if (address === undefined)
      throw new WalletError('no-wallet', vscode.l10n.t('No account was chosen.'));
    const chain = chainOf(account);
    return { chain, signer: payingSigner(context, { address, chain }) };
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    throw new ServiceError({
      code: 'no-wallet',
      message: vscode.l10n.t(
        'Requests are to be paid by a wallet, but it cannot sign: its account or chain is not set up. Choose a wallet, or set an API key.',
      ),
      detail: error.failure.detail,
    });
  }
}
