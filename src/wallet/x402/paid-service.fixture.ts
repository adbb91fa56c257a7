import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainFacts } from '../../../test/service/chain/chain-facts.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { isRecord } from '../../base/json.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { ServiceContext, TransportRequest } from '../../service/http/client.ts';
import { createStoppedError } from '../../service/http/network-failure.ts';
import { decodeHeaderJson, encodeHeaderJson } from '../../service/payment-requirements.ts';
import { toCaip2Network } from '../chain.ts';

/** Behavior of the service when it receives a payment. */
export type PaidServiceMode =
  | 'settles'
  /** Settles the payment but sends no reply. */
  | 'settles-silently'
  | 'settles-then-504'
  | 'keeps-silent'
  | 'answers-504'
  | 'refuses'
  /** Reports a credit but does not settle the payment. */
  | 'lies';

type VerifyArguments = Parameters<x402Facilitator['verify']>;

/**
 * Service that verifies and settles payments on a real chain with the protocol's reference
 * packages.
 */
export class PaidService {
  readonly requests: TransportRequest[] = [];
  readonly clock = new ManualClock(Date.now());
  mode: PaidServiceMode = 'settles';
  /** Fields that the service sends in place of the same fields of its valid payment requirements. */
  requirementsOverride: { x402Version?: number; accepts?: object[]; resource?: object } = {};
  readonly #facts: ChainFacts;
  readonly #facilitator: x402Facilitator;

  constructor(facts: ChainFacts) {
    this.#facts = facts;
    this.#facilitator = createFacilitator(facts);
  }

  get paidRequests(): readonly TransportRequest[] {
    return this.requests.filter(({ headers }) => 'PAYMENT-SIGNATURE' in headers);
  }

  get requirement() {
    const { chainId, usdc, payTo } = this.#facts;
    return {
      scheme: 'exact',
      network: toCaip2Network({ id: chainId }),
      amount: '5000000',
      asset: usdc,
      payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2' },
    };
  }

  get context(): ServiceContext {
    return {
      getEndpoint: async () => ({
        baseUrl: new URL('https://api.service.test/api/v1'),
        vendorPrefix: 'service',
        apiKey: 'canary-key-0123456789',
      }),
      getTransport: async () => ({
        send: async (request) => {
          this.requests.push(request);
          const { status, headers = {}, json } = await this.#answerRequest(request);
          const bytes = new TextEncoder().encode(JSON.stringify(json));
          const body = (async function* () {
            yield bytes;
          })();
          return { status, headers, body };
        },
        close: async () => {},
      }),
      clock: this.clock,
      breakers: new CircuitBreakers(this.clock),
      random: () => 0,
    };
  }

  async #answerRequest(
    request: TransportRequest,
  ): Promise<{ status: number; headers?: Record<string, string>; json: object }> {
    const payment = decodeHeaderJson(request.headers['PAYMENT-SIGNATURE']);
    if (!isRecord(payment)) {
      return {
        status: 402,
        json: { x402Version: 2, accepts: [this.requirement], ...this.requirementsOverride },
      };
    }
    if (this.mode === 'keeps-silent') return waitForAbort(request.signal);
    if (this.mode === 'refuses') {
      return { status: 400, json: { error: 'PAYMENT_VERIFICATION_FAILED', message: 'no' } };
    }
    if (this.mode === 'answers-504') return timeoutReply;
    if (this.mode === 'lies') return { status: 200, json: { data: { amountCredited: 10 } } };
    const paymentAndRequirement = [payment, payment['accepted']] as unknown as VerifyArguments;
    const verification = await this.#facilitator.verify(...paymentAndRequirement);
    if (!verification.isValid) {
      const message = verification.invalidReason ?? '';
      return { status: 400, json: { error: 'PAYMENT_VERIFICATION_FAILED', message } };
    }
    const settlement = await this.#facilitator.settle(...paymentAndRequirement);
    if (!settlement.success) return { status: 402, json: { error: 'SETTLEMENT_FAILED' } };
    if (this.mode === 'settles-silently') return waitForAbort(request.signal);
    if (this.mode === 'settles-then-504') return timeoutReply;
    const data = { amountCredited: 10, newBalance: 12.5, paymentId: 'p-1' };
    const headers = { 'payment-response': encodeHeaderJson(settlement) };
    return { status: 200, headers, json: { success: true, data } };
  }
}

const timeoutReply = { status: 504, json: { error: 'SETTLEMENT_TIMEOUT', message: 'late' } };

const waitForAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(createStoppedError());
    signal.addEventListener('abort', () => reject(createStoppedError()));
  });

function createFacilitator(facts: ChainFacts): x402Facilitator {
  const account = privateKeyToAccount(facts.accounts[0]!.privateKey);
  const chain = defineChain({
    id: facts.chainId,
    name: facts.name,
    nativeCurrency: facts.currency,
    rpcUrls: { default: { http: [facts.rpcUrl] } },
  });
  const transport = http(facts.rpcUrl);
  const client = createWalletClient({ account, chain, transport, pollingInterval: 20 });
  const paymentAndRequirement = { ...client.extend(publicActions), address: account.address };
  const scheme = new ExactEvmScheme(toFacilitatorEvmSigner(paymentAndRequirement as never));
  return new x402Facilitator().register(toCaip2Network({ id: facts.chainId }), scheme);
}
