import * as l10n from '@vscode/l10n';
import type { Clock } from '../../base/clock.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { PaymentRequirements, X402Headers } from '../../service/payment-requirements.ts';
import { getTopUpRequirements } from '../../service/x402.ts';
import type { CheckedChain } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import type { LocalSigner } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import {
  type Authorization,
  createAuthorization,
  type CheckedPayment,
  checkRequirement,
  checkPayment,
  encodePaymentHeader,
  createPaymentTypedData,
} from './payment.ts';
import {
  SignedTopUp,
  type TopUpOutcome,
  type TopUpJournal,
  type TopUpRecord,
} from './signed-top-up.ts';
import { readUsdcInfo, type UsdcInfo } from './usdc-info.ts';

/** Dependencies of a top-up. */
export interface TopUpPorts {
  readonly service: ServiceContext;
  readonly headers: X402Headers;
  readonly chain: CheckedChain;
  readonly signer: LocalSigner;
  readonly journal: TopUpJournal;
  readonly clock: Clock;
  /** Returns cryptographically strong random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}

/** Payment requirement of the service, and the balance of the account. */
export interface TopUpQuote {
  /** Service context with one base URL, which later changes of the profile do not affect. */
  readonly service: ServiceContext;
  readonly baseUrl: URL;
  readonly requirements: PaymentRequirements;
  readonly usdc: UsdcInfo;
  /** Minimum amount that the service accepts, in the token's smallest unit. */
  readonly minAmount: bigint;
}

export interface TopUpRequest {
  readonly quote: TopUpQuote;
  /** Amount entered by the user, in the token's smallest unit. */
  readonly amount: bigint;
  /** Maximum amount per payment from the user's settings, in the token's smallest unit. */
  readonly ceiling: bigint;
  /** Recipient of the last payment to this service in this token. Absent before the first payment. */
  readonly knownPayee?: Address;
  /** Shows the proposal to the user. Resolves to true if the user accepts exactly this payment. */
  readonly confirm: (proposal: TopUpProposal) => Promise<boolean>;
}

/** Payment that the user must accept before anything is signed. */
export interface TopUpProposal {
  readonly payment: CheckedPayment;
  readonly usdc: UsdcInfo;
  readonly payer: Address;
  readonly baseUrl: URL;
}

/**
 * Maximum difference between this machine's clock and the chain's, in seconds. With a larger
 * difference, the expiry of a payment is uncertain.
 */
const maxClockGapSeconds = 15n * 60n;

/**
 * Requests and checks the service's payment requirement.
 * @throws ServiceError if the request fails
 * @throws WalletError if the requirement fails a check, or the chain cannot be read
 */
export async function quoteTopUp(
  { service, chain, signer }: TopUpPorts,
  signal: AbortSignal,
): Promise<TopUpQuote> {
  const endpoint = await service.getEndpoint();
  const boundService: ServiceContext = { ...service, getEndpoint: async () => endpoint };
  const { baseUrl } = endpoint;
  const usdc = await readUsdcInfo(chain, signer.address, signal);
  const requirements = await getTopUpRequirements(boundService, { signal });
  const expectedPayment = { chain: chain.chain, usdc, payer: signer.address, baseUrl };
  const { minAmount } = checkRequirement(requirements, expectedPayment);
  return { service: boundService, baseUrl, requirements, usdc, minAmount };
}

/**
 * Checks the payment, confirms it with the user, signs it and submits it. Does not throw after signing: the outcome
 * then describes any failure.
 * @throws WalletError when nothing was sent
 */
export async function topUp(
  ports: TopUpPorts,
  request: TopUpRequest,
  signal: AbortSignal,
): Promise<TopUpOutcome> {
  const { quote, confirm } = request;
  const { chain, signer, journal } = ports;
  const { usdc, baseUrl } = quote;
  const payer = signer.address;
  const payment = checkPayment(quote.requirements, {
    ...request,
    ...quote,
    chain: chain.chain,
    payer,
  });
  if (!(await confirm({ payment, usdc, payer, baseUrl }))) return { kind: 'declined' };
  const { authorization, header } = await signPayment(ports, { payment, usdc }, signal);
  const record = createRecord(authorization, { quote, chain });
  // The record is stored before the payment is sent, so that a reload can resolve the payment.
  await journal.add(record);
  return new SignedTopUp({ ...ports, service: quote.service, record, header }).send(signal);
}

async function signPayment(
  { signer, chain: { chain }, clock, randomBytes }: TopUpPorts,
  { payment, usdc }: Pick<TopUpProposal, 'payment' | 'usdc'>,
  signal: AbortSignal,
): Promise<{ authorization: Authorization; header: string }> {
  const authorization = createAuthorization(payment, {
    payer: signer.address,
    validBefore: computeStartSeconds(usdc.blockTime, clock) + BigInt(payment.lifetimeSeconds),
    nonce: randomBytes(32),
  });
  if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
  const signature = await signer.signTypedData(
    createPaymentTypedData(authorization, { usdc, chain }),
    signal,
  );
  return { authorization, header: encodePaymentHeader(authorization, payment, signature) };
}

/**
 * Returns the start of the payment's lifetime in seconds since the Unix epoch. Ignores the service's time, because a
 * time far in the future would keep a payment valid for years.
 */
function computeStartSeconds(blockTime: bigint, clock: Clock): bigint {
  const now = BigInt(Math.floor(clock.now() / 1_000));
  if (blockTime - now > maxClockGapSeconds) {
    throw new WalletError(
      'unsafe-request',
      l10n.t('The clocks of this machine and of the service differ too much.'),
    );
  }
  return blockTime > now ? blockTime : now;
}

function createRecord(
  { from, to, value, nonce, validBefore }: Authorization,
  { quote, chain }: { quote: TopUpQuote; chain: CheckedChain },
): TopUpRecord {
  const { address: asset, symbol, decimals, blockNumber: block } = quote.usdc;
  const tokenFields = { chainId: chain.chain.id, asset, symbol, decimals, block };
  return { origin: quote.baseUrl.origin, ...tokenFields, from, to, value, nonce, validBefore };
}
