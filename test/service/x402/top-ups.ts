import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { omitUndefined } from '../../../src/base/json.ts';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import type { Facilitator } from './facilitator.ts';
import { type Payment, readPaymentHeader, parsePayment, createPaymentError } from './payment.ts';
import {
  toBase64Json,
  minTopUpUsd,
  type PaymentRequirements,
  createPaymentRequirements,
} from './requirements.ts';

/** Handles `POST /x402/top-up`: requests a payment, or settles one. */
export class TopUps {
  readonly #state: ServiceState;
  readonly #chain: ChainFacts;
  readonly #facilitator: Facilitator;
  /**
   * Most recent settlement. Each settlement waits for the previous one, because one account pays all fees and its
   * nonces are sequential.
   */
  #lastSettlementPromise: Promise<unknown> = Promise.resolve();

  constructor(state: ServiceState, chain: ChainFacts, facilitator: Facilitator) {
    this.#state = state;
    this.#chain = chain;
    this.#facilitator = facilitator;
  }

  /**
   * Handles one top-up request.
   * @throws ApiError with an error code such as `INVALID_PAYMENT` if the payment is rejected
   */
  async handleTopUp(request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const { redirect } = this.#state.wallets.misbehavior;
    if (redirect !== undefined) throw new ApiError(307, {}, { location: redirect });
    const header = readPaymentHeader(request);
    if (header === undefined) throw this.#createPaymentRequiredError(request);
    const payment = parsePayment(header, this.#chain);
    const { from, nonce } = payment.authorization;
    const { settlingNonces } = this.#state.wallets;
    const id = `${from} ${nonce}`.toLowerCase();
    if (settlingNonces.has(id)) {
      const message = 'This payment is being settled';
      throw new ApiError(409, { error: 'PAYMENT_IN_PROGRESS', message });
    }
    settlingNonces.add(id);
    try {
      return await this.#pay(payment, request, reply);
    } finally {
      settlingNonces.delete(id);
    }
  }

  #createPaymentRequiredError(request: FastifyRequest): ApiError {
    const { offer, resource } = this.#state.wallets.misbehavior;
    const validRequirements = createPaymentRequirements(
      this.#chain,
      BigInt(minTopUpUsd) * 1_000_000n,
    );
    const url = resource ?? `http://${request.host}${request.url}`;
    const body = {
      x402Version: 2,
      error: 'Payment required',
      resource: { url, description: 'Top-up of a balance', mimeType: 'application/json' },
      accepts: [{ ...validRequirements, ...omitUndefined({ ...offer }) }],
    };
    return new ApiError(402, body as never, { 'payment-required': toBase64Json(body as never) });
  }

  async #pay(payment: Payment, request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const { value, from } = payment.authorization;
    const requirements = createPaymentRequirements(this.#chain, BigInt(value));
    await this.#verify(payment, requirements);
    const { settlement } = this.#state.wallets.misbehavior;
    if (settlement === 'unsettled-timeout') throw createTimeoutError();
    if (settlement === 'unsettled-success') {
      return this.#createReply(payment, `0x${randomBytes(32).toString('hex')}`, reply);
    }
    const settlementPromise = this.#lastSettlementPromise.then(() =>
      this.#settle(payment, requirements),
    );
    this.#lastSettlementPromise = settlementPromise.catch(() => undefined);
    const transaction = await settlementPromise;
    const { clock, wallets } = this.#state;
    wallets.creditTopUp({
      id: randomUUID(),
      address: from,
      amount: Number(value),
      creditedAt: clock.now(),
    });
    if (settlement === 'settled-timeout') throw createTimeoutError();
    if (settlement === 'settled-silence') await waitForClose(request.closeSignal);
    return this.#createReply(payment, transaction, reply);
  }

  async #verify(payment: Payment, requirements: PaymentRequirements): Promise<void> {
    const verdict = await this.#facilitator.verify(
      ...this.#createFacilitatorArguments(payment, requirements),
    );
    if (verdict.isValid) return;
    const reason = verdict.invalidReason ?? 'unknown';
    const code =
      reason === 'invalid_exact_evm_signature'
        ? 'X402_INVALID_PAYMENT'
        : 'PAYMENT_VERIFICATION_FAILED';
    throw createPaymentError(code, 'The payment cannot be taken', { reason });
  }

  /**
   * Settles a payment and returns the transaction hash.
   * @throws ApiError 402 if the settlement fails, 504 if it is still pending
   */
  async #settle(payment: Payment, requirements: PaymentRequirements): Promise<string> {
    const result = await this.#facilitator.settle(
      ...this.#createFacilitatorArguments(payment, requirements),
    );
    if (result.success) return result.transaction;
    const reason = result.errorReason ?? 'unknown';
    if (reason === 'settlement_pending') throw createTimeoutError();
    const message = 'The payment could not be settled';
    throw new ApiError(402, { error: 'SETTLEMENT_FAILED', message, details: { reason } });
  }

  #createFacilitatorArguments(
    payment: Payment,
    requirements: PaymentRequirements,
  ): Parameters<Facilitator['verify']> {
    const acceptedRequirements = { ...requirements, extra: { ...requirements.extra } };
    const payload = { x402Version: 2, accepted: acceptedRequirements, payload: { ...payment } };
    return [payload, acceptedRequirements] as Parameters<Facilitator['verify']>;
  }

  #createReply({ authorization }: Payment, transaction: string, reply: FastifyReply): object {
    const { from: payer, value } = authorization;
    const { network } = createPaymentRequirements(this.#chain, 0n);
    reply.header('payment-response', toBase64Json({ success: true, network, payer, transaction }));
    const data = {
      walletAddress: payer.toLowerCase(),
      amountCredited: Number(value) / 1e6,
      newBalance: this.#state.wallets.getBalance(payer) / 1e6,
      paymentId: randomUUID(),
    };
    return { success: true, data };
  }
}

const createTimeoutError = (): ApiError =>
  new ApiError(504, { error: 'SETTLEMENT_TIMEOUT', message: 'The chain did not answer in time' });

const waitForClose = (closeSignal: AbortSignal): Promise<void> =>
  new Promise((resolve) => closeSignal.addEventListener('abort', () => resolve(), { once: true }));
