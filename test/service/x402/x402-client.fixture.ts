import { randomBytes } from 'node:crypto';
import { getAddress, toHex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage, type CreateSiweMessageParameters } from 'viem/siwe';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { createPaymentRequirements } from './requirements.ts';

export const createSigner = (chain: ChainFacts, index: number): PrivateKeyAccount =>
  privateKeyToAccount(chain.accounts[index]!.privateKey);

export const toBase64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

export interface SignInOptions {
  readonly account: PrivateKeyAccount;
  readonly url: string;
  /** Values that replace fields of the sign-in message before the wallet signs it. */
  readonly message?: Partial<CreateSiweMessageParameters>;
  /** Values that replace fields of the header's payload. The signature still belongs to the original message. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly chainId: number;
}

/** Creates the value of a sign-in header for one request. */
export async function createSignIn(options: SignInOptions): Promise<string> {
  const { account, url, chainId } = options;
  const message = createSiweMessage({
    address: account.address,
    domain: new URL(url).host,
    uri: url,
    version: '1',
    chainId,
    nonce: randomBytes(8).toString('hex'),
    issuedAt: new Date(),
    statement: 'Sign in',
    ...options.message,
  });
  const signature = await account.signMessage({ message });
  const validBody = { address: account.address, message, signature, chainId };
  return toBase64({ ...validBody, timestamp: Date.now(), ...options.payload });
}

export interface PaymentOptions {
  readonly account: PrivateKeyAccount;
  /** Amount in millionths of a dollar. */
  readonly amount?: bigint;
  readonly authorization?: Readonly<Record<string, unknown>>;
  readonly accepted?: Readonly<Record<string, unknown>>;
  /** Values that replace fields of the EIP-712 domain before the payment is signed. */
  readonly domain?: Readonly<Record<string, unknown>>;
}

const eip712Types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Creates a signed payment as JSON. Use {@link toBase64} to encode it for the header. */
export async function createPayment(chain: ChainFacts, options: PaymentOptions) {
  const { account, amount = 5_000_000n } = options;
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: account.address,
    to: chain.payTo,
    value: String(amount),
    validAfter: String(now - 600),
    validBefore: String(now + 300),
    nonce: toHex(randomBytes(32)),
    ...options.authorization,
  };
  const signature = await account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: chain.chainId,
      verifyingContract: getAddress(chain.usdc),
      ...options.domain,
    },
    types: eip712Types,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  });
  const accepted = { ...createPaymentRequirements(chain, amount), ...options.accepted };
  return { x402Version: 2, accepted, payload: { signature, authorization } };
}
