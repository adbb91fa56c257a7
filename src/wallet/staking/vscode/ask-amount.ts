import * as vscode from 'vscode';
import { amountText, parseAmount } from '../amount.ts';
import { amountProblemWords, type TokenWords } from './staking-messages.ts';

export interface AmountQuestion {
  readonly title: string;
  /** How much there is, and what else the person should know. */
  readonly prompt: string;
  readonly token: TokenWords;
  /** The most that can be, in the token's smallest unit. */
  readonly most: bigint;
}

/** Asks for an amount, with a button for all there is. `undefined` when the person closes it. */
export function askAmount({
  title,
  prompt,
  token,
  most,
}: AmountQuestion): Promise<bigint | undefined> {
  const input = vscode.window.createInputBox();
  const all = { iconPath: new vscode.ThemeIcon('arrow-up'), tooltip: vscode.l10n.t('Max') };
  const limits = { decimals: token.decimals, balance: most };
  input.title = title;
  input.prompt = prompt;
  input.placeholder = vscode.l10n.t('Amount of {0}', token.symbol);
  input.ignoreFocusOut = true;
  input.buttons = [all];
  const check = (): bigint | undefined => {
    const { amount, problem } = parseAmount(input.value, limits);
    const isQuiet = problem === undefined || input.value === '';
    input.validationMessage = isQuiet ? undefined : amountProblemWords(problem, { token, most });
    return amount;
  };
  const { promise, resolve } = Promise.withResolvers<bigint | undefined>();
  input.onDidChangeValue(check);
  input.onDidTriggerButton(() => {
    input.value = amountText(most, token.decimals);
    check();
  });
  input.onDidAccept(() => {
    const amount = check();
    if (amount !== undefined) resolve(amount);
  });
  input.onDidHide(() => resolve(undefined));
  input.show();
  return promise.finally(() => input.dispose());
}
