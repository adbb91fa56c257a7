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
  checkOffer,
  checkPayment,
  encodePaymentHeader,
  paymentTypedData,
} from './payment.ts';
import { SignedTopUp, type TopUpOutcome } from './signed-top-up.ts';
import type { TopUpJournal, TopUpRecord } from './top-up-record.ts';
import { readUsdc, type UsdcInfo } from './usdc-info.ts';

/** What a top-up works with. */
export interface TopUpPorts {
  readonly service: ServiceContext;
  readonly headers: X402Headers;
  readonly chain: CheckedChain;
  readonly signer: LocalSigner;
  readonly journal: TopUpJournal;
  readonly clock: Clock;
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
}

/** What the service takes, and what the account has. */
export interface TopUpQuote {
  /** Bound to the address that was asked, whatever profile is chosen meanwhile. */
  readonly service: ServiceContext;
  readonly baseUrl: URL;
  readonly offer: PaymentRequirements;
  readonly usdc: UsdcInfo;
  /** The least that the service takes, in the smallest unit. */
  readonly least: bigint;
}

export interface TopUpRequest {
  readonly quote: TopUpQuote;
  /** As the person typed it, in the smallest unit. */
  readonly amount: bigint;
  /** The most that the person's settings allow at once. */
  readonly ceiling: bigint;
  /** Who was paid before at this service in this token; absent the first time. */
  readonly knownPayee?: Address;
  /** Shows all of it; true when the person wants exactly this. */
  readonly confirm: (proposal: TopUpProposal) => Promise<boolean>;
}

/** What the person agrees to before anything is signed. */
export interface TopUpProposal {
  readonly payment: CheckedPayment;
  readonly usdc: UsdcInfo;
  readonly payer: Address;
  readonly baseUrl: URL;
}

/** More than this between this machine's clock and the chain's is no way to date a payment, in seconds. */
const largestClockGap = 15n * 60n;

/** @throws WalletError, ServiceError */
export async function quoteTopUp(
  { service, chain, signer }: TopUpPorts,
  signal: AbortSignal,
): Promise<TopUpQuote> {
  const endpoint = await service.endpoint();
  const bound: ServiceContext = { ...service, endpoint: async () => endpoint };
  const { baseUrl } = endpoint;
  const usdc = await readUsdc(chain, signer.address, signal);
  const offer = await getTopUpRequirements(bound, { signal });
  const expected = { chain: chain.chain, usdc, payer: signer.address, baseUrl };
  const { least } = checkOffer(offer, expected);
  return { service: bound, baseUrl, offer, usdc, least };
}

/**
 * Checks, asks, signs once, and hands the payment in. From then on it does not throw: the outcome says what is known.
 * @throws WalletError when nothing was sent
 */
export async function topUp(
  ports: TopUpPorts,
  order: TopUpRequest,
  signal: AbortSignal,
): Promise<TopUpOutcome> {
  const { quote, confirm } = order;
  const { chain, signer, journal } = ports;
  const { usdc, baseUrl } = quote;
  const payer = signer.address;
  const payment = checkPayment(quote.offer, { ...order, ...quote, chain: chain.chain, payer });
  if (!(await confirm({ payment, usdc, payer, baseUrl }))) return { kind: 'declined' };
  const { authorization, header } = await sign(ports, { payment, usdc }, signal);
  const record = recordOf(authorization, { quote, chain });
  // Before it leaves: whatever happens now, a reload can look for it.
  await journal.add(record);
  return new SignedTopUp({ ...ports, service: quote.service, record, header }).send(signal);
}

async function sign(
  { signer, chain: { chain }, clock, randomBytes }: TopUpPorts,
  { payment, usdc }: Pick<TopUpProposal, 'payment' | 'usdc'>,
  signal: AbortSignal,
): Promise<{ authorization: Authorization; header: string }> {
  const authorization = createAuthorization(payment, {
    payer: signer.address,
    validBefore: startOf(usdc.blockTime, clock) + BigInt(payment.lifetimeSeconds),
    nonce: randomBytes(32),
  });
  if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
  const signature = await signer.signTypedData(
    paymentTypedData(authorization, { usdc, chain }),
    signal,
  );
  return { authorization, header: encodePaymentHeader(authorization, payment, signature) };
}

/** The service's word is not taken: with a time far ahead a payment would be good for years. */
function startOf(blockTime: bigint, clock: Clock): bigint {
  const now = BigInt(Math.floor(clock.now() / 1_000));
  if (blockTime - now > largestClockGap) {
    throw new WalletError(
      'unsafe-request',
      l10n.t('The clock of this machine is more than 15 minutes behind that of the chain.'),
    );
  }
  return blockTime > now ? blockTime : now;
}

function recordOf(
  { from, to, value, nonce, validBefore }: Authorization,
  { quote, chain }: { quote: TopUpQuote; chain: CheckedChain },
): TopUpRecord {
  const { address: asset, symbol, decimals, blockNumber: block } = quote.usdc;
  const token = { chainId: chain.chain.id, asset, symbol, decimals, block };
  return { origin: quote.baseUrl.origin, ...token, from, to, value, nonce, validBefore };
}
