import * as v from 'valibot';
import type { Address } from 'viem';
import { newKeyFields, termsOf } from '../keys/key-fields.ts';
import { newKeyView } from '../keys/key-view.ts';
import { keyTypes } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import { parseClosed } from '../validation.ts';
import type { World } from '../world.ts';
import { refusal } from './refusals.ts';
import { ChainUnreachable, readAddress, type Stake, type StakingChain } from './staking-chain.ts';

const body = v.object({
  address: v.string(),
  signature: v.string(),
  token: v.string(),
  apiKeyType: v.picklist(keyTypes),
  ...newKeyFields,
});

/**
 * Mints a key for a wallet and says what it is. Refuses for the first of these that is wrong: the fields (in the words
 * of validation), the address, the token's form, its signature, issuer and audience, its age; then on the chain the
 * wallet's signature, and the stake; at last, where that is forbidden, that the token was used before.
 * @throws Problem
 */
export async function mint(world: World, raw: unknown): Promise<object> {
  const { address, signature, token, apiKeyType: type, ...fields } = parseClosed(body, raw);
  const now = world.clock.now();
  const terms = { description: 'Web3 API Key', ...termsOf(fields, now) };
  const planned = world.web3.take('refusal');
  if (planned !== undefined) throw refusal(planned);
  const wallet = readAddress(address);
  if (wallet === undefined) throw refusal('invalid-address');
  const tokenId = await world.tokens.verify(token, now);
  const chain = await world.stakers.chain();
  await checkSignature(chain.hasSigned(wallet, token, signature));
  const stake = await stakeOf(chain, wallet);
  // Nothing is waited for from here on, so two requests cannot both be the first.
  const isNew = world.tokens.use(tokenId);
  if (!isNew && world.web3.lasting.oneKeyPerToken) throw refusal('token-used');
  const accountId = world.stakers.accountOf(wallet, stake).id;
  const { key, secret } = world.keyMaker.make({ accountId, type, terms });
  return newKeyView(key, secret);
}

async function checkSignature(hasSigned: Promise<boolean>): Promise<void> {
  const isRight = await hasSigned.catch((error: unknown) => {
    throw error instanceof ChainUnreachable ? refusal('signature-unverified') : error;
  });
  if (!isRight) throw refusal('wrong-signature');
}

/** The specification has no words for a chain that answers once and then does not. */
async function stakeOf(chain: StakingChain, wallet: Address): Promise<Stake> {
  try {
    const stake = await chain.stakeOf(wallet);
    if (stake.balance > 0n) return stake;
    throw new Problem(400, `Wallet has no staked ${await chain.description()}`);
  } catch (error) {
    if (!(error instanceof ChainUnreachable)) throw error;
    throw new Problem(503, 'The staked balance could not be read. Please try again later.');
  }
}
