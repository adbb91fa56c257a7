import { getAddress, toHex } from 'viem';
import { encodeHeaderJson } from '../../service/payment-requirements.ts';
import type { Address, Chain, Hex } from '../chain.ts';
import type { TypedData } from '../signer.ts';
import type { CheckedPayment } from './payment-check.ts';
import type { UsdcFacts } from './usdc-facts.ts';

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
export const authorize = (
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
export const typedPayment = (
  { from, to, value, validBefore, nonce }: Authorization,
  { usdc, chain }: { usdc: UsdcFacts; chain: Chain },
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
export const paymentHeader = (
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
