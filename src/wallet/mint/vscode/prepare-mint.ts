import type { Profile } from '../../../account/profile.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { openChain } from '../../chain-client.ts';
import type { Chain } from '../../chain.ts';
import type { Mint } from '../mint.ts';
import { hostOf } from '../../../account/vscode/account-view.ts';
import type { Account } from '../../../account/vscode/account.ts';
import type { Host } from '../../../host.ts';
import { mintReview } from './mint-review.ts';
import { stateJournal } from './mint-journal.ts';

/** What is fixed before a wallet is opened. */
export interface ToPrepare extends Pick<Mint, 'signer' | 'options' | 'signal'> {
  /** As it was when the person or program asked: the key is kept for its address. */
  readonly profile: Profile;
  readonly chain: Chain;
}

/**
 * What minting at the profile's address needs, bound to that address whatever is set meanwhile.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export function prepareMint(
  { account }: Pick<Host, 'account'>,
  { profile, chain, signer, options, signal }: ToPrepare,
): Mint {
  const host = hostOf(profile);
  const isInUse = account.profile === profile && account.key.kind === 'usable';
  const replaces = options.type === 'INFERENCE' && isInUse;
  const service = serviceAt(profile, account);
  const { address } = signer;
  return {
    ...{ signer, options, signal, service },
    chain: openChain(chain),
    journal: stateJournal(account.state, host),
    review: (token) =>
      mintReview({ host, address, options, replaces, token, now: service.clock.now() }),
  };
}

/** A token must not go to another address than it came from, and no key is needed. */
function serviceAt({ baseUrl, vendorWord }: Profile, { service }: Account): ServiceContext {
  const endpoint = { baseUrl: parseBaseUrl(baseUrl), vendorWord };
  return { ...service, endpoint: async () => endpoint };
}
