import * as v from 'valibot';
import type { Address } from 'viem';
import { newKeyFields, parseKeyTerms } from '../keys/key-fields.ts';
import { createNewKeyView } from '../keys/key-view.ts';
import { keyTypes } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import { parseClosed } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { createMintRejection } from './rejections.ts';
import {
  ChainUnreachableError,
  readAddress,
  type Stake,
  type StakingChain,
} from './staking-chain.ts';

/** Schema of the body of `POST /api_keys/generate_web3_key`; unknown keys are rejected. */
export const mintBodySchema = v.object({
  address: v.string(),
  signature: v.string(),
  token: v.string(),
  apiKeyType: v.picklist(keyTypes),
  ...newKeyFields,
});

/**
 * Mints a key for a wallet. Checks, in this order: the fields; the address; the format, signature, issuer, audience and
 * age of the token; the wallet's signature and stake on the chain. If each token mints only one key, finally checks
 * that the token is unused.
 * @throws ApiError for the first check that fails
 */
export async function mintKey(state: ServiceState, rawBody: unknown): Promise<object> {
  const {
    address,
    signature,
    token,
    apiKeyType: type,
    ...fields
  } = parseClosed(mintBodySchema, rawBody);
  const now = state.clock.now();
  const terms = { description: 'Web3 API Key', ...parseKeyTerms(fields, now) };
  const plannedRefusal = state.web3.take('refusal');
  if (plannedRefusal !== undefined) throw createMintRejection(plannedRefusal);
  const wallet = readAddress(address);
  if (wallet === undefined) throw createMintRejection('invalid-address');
  const tokenId = await state.tokens.verifyToken(token, now);
  const chain = await state.stakers.getChain();
  await checkSignature(chain.hasSigned(wallet, token, signature));
  const stake = await requireStake(chain, wallet);
  // No `await` may follow, so that two concurrent requests cannot use the same token.
  const isNew = state.tokens.tryMarkUsed(tokenId);
  if (!isNew && state.web3.persistentSettings.oneKeyPerToken)
    throw createMintRejection('token-used');
  const accountId = state.stakers.getAccount(wallet, stake).id;
  const { key, secret } = state.keyIssuer.issueKey({ accountId, type, terms });
  return createNewKeyView(key, secret);
}

async function checkSignature(signatureCheckPromise: Promise<boolean>): Promise<void> {
  const isValidSignature = await signatureCheckPromise.catch((error: unknown) => {
    throw error instanceof ChainUnreachableError
      ? createMintRejection('signature-unverified')
      : error;
  });
  if (!isValidSignature) throw createMintRejection('wrong-signature');
}

/**
 * Returns the wallet's stake.
 * @throws ApiError 400 if the stake is zero, or 503 if the chain is unreachable. The specification defines no error for
 * the latter.
 */
async function requireStake(chain: StakingChain, wallet: Address): Promise<Stake> {
  try {
    const stake = await chain.readStake(wallet);
    if (stake.balance > 0n) return stake;
    throw new ApiError(400, `Wallet has no staked ${await chain.readDescription()}`);
  } catch (error) {
    if (!(error instanceof ChainUnreachableError)) throw error;
    throw new ApiError(503, 'The staked balance could not be read. Please try again later.');
  }
}
