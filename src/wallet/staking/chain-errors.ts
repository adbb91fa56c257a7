import * as l10n from '@vscode/l10n';
import { BaseError, ContractFunctionRevertedError, ExecutionRevertedError } from 'viem';
import { redact } from '../../base/redact.ts';
import { readChain } from '../chain-client.ts';
import { WalletError } from '../wallet-failure.ts';

/** Source of a reply, named in error messages: the chain's node or a contract. */
export type AnswerSource = 'chain' | 'contract';

/**
 * Awaits a reply of the chain and maps its errors. Errors contain neither the request nor the RPC
 * URL, which may include a key.
 * @throws WalletError `reverted` when a contract reverted, otherwise `chain-unreachable`
 */
export async function awaitChainCall<T>(
  replyPromise: Promise<T>,
  source: AnswerSource,
): Promise<T> {
  try {
    return await replyPromise;
  } catch (error) {
    throw toChainError(error, source);
  }
}

/**
 * Awaits the reply to a contract read. A revert means that the contract is not of the expected kind.
 * @throws WalletError with the code `not-a-contract` or `chain-unreachable`
 */
export const awaitContractRead = <T>(replyPromise: Promise<T>, subject: string): Promise<T> =>
  readChain(subject, neverAbortedSignal, () => replyPromise);

const neverAbortedSignal = new AbortController().signal;

export function toChainError(error: unknown, source: AnswerSource): WalletError {
  if (error instanceof WalletError) return error;
  const reason = getRevertReason(error);
  if (reason === undefined)
    return new WalletError('chain-unreachable', `The ${source} did not answer.`);
  return new WalletError(
    'reverted',
    reason === '' ? l10n.t('The contract gave no reason.') : `${reason}.`,
  );
}

/**
 * Returns the contract's revert reason. Empty if the contract gave no reason; `undefined` if the
 * error is not a revert.
 */
export function getRevertReason(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const revertError = error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ExecutionRevertedError,
  );
  if (revertError instanceof ContractFunctionRevertedError)
    return toPlainLine(revertError.reason ?? revertError.data?.errorName ?? '');
  if (revertError instanceof ExecutionRevertedError)
    return toPlainLine(
      /reason: (?<reason>[^]*)$/u.exec(revertError.shortMessage)?.groups?.['reason'] ?? '',
    );
  return undefined;
}

/** Reduces untrusted contract text to one line of at most 120 visible characters. */
export const toPlainLine = (text: string): string =>
  redact(text.slice(0, 1_000))
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim()
    .slice(0, 120)
    .replace(/\.$/u, '');
