import * as l10n from '@vscode/l10n';
import { getAddress, isAddress, isAddressEqual, toHex, zeroAddress } from 'viem';
import { isSameOrigin } from '../../service/http/endpoint.ts';
import {
  encodeHeaderJson,
  type PaymentRequirement,
  type PaymentRequirements,
} from '../../service/payment-requirements.ts';
import { type Address, type Chain, type Hex, caip2Network } from '../chain.ts';
import type { TypedData } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import type { UsdcInfo } from './usdc-info.ts';

/** What the settings and the chain say, against which the service's words are held. */
export interface ExpectedOffer {
  readonly chain: Chain;
  readonly usdc: UsdcInfo;
  readonly payer: Address;
  /** Of the service. */
  readonly baseUrl: URL;
}

export interface ExpectedPayment extends ExpectedOffer {
  /** As the person typed it, in the smallest unit. */
  readonly amount: bigint;
  /** The most that the person's settings allow at once. */
  readonly ceiling: bigint;
  /** Who was paid before at this service in this token; absent the first time. */
  readonly knownPayee?: Address;
}

/** What the service asks for, when that is as it should be. */
export interface CheckedOffer {
  readonly way: PaymentRequirement;
  readonly payTo: Address;
  /** The least that it takes, in the smallest unit. */
  readonly least: bigint;
  /** Seconds for which a signature is good. */
  readonly lifetimeSeconds: number;
}

/** A payment that may be shown and signed. */
export interface CheckedPayment {
  /** The service's way to pay, with the person's amount. */
  readonly accepted: PaymentRequirement;
  readonly payTo: Address;
  readonly payee: 'known' | 'new' | 'changed';
  readonly amount: bigint;
  /** Seconds for which the signature is good. */
  readonly lifetimeSeconds: number;
}

const longestLifetime = 600;

/**
 * Holds what the service asks for against what it should be.
 * @throws WalletError `unsafe-request` when anything is not as expected
 */
export function checkOffer(offer: PaymentRequirements, expected: ExpectedOffer): CheckedOffer {
  const way = offeredWay(offer, expected);
  const payTo = checkPayee(way, expected);
  checkExtra(way, expected.usdc);
  return { way, payTo, least: amountOf(way), lifetimeSeconds: checkLifetime(way) };
}

/**
 * The payment of the person's amount. Nothing was signed before.
 * @throws WalletError as {@link checkOffer}; `invalid-amount`, `insufficient-funds`
 */
export function checkPayment(
  offer: PaymentRequirements,
  expected: ExpectedPayment,
): CheckedPayment {
  const { amount, knownPayee } = expected;
  const { way, payTo, least, lifetimeSeconds } = checkOffer(offer, expected);
  checkAmount(least, expected);
  const accepted = { ...way, amount: String(amount) };
  return { accepted, payTo, payee: payeeOf(payTo, knownPayee), amount, lifetimeSeconds };
}

function payeeOf(payTo: Address, known: Address | undefined): CheckedPayment['payee'] {
  if (known === undefined) return 'new';
  return isAddressEqual(known, payTo) ? 'known' : 'changed';
}

/** The one way that is paid: `exact`, on the configured chain, in the configured token. */
function offeredWay(
  offer: PaymentRequirements,
  { chain, usdc, baseUrl }: ExpectedOffer,
): PaymentRequirement {
  if (offer.version !== 2) throw unsafe(l10n.t('It does not speak version 2 of x402.'));
  if (offer.resource !== undefined && !isBelow(offer.resource, baseUrl)) {
    throw unsafe(l10n.t('The payment would be for another address than that of the service.'));
  }
  const onChain = offer.accepts.filter(({ network }) => network === caip2Network(chain));
  if (onChain.length === 0) throw unsafe(l10n.t('It takes no payment on {0}.', chain.name));
  const exact = onChain.filter(({ scheme }) => scheme === 'exact');
  if (exact.length === 0) throw unsafe(l10n.t('It does not take a payment of an exact amount.'));
  const [way, ...others] = exact.filter(({ asset }) => isSame(asset, usdc.address));
  if (way === undefined) {
    throw unsafe(l10n.t('It wants another token than {0}, which the settings name.', usdc.address));
  }
  if (others.length > 0) throw unsafe(l10n.t('It names two prices for the same payment.'));
  return way;
}

function checkPayee({ payTo }: PaymentRequirement, expected: ExpectedOffer): Address {
  const { usdc, payer, chain } = expected;
  if (!isAddress(payTo)) throw unsafe(l10n.t('The payee is not an address.'));
  const nobody = [zeroAddress, usdc.address, chain.token, chain.staking, payer];
  if (nobody.some((address) => isSame(payTo, address))) {
    throw unsafe(
      l10n.t('{0} cannot be a payee: what it is paid is lost, or stays where it is.', payTo),
    );
  }
  return getAddress(payTo);
}

/** A domain of another name or version makes a signature for something else. */
function checkExtra({ extra }: PaymentRequirement, usdc: UsdcInfo): void {
  if (extra['name'] !== usdc.name || extra['version'] !== usdc.version) {
    throw unsafe(l10n.t('It names the token in another way than the token does itself.'));
  }
  const method = extra['assetTransferMethod'];
  if (method !== undefined && method !== 'eip3009') {
    throw unsafe(l10n.t('It wants the token to be moved in another way than by EIP-3009.'));
  }
}

function checkLifetime({ maxTimeoutSeconds }: PaymentRequirement): number {
  const isFair =
    Number.isSafeInteger(maxTimeoutSeconds) &&
    maxTimeoutSeconds > 0 &&
    maxTimeoutSeconds <= longestLifetime;
  if (isFair) return maxTimeoutSeconds;
  throw unsafe(
    l10n.t('The signed payment would not end within {0} minutes.', longestLifetime / 60),
  );
}

function checkAmount(least: bigint, { amount, ceiling, usdc }: ExpectedPayment): void {
  if (amount <= 0n) {
    throw new WalletError('invalid-amount', l10n.t('The amount must be more than 0.'));
  }
  if (amount < least) {
    throw new WalletError(
      'invalid-amount',
      l10n.t('The service takes no amount as small as this.'),
    );
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

function amountOf({ amount }: PaymentRequirement): bigint {
  if (!/^[1-9]\d{0,29}$/.test(amount)) throw unsafe(l10n.t('The least amount is not a number.'));
  return BigInt(amount);
}

function isBelow(resource: string, baseUrl: URL): boolean {
  if (!URL.canParse(resource, baseUrl.href)) return false;
  const url = new URL(resource, baseUrl);
  const hasUser = url.username !== '' || url.password !== '';
  return (
    isSameOrigin(url, baseUrl) && !hasUser && `${url.pathname}/`.startsWith(`${baseUrl.pathname}/`)
  );
}

const isSame = (a: string, b: string): boolean =>
  isAddress(a) && isAddress(b) && isAddressEqual(a, b);

const unsafe = (reason: string): WalletError => new WalletError('unsafe-request', reason);

/** A transfer that anybody may carry out once it is signed: exactly this one, and only once (EIP-3009). */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** Seconds since the Unix epoch. */
  readonly validBefore: bigint;
  /** 32 random bytes. The token remembers those that were used. */
  readonly nonce: Hex;
}

/** @param validBefore Seconds since the Unix epoch. */
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

/** Good from the beginning of time: a clock that goes wrong must not make a payment come too early. */
const validAfter = 0n;

/** What is signed (EIP-712). */
export const paymentTypedData = (
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

/** The payment as a header has it (x402 version 2). Holds the signature: it goes to the service and nowhere else. */
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
