import type { FastifyRequest } from 'fastify';
import { type Address, createPublicClient, getAddress, http, isAddress, isHex } from 'viem';
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe';
import type { ChainFacts } from '../chain/chain-facts.ts';
import type { ServiceState } from '../service-state.ts';
import { parseSignIn, type SignInPayload, createSignInError } from './sign-in-header.ts';

const maxAgeMs = 5 * 60_000;
const maxClockSkewMs = 30_000;
const maxLifetimeMs = 10 * 60_000;

/**
 * Verifies the sign-in, and returns the wallet that signed this request. Marks the nonce as used.
 * @throws ApiError 401 if the sign-in is invalid
 */
export async function verifySignIn(
  state: ServiceState,
  chain: ChainFacts,
  { request, header }: { request: FastifyRequest; header: string },
): Promise<Address> {
  const payload = parseSignIn(header);
  const { address } = payload;
  if (!isAddress(address, { strict: false })) {
    throw createSignInError('INVALID_WALLET', 'The address is not one of an EVM wallet');
  }
  const text = 'message' in payload ? payload.message : buildMessage(payload);
  const message = readMessage(text);
  if (message.address.toLowerCase() !== address.toLowerCase()) {
    throw createSignInError('ADDRESS_MISMATCH', 'The message is about another address');
  }
  checkChain(payload, message, chain);
  checkUrl(message, request);
  const now = state.clock.now();
  checkTimes(payload, message, now);
  await checkSignature(payload, { text, address: getAddress(address), chain });
  if (!state.wallets.tryUseNonce(address, message.nonce, now)) {
    throw createSignInError('NONCE_REUSED', 'The nonce was used already');
  }
  return getAddress(address);
}

type SignInMessage = SiweMessage & { readonly issuedAt: Date };

/** Rebuilds the text that the wallet signed. The payload contains the fields of this text. */
function buildMessage(payload: Exclude<SignInPayload, { message: string }>): string {
  const { domain, uri, nonce, statement, expirationTime, notBefore } = payload;
  try {
    return createSiweMessage({
      address: getAddress(payload.address),
      chainId: parseChainId(payload.chainId) ?? 0,
      domain,
      uri,
      nonce,
      version: '1',
      issuedAt: new Date(payload.issuedAt),
      ...(statement !== undefined && { statement }),
      ...(expirationTime !== undefined && { expirationTime: new Date(expirationTime) }),
      ...(notBefore !== undefined && { notBefore: new Date(notBefore) }),
    });
  } catch {
    throw createSignInError('INVALID_MESSAGE', 'The fields make no EIP-4361 message');
  }
}

function readMessage(text: string): SignInMessage {
  const { nonce, address, chainId, domain, issuedAt, uri, version, ...rest } =
    parseSiweMessage(text);
  if (nonce === undefined || !/^[A-Za-z0-9]{8,}$/.test(nonce)) {
    throw createSignInError('MISSING_NONCE', 'The message has no nonce of 8 letters or more');
  }
  const isComplete =
    address && chainId && domain && uri && version === '1' && isValidDate(issuedAt);
  if (!isComplete) throw createSignInError('INVALID_MESSAGE', 'The message is not one of EIP-4361');
  return { ...rest, nonce, address, chainId, domain, issuedAt, uri, version };
}

const isValidDate = (value: Date | undefined): value is Date =>
  value !== undefined && !Number.isNaN(value.getTime());

function checkChain(payload: SignInPayload, message: SignInMessage, chain: ChainFacts): void {
  const { chainId = message.chainId } = payload;
  const id = parseChainId(chainId);
  if (id === undefined) throw createSignInError('INVALID_CHAIN_ID', 'The chain id is not a number');
  if (id !== message.chainId) {
    throw createSignInError('CHAIN_MISMATCH', 'The message is about another chain');
  }
  if (id !== chain.chainId)
    throw createSignInError('UNSUPPORTED_CHAIN', 'The chain is not supported');
}

/** Parses a chain id: `8453`, `"8453"` and `"eip155:8453"` are equivalent. Returns undefined for other formats. */
function parseChainId(value: number | string): number | undefined {
  const digits = /^(?:eip155:)?(\d{1,15})$/.exec(String(value))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Checks that the message contains the exact URL of the request. A signed message can then not be used for another URL.
 */
function checkUrl({ domain, uri }: SignInMessage, request: FastifyRequest): void {
  if (domain !== request.host || uri !== `http://${request.host}${request.url}`) {
    throw createSignInError('DOMAIN_MISMATCH', 'The message is for another address');
  }
}

function checkTimes({ timestamp }: SignInPayload, message: SignInMessage, now: number): void {
  const issuedAt = message.issuedAt.getTime();
  if (timestamp !== undefined && !(Math.abs(timestamp - issuedAt) <= 30_000)) {
    throw createSignInError('TIMESTAMP_MISMATCH', 'The timestamp is not that of the message');
  }
  if (issuedAt > now + maxClockSkewMs)
    throw createSignInError('FUTURE_TIMESTAMP', 'Issued in the future');
  const expiresAt = message.expirationTime?.getTime() ?? issuedAt + maxAgeMs;
  if (issuedAt <= now - maxAgeMs || !(expiresAt > now)) {
    throw createSignInError('EXPIRED', 'The message has expired');
  }
  if (expiresAt > now + maxLifetimeMs) {
    throw createSignInError('INVALID_MESSAGE', 'The message is valid for too long');
  }
  const notBefore = message.notBefore?.getTime() ?? issuedAt;
  if (!(notBefore <= now + maxClockSkewMs))
    throw createSignInError('NOT_BEFORE', 'It is not valid yet');
}

/**
 * Verifies the signature on the chain, so that contract accounts can sign in (EIP-1271, ERC-6492).
 */
async function checkSignature(
  { signature }: SignInPayload,
  { text, address, chain }: { text: string; address: Address; chain: ChainFacts },
): Promise<void> {
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const isValid =
    isHex(signature) &&
    (await client.verifyMessage({ address, message: text, signature }).catch(() => false));
  if (!isValid) throw createSignInError('INVALID_SIGNATURE', 'The signature is not by this wallet');
}
