import * as l10n from '@vscode/l10n';
import {
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  ExecutionRevertedError,
  HttpRequestError,
  InsufficientFundsError,
  TimeoutError,
} from 'viem';
import { WalletError } from './wallet-failure.ts';

/**
 * Asks the chain for something. No answer is waited for longer than until the signal aborts.
 * @param what Whose answer it is, for messages, translated: `the staked token`.
 * @throws WalletError `chain-unreachable`, `not-a-contract`, `insufficient-funds`, `reverted`, `stopped`
 */
export async function readChain<T>(
  what: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await untilAborted(signal, read);
  } catch (error) {
    throw error instanceof WalletError ? error : readingFailure(what, error);
  }
}

/** Quotes nothing of the error: it holds the RPC address, and that may hold a key. */
function readingFailure(what: string, error: unknown): WalletError {
  if (isOfAnotherKind(error)) {
    return new WalletError(
      'not-a-contract',
      l10n.t('What answers for {0} is not such a contract.', what),
    );
  }
  if (hasCause(error, InsufficientFundsError)) {
    return new WalletError('insufficient-funds', l10n.t('The fee is more than the account holds.'));
  }
  if (hasCause(error, ExecutionRevertedError)) {
    return new WalletError('reverted', l10n.t('The contract refuses the transaction.'));
  }
  return new WalletError(
    'chain-unreachable',
    l10n.t('Asked for {0}: {1}.', what, networkReason(error)),
  );
}

const wrongKinds = [
  ContractFunctionZeroDataError,
  ContractFunctionRevertedError,
  AbiDecodingZeroDataError,
  AbiDecodingDataSizeTooSmallError,
];

const isOfAnotherKind = (error: unknown): boolean =>
  wrongKinds.some((kind) => hasCause(error, kind));

const hasCause = (error: unknown, kind: abstract new (...args: never[]) => Error): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof kind) !== null;

function networkReason(error: unknown): string {
  if (!(error instanceof BaseError)) return l10n.t('no answer that makes sense');
  if (hasCause(error, TimeoutError)) return l10n.t('no answer in time');
  const http = error.walk((cause) => cause instanceof HttpRequestError);
  if (!(http instanceof HttpRequestError)) return l10n.t('the node refuses to answer');
  return http.status === undefined
    ? l10n.t('no connection')
    : l10n.t('HTTP status {0}', http.status);
}

async function untilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(abortFailure(signal));
  if (signal.aborted) throw abortFailure(signal);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([run(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const abortFailure = ({ reason }: AbortSignal): WalletError =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? new WalletError('chain-unreachable', 'The chain did not answer in time.')
    : new WalletError('stopped', 'The chain was not asked any further.');
