import type { ServiceContext } from '../../../service/client.ts';
import { openChain } from '../../../wallet/chain-client.ts';
import type { Mint } from '../../../wallet/mint/mint.ts';
import { hostOf } from '../../account/account-words.ts';
import type { Account } from '../../account/account.ts';
import type { Host } from '../../host.ts';
import { chainOf } from '../chain-settings.ts';
import { mintReview } from './mint-review.ts';
import { stateJournal } from './state-journal.ts';

/**
 * What minting at the active profile's address needs, bound to that address whatever is set meanwhile.
 * @throws ServiceError `no-address`, `invalid-address`; WalletError `no-chain`
 */
export async function prepareMint(
  { account }: Pick<Host, 'account'>,
  { signer, options, signal }: Pick<Mint, 'signer' | 'options' | 'signal'>,
): Promise<Mint> {
  const chain = openChain(chainOf(account));
  const host = hostOf(account.profile);
  const replaces = options.type === 'INFERENCE' && account.key.kind === 'usable';
  const service = await serviceAsItIs(account);
  const { address } = signer;
  return {
    ...{ signer, options, signal, service, chain },
    journal: stateJournal(account.state, host),
    review: (token) =>
      mintReview({ host, address, options, replaces, token, now: service.clock.now() }),
  };
}

/** A token must not go to another address than it came from, and no key is needed. */
async function serviceAsItIs({ service }: Account): Promise<ServiceContext> {
  const { baseUrl, vendorWord } = await service.endpoint();
  return { ...service, endpoint: async () => ({ baseUrl, vendorWord }) };
}
