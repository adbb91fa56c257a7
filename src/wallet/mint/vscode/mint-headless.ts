import type { Profile } from '../../../account/profile.ts';
import { systemClock } from '../../../base/clock.ts';
import { defined, type JsonRecord } from '../../../base/json.ts';
import type { NewKey } from '../../../service/key-record.ts';
import { MintError } from '../../../service/web3-key.ts';
import { openChain } from '../../chain-client.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Host } from '../../../host.ts';
import { chainOf } from '../../vscode/chain-settings.ts';
import { environmentAccount } from './environment-account.ts';
import { keepMintedKey, showUnkeptKey } from './keep-minted-key.ts';
import type { MintResult } from './mint-result.ts';
import { mintWith } from './mint-with.ts';
import type { ToPrepare } from './prepare-mint.ts';
import { isMintFailure, mintFailureWords } from './mint-messages.ts';
import { optionProblemWords } from './option-labels.ts';
import { readAsked } from './read-asked.ts';

interface Asked {
  /** That the key is for. */
  readonly profile: Profile;
  /** As the caller gave it, unchecked. */
  readonly options: JsonRecord;
  /** Whether the caller may have the key itself. */
  readonly mayReturn: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Mints a key for a profile with the account that the environment names. Asks nothing, and shows
 * nothing but a key that could not be stored and that the caller may not have. What the options leave out is as
 * recommended: an inference key for 90 days with a limit.
 */
export async function mintHeadless(
  host: Pick<Host, 'account' | 'log'>,
  { profile, options: asked, mayReturn, environment }: Asked,
): Promise<MintResult> {
  const { read, keystore, stores } = readAsked(asked, systemClock.now());
  if (!read.ok) return refused(`invalid-${read.problem}`, optionProblemWords(read.problem));
  if (!stores && !mayReturn) return refused('not-allowed', notAllowed);
  const { signal } = new AbortController();
  try {
    const chain = chainOf({ profileId: profile.id });
    const signer = await environmentAccount(defined({ environment, keystore }), openChain(chain));
    const { options } = read;
    return await mintAndKeep(host, { profile, chain, signer, options, signal, stores, mayReturn });
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    const problem = error instanceof MintError ? error.problem : error.failure.code;
    host.log.warn(`No API key was created: ${problem}.`);
    const isOfWallet = error instanceof WalletError;
    return refused(problem, isOfWallet ? error.failure.detail : mintFailureWords(error));
  }
}

interface ToMint extends ToPrepare {
  readonly stores: boolean;
  readonly mayReturn: boolean;
}

async function mintAndKeep(
  { account }: Pick<Host, 'account'>,
  { stores, mayReturn, ...request }: ToMint,
): Promise<MintResult> {
  let stored = false;
  const keep = async (key: NewKey): Promise<void> => {
    stored = stores && (await keepMintedKey(account, request.profile, key));
    if (!stored && !mayReturn) await showUnkeptKey(key);
  };
  const { apiKey, record } = await mintWith({ account }, { ...request, keep });
  if (stored) return { stored, record };
  return mayReturn ? { stored, record, apiKey } : refused('not-stored', notStored);
}

const notStored =
  'The editor’s secret storage did not accept the key. It was shown to the person, and is kept nowhere.';

const notAllowed =
  'A key is returned instead of kept only when INFERENCE_SERVICE_ALLOW_MINT is set to 1 in the environment of the editor.';

const refused = (problem: string, message: string): MintResult => ({
  stored: false,
  problem,
  message,
});
