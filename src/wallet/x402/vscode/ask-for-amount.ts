import * as vscode from 'vscode';
import { type AmountProblem, amountText, parseAmount } from '../../staking/amount.ts';
import type { Address } from '../../chain.ts';
import type { TopUpQuote } from '../top-up.ts';

interface AmountLimits {
  /** The account that pays. */
  readonly payer: Address;
  /** In the smallest unit. */
  readonly ceiling: bigint;
}

/** Asks how much; in the smallest unit, at least what the service takes and at most the ceiling and what there is. */
export async function askForAmount(
  { usdc, least }: Pick<TopUpQuote, 'usdc' | 'least'>,
  { payer, ceiling }: AmountLimits,
): Promise<bigint | undefined> {
  const { decimals, symbol, balance } = usdc;
  const most = balance < ceiling ? balance : ceiling;
  const read = (text: string) => parseAmount(text, { decimals, balance: most });
  const shown = (amount: bigint): string => `${amountText(amount, decimals)} ${symbol}`;
  const problem = (text: string): string | undefined => {
    const { amount, problem: reason } = read(text);
    if (reason === 'over-balance') {
      return most < ceiling
        ? vscode.l10n.t('The wallet has {0}.', shown(balance))
        : vscode.l10n.t(
            'The setting {0} allows {1} at once.',
            'inferenceService.wallet.topUpCeiling',
            shown(ceiling),
          );
    }
    if (reason !== undefined) return reason === 'empty' ? '' : amountProblem(reason, decimals);
    return amount < least
      ? vscode.l10n.t('The service takes {0} or more.', shown(least))
      : undefined;
  };
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Top up: how much {0} from {1}?', symbol, payer),
    prompt: vscode.l10n.t(
      '{0} or more, {1} at most. The wallet has {2}. Nothing is paid before you have seen all of it.',
      shown(least),
      shown(ceiling),
      shown(balance),
    ),
    value: least <= most ? amountText(least, decimals) : '',
    ignoreFocusOut: true,
    validateInput: problem,
  });
  return text === undefined || problem(text) !== undefined ? undefined : read(text).amount;
}

function amountProblem(
  problem: Exclude<AmountProblem, 'empty' | 'over-balance'>,
  decimals: number,
) {
  switch (problem) {
    case 'not-a-number':
      return vscode.l10n.t('Digits with at most one point, such as 10 or 7.5.');
    case 'separator':
      return vscode.l10n.t('A point for decimals, and nothing between thousands.');
    case 'zero':
      return vscode.l10n.t('More than 0.');
    case 'too-many-decimals':
      return vscode.l10n.t('At most {0} digits after the point.', decimals);
  }
}
