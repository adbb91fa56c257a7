import * as vscode from 'vscode';
import type { KeyOptions, KeyType } from '../../../service/key-record.ts';
import { longestDescription, recommendedOptions } from '../mint-options.ts';
import { confirmAdmin } from './confirm-admin.ts';
import { type OptionStep, optionSteps } from './option-steps.ts';
import { expiryWords, limitWords, typeWords } from './option-labels.ts';
import { pickStep, type StepPlace } from './quick-steps.ts';

/**
 * What the new key should be: with one Enter what is recommended, else step by step, with a way back from each. A key
 * of type ADMIN is confirmed either way.
 * @param now Milliseconds since the Unix epoch.
 * @param type What is recommended.
 * @returns undefined when the person went away
 */
export async function askForOptions(
  now: number,
  type: KeyType = 'INFERENCE',
): Promise<KeyOptions | undefined> {
  const name = vscode.env.appName.slice(0, longestDescription);
  const start = { ...recommendedOptions(now, name), type };
  for (;;) {
    const way = await askForWay(start);
    if (way === undefined) return undefined;
    if (way === 'recommended') {
      if (type !== 'ADMIN' || (await confirmAdmin())) return start;
      continue;
    }
    const options = await askStepByStep(start, now);
    if (options !== 'back') return options;
  }
}

async function askForWay(start: KeyOptions): Promise<'recommended' | 'custom' | undefined> {
  const answer = await pickStep({
    title: title(),
    placeholder: vscode.l10n.t('What the new key may do'),
    choices: [
      {
        value: 'recommended' as const,
        label: vscode.l10n.t('Use the recommended settings'),
        iconPath: new vscode.ThemeIcon('key'),
        detail: vscode.l10n.t(
          '{0} key, until {1}, at most {2}',
          typeWords(start.type),
          expiryWords(start),
          limitWords(start),
        ),
      },
      {
        value: 'custom' as const,
        label: vscode.l10n.t('Choose type, expiry and limit…'),
        iconPath: new vscode.ThemeIcon('settings'),
      },
    ],
  });
  return answer === 'back' ? undefined : answer?.value;
}

/** Going back keeps what was answered after it. */
async function askStepByStep(
  start: KeyOptions,
  now: number,
): Promise<KeyOptions | 'back' | undefined> {
  const asked: number[] = [];
  let draft = start;
  for (let at = 0; at < optionSteps.length; at++) {
    const { applies, ask } = optionSteps[at] as OptionStep;
    if (applies?.(draft) === false) continue;
    const answer = await ask(draft, placeOf(at + 1), now);
    if (answer === undefined) return undefined;
    if (answer === 'back') {
      const before = asked.pop();
      if (before === undefined) return 'back';
      at = before - 1;
    } else {
      asked.push(at);
      draft = answer;
    }
  }
  return draft;
}

const placeOf = (step: number): StepPlace => ({
  title: title(),
  step,
  totalSteps: optionSteps.length,
});

const title = (): string => vscode.l10n.t('Create API key with a wallet');
