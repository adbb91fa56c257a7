import * as l10n from '@vscode/l10n';
import { getAddress, isAddress, isAddressEqual, toHex, zeroAddress } from 'viem';
import { isSameOrigin } from '../../service/http/endpoint.ts';
import {
  encodeHeaderJson,
  type PaymentRequirement,
  type PaymentRequirements,
} from '../../service/payment-requirements.ts';
import { type Address, type Chain, type Hex, toCaip2Network } from '../chain.ts';
import type { TypedData } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import type { UsdcInfo } from './usdc-info.ts';

/** Values that the service's payment requirement must match. They come from the settings and the chain. */
export interface ExpectedRequirement {
  readonly chain: Chain;
  readonly usdc: UsdcInfo;
  readonly payer: Address;
  /** Base URL of the service. */
  readonly baseUrl: URL;
}

export interface ExpectedPayment extends ExpectedRequirement {
  /** Amount entered by the user, in the token's smallest unit. */
  readonly amount: bigint;
  /** Maximum amount per payment from the user's settings, in the token's smallest unit. */
  readonly ceiling: bigint;
  /** Recipient of the last payment to this service in this token. Absent before the first payment. */
  readonly knownPayee?: Address;
}

/** A payment requirement of the service that passed all checks. */
export interface CheckedRequirement {
  readonly requirement: PaymentRequirement;
  readonly payTo: Address;
  /** Minimum amount, in the token's smallest unit. */
  readonly minAmount: bigint;
  /** Lifetime of a signed payment in seconds. */
  readonly lifetimeSeconds: number;
}

/** A payment that passed all checks. It may be shown to the user and signed. */
export interface CheckedPayment {
  /** The service's requirement, with the amount that the user entered. */
  readonly accepted: PaymentRequirement;
  readonly payTo: Address;
  readonly payeeStatus: 'known' | 'new' | 'changed';
  readonly amount: bigint;
  /** Lifetime of the signed payment in seconds. */
  readonly lifetimeSeconds: number;
}

const maxLifetimeSeconds = 600;

/**
 * Finds the payment requirement that matches the settings and the chain, and checks its fields.
 * @throws WalletError `unsafe-request` if a field differs from its expected value
 */
export function checkRequirement(
  requirements: PaymentRequirements,
  expected: ExpectedRequirement,
): CheckedRequirement {
  const requirement = findRequirement(requirements, expected);
  const payTo = checkPayee(requirement, expected);
  checkExtra(requirement, expected.usdc);
  return {
    requirement,
    payTo,
    minAmount: parseMinAmount(requirement),
    lifetimeSeconds: checkLifetime(requirement),
  };
}

/**
 * Checks a payment of the amount that the user entered. Signs nothing.
 * @throws WalletError under the same conditions as {@link checkRequirement}; `invalid-amount` or `insufficient-funds`
 *   if the amount cannot be paid
 */
export function checkPayment(
  requirements: PaymentRequirements,
  expected: ExpectedPayment,
): CheckedPayment {
  const { amount, knownPayee } = expected;
  const { requirement, payTo, minAmount, lifetimeSeconds } = checkRequirement(
    requirements,
    expected,
  );
  checkAmount(minAmount, expected);
  const accepted = { ...requirement, amount: String(amount) };
  return {
    accepted,
    payTo,
    payeeStatus: classifyPayee(payTo, knownPayee),
    amount,
    lifetimeSeconds,
  };
}

function classifyPayee(
  payTo: Address,
  knownPayee: Address | undefined,
): CheckedPayment['payeeStatus'] {
  if (knownPayee === undefined) return 'new';
  return isAddressEqual(knownPayee, payTo) ? 'known' : 'changed';
}

/**
 * Finds the service's requirement with the scheme `exact`, the configured chain and the configured
 * token. Other requirements are not supported.
 */
function findRequirement(
  requirements: PaymentRequirements,
  { chain, usdc, baseUrl }: ExpectedRequirement,
): PaymentRequirement {
  if (requirements.version !== 2)
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'x402Version'),
    );
  if (requirements.resource !== undefined && !isBelowBaseUrl(requirements.resource, baseUrl)) {
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'resource'),
    );
  }
  const chainRequirements = requirements.accepts.filter(
    ({ network }) => network === toCaip2Network(chain),
  );
  if (chainRequirements.length === 0)
    throw createUnsafeRequestError(l10n.t('It takes no payment on {0}.', chain.name));
  const exactRequirements = chainRequirements.filter(({ scheme }) => scheme === 'exact');
  if (exactRequirements.length === 0)
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'scheme'),
    );
  const [requirement, ...otherRequirements] = exactRequirements.filter(({ asset }) =>
    isSameAddress(asset, usdc.address),
  );
  if (requirement === undefined) {
    throw createUnsafeRequestError(
      l10n.t('It requires another token than {0}, which the settings name.', usdc.address),
    );
  }
  if (otherRequirements.length > 0)
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'accepts'),
    );
  return requirement;
}

function checkPayee({ payTo }: PaymentRequirement, expected: ExpectedRequirement): Address {
  const { usdc, payer, chain } = expected;
  if (!isAddress(payTo))
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'payTo'),
    );
  const invalidPayees = [zeroAddress, usdc.address, chain.token, chain.staking, payer];
  if (invalidPayees.some((address) => address !== undefined && isSameAddress(payTo, address))) {
    throw createUnsafeRequestError(
      l10n.t('{0} cannot be a payee, because a payment to it is lost or has no effect.', payTo),
    );
  }
  return getAddress(payTo);
}

/**
 * Checks that the requirement has the EIP-712 domain of the token, that is, the token's name and version. A signature
 * for another domain would be a signature for another contract.
 */
function checkExtra({ extra }: PaymentRequirement, usdc: UsdcInfo): void {
  if (extra['name'] !== usdc.name || extra['version'] !== usdc.version) {
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'extra'),
    );
  }
  const method = extra['assetTransferMethod'];
  if (method !== undefined && method !== 'eip3009') {
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'assetTransferMethod'),
    );
  }
}

function checkLifetime({ maxTimeoutSeconds }: PaymentRequirement): number {
  const isValid =
    Number.isSafeInteger(maxTimeoutSeconds) &&
    maxTimeoutSeconds > 0 &&
    maxTimeoutSeconds <= maxLifetimeSeconds;
  if (isValid) return maxTimeoutSeconds;
  throw createUnsafeRequestError(
    l10n.t('The field “{0}” of the payment terms cannot be used.', 'maxTimeoutSeconds'),
  );
}

function checkAmount(minAmount: bigint, { amount, ceiling, usdc }: ExpectedPayment): void {
  if (amount <= 0n) {
    throw new WalletError('invalid-amount', l10n.t('Enter more than 0.'));
  }
  if (amount < minAmount) {
    throw new WalletError('invalid-amount', l10n.t('The service does not take this amount.'));
  }
  if (amount > ceiling) {
    throw new WalletError('invalid-amount', l10n.t('It is more than the settings allow at once.'));
  }
  if (amount > usdc.balance) {
    throw new WalletError(
      'insufficient-funds',
      l10n.t('It is more {0} than the account has.', usdc.symbol),
    );
  }
}

function parseMinAmount({ amount }: PaymentRequirement): bigint {
  if (!/^[1-9]\d{0,29}$/.test(amount))
    throw createUnsafeRequestError(
      l10n.t('The field “{0}” of the payment terms cannot be used.', 'amount'),
    );
  return BigInt(amount);
}

function isBelowBaseUrl(resource: string, baseUrl: URL): boolean {
  if (!URL.canParse(resource, baseUrl.href)) return false;
  const url = new URL(resource, baseUrl);
  const hasUser = url.username !== '' || url.password !== '';
  return (
    isSameOrigin(url, baseUrl) && !hasUser && `${url.pathname}/`.startsWith(`${baseUrl.pathname}/`)
  );
}

const isSameAddress = (a: string, b: string): boolean =>
  isAddress(a) && isAddress(b) && isAddressEqual(a, b);

const createUnsafeRequestError = (reason: string): WalletError =>
  new WalletError('unsafe-request', reason);

/** Fields of a token transfer that the payer signs. Any party can submit the signed transfer once (EIP-3009). */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** Expiry in seconds since the Unix epoch. */
  readonly validBefore: bigint;
  /** 32 random bytes. The token contract rejects a nonce that was used before. */
  readonly nonce: Hex;
}

/**
 * Creates an unsigned authorization of the payment.
 * @param options.validBefore Seconds since the Unix epoch.
 */
export const createAuthorization = (
  { payTo, amount }: CheckedPayment,
  options: { payer: Address; validBefore: bigint; nonce: Uint8Array },
): Authorization => ({
  from: getAddress(options.payer),
  to: payTo,
  value: amount,
  validBefore: options.validBefore,
  nonce: toHex(options.nonce),
});

/**
 * Time from which a signed payment is valid, in seconds since the Unix epoch. Always 0, because a later time would
 * delay payments if the local clock is ahead.
 */
const validAfter = 0n;

/** Builds the typed data (EIP-712) that the payer signs to authorize the token transfer. */
export const createPaymentTypedData = (
  { from, to, value, validBefore, nonce }: Authorization,
  { usdc, chain }: { usdc: UsdcInfo; chain: Chain },
): TypedData => ({
  domain: {
    name: usdc.name,
    version: usdc.version,
    chainId: chain.id,
    verifyingContract: usdc.address,
  },
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  },
  primaryType: 'TransferWithAuthorization',
  message: { from, to, value, validAfter, validBefore, nonce },
});

/** Encodes the payment header (x402 version 2). The header contains the signature, so send it only to the service. */
export const encodePaymentHeader = (
  { from, to, value, validBefore, nonce }: Authorization,
  { accepted }: CheckedPayment,
  signature: Hex,
): string =>
  encodeHeaderJson({
    x402Version: 2,
    accepted,
    payload: {
      signature,
      authorization: {
        from,
        to,
        value: String(value),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
        nonce,
      },
    },
  });
