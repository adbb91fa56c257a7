import * as l10n from '@vscode/l10n';
import { BaseError, ContractFunctionRevertedError, ExecutionRevertedError } from 'viem';
import { redact } from '../../base/redact.ts';
import { readChain } from '../chain-client.ts';
import { WalletError } from '../wallet-failure.ts';

/** Whose answer it is. */
export type AnswerSource = 'chain' | 'contract';

/**
 * Waits for an answer of the chain.
 * @throws WalletError `reverted` when a contract refused, else `chain-unreachable`. The address of the node, which may
 * hold a key of its own, and what was sent to it are never part of it.
 */
export async function awaitChainCall<T>(answer: Promise<T>, asked: AnswerSource): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toChainError(error, asked);
  }
}

/**
 * The same for a plain read, which no contract of the right kind refuses.
 * @throws WalletError `not-a-contract`, `chain-unreachable`
 */
export const awaitContractRead = <T>(answer: Promise<T>, what: string): Promise<T> =>
  readChain(what, unstopped, () => answer);

const unstopped = new AbortController().signal;

export function toChainError(error: unknown, asked: AnswerSource): WalletError {
  if (error instanceof WalletError) return error;
  const reason = revertReason(error);
  if (reason === undefined)
    return new WalletError('chain-unreachable', `The ${asked} did not answer.`);
  const who = asked === 'chain' ? l10n.t('The chain') : l10n.t('The contract');
  return new WalletError(
    'reverted',
    reason === '' ? l10n.t('{0} refused.', who) : l10n.t('{0} refused: {1}.', who, reason),
  );
}

/** What the contract said; empty when it said nothing; undefined when it was not the contract that refused. */
export function revertReason(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk(
    (each) =>
      each instanceof ContractFunctionRevertedError || each instanceof ExecutionRevertedError,
  );
  if (reverted instanceof ContractFunctionRevertedError)
    return toPlainLine(reverted.reason ?? reverted.data?.errorName ?? '');
  if (reverted instanceof ExecutionRevertedError)
    return toPlainLine(
      /reason: (?<reason>[^]*)$/u.exec(reverted.shortMessage)?.groups?.['reason'] ?? '',
    );
  return undefined;
}

/** A contract can say anything: one line of visible characters, ≤ 120 of them. */
export const toPlainLine = (text: string): string =>
  redact(text.slice(0, 1_000))
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim()
    .slice(0, 120)
    .replace(/\.$/u, '');
