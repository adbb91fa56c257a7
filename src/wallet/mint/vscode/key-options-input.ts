import * as vscode from 'vscode';
import { omitUndefined } from '../../../base/json.ts';
import { confirm } from '../../../platform/notifications.ts';
import {
  type KeyOptions,
  type KeyType,
  limitPeriods,
  modelPrivacies,
} from '../../../service/key-record.ts';
import {
  defaultExpiryDays,
  computeExpiryDate,
  findExpiryProblem,
  isValidDescription,
  maxDescriptionLength,
  parseLimitAmount,
  getRecommendedOptions,
} from '../mint-options.ts';
import {
  formatExpiry,
  formatLimitLabel,
  formatOptionProblem,
  formatLimitPeriod,
  formatPrivacy,
  formatKeyType,
} from './option-labels.ts';
import { showPickStep, type StepResult, type StepPosition, showTextStep } from './quick-steps.ts';
import { stripEllipsis } from '../../../base/amounts.ts';

/** Prompts the user to confirm an ADMIN key, because such a key can create other keys. */
export async function confirmAdminKey(): Promise<boolean> {
  const createLabel = vscode.l10n.t('Create an admin key');
  const choice = await confirm(
    {
      question: vscode.l10n.t('Create a key that can create and revoke all other keys?'),
      detail: vscode.l10n.t(
        'Anyone with an admin key can create keys without limits and spend everything in the account. The editor uses it only to manage keys, never for chats.',
      ),
    },
    createLabel,
  );
  return choice === createLabel;
}

/** Prompt for one option of a new key. */
export interface OptionStep {
  /** Checks whether the prompt is necessary for the options in the draft. Absent for prompts that are always shown. */
  readonly isNeeded?: (draft: KeyOptions) => boolean;
  /**
   * Prompts for one option. Resolves to the updated draft, `'back'`, or `undefined` when the user
   * cancels.
   * @param now Milliseconds since the Unix epoch.
   */
  readonly prompt: (draft: KeyOptions, position: StepPosition, now: number) => Promise<DraftResult>;
}

type DraftResult = KeyOptions | 'back' | undefined;

/** Prompts for the options of a new key, in display order. */
export const optionSteps: readonly OptionStep[] = [
  { prompt: promptForType },
  { prompt: promptForDescription },
  { prompt: promptForExpiry },
  { prompt: promptForLimit },
  { prompt: promptForPeriod, isNeeded: ({ consumptionLimit }) => consumptionLimit !== undefined },
  { prompt: promptForPrivacy },
];

async function promptForType(draft: KeyOptions, position: StepPosition): Promise<DraftResult> {
  const answer = await showPickStep({
    ...position,
    placeholder: vscode.l10n.t('Type'),
    activeValue: draft.type,
    choices: [
      {
        value: 'INFERENCE' as const,
        label: formatKeyType('INFERENCE'),
      },
      {
        value: 'ADMIN' as const,
        label: formatKeyType('ADMIN'),
        detail: vscode.l10n.t('Also creates and revokes other keys, and reads bills.'),
      },
    ],
  });
  const isDeclined = hasValue(answer) && answer.value === 'ADMIN' && !(await confirmAdminKey());
  return isDeclined
    ? promptForType(draft, position)
    : applyAnswer(draft, answer, (type) => ({ type }));
}

async function promptForDescription(
  draft: KeyOptions,
  position: StepPosition,
): Promise<DraftResult> {
  const answer = await showTextStep({
    ...position,
    prompt: vscode.l10n.t('Name of the key in the list of keys. The service sees it.'),
    value: draft.description ?? '',
    findProblem: (text) =>
      isValidDescription(text) ? undefined : formatOptionProblem('description'),
  });
  return applyAnswer(draft, answer, (text) => ({ description: text === '' ? undefined : text }));
}

async function promptForExpiry(
  draft: KeyOptions,
  position: StepPosition,
  now: number,
): Promise<DraftResult> {
  const expiryChoices = [defaultExpiryDays, 7, 30, 365].map((count) => ({
    value: computeExpiryDate(count, now),
    label: vscode.l10n.t('In {0} days', count),
    description: computeExpiryDate(count, now),
  }));
  const answer = await showPickStep<string>({
    ...position,
    placeholder: vscode.l10n.t('Key expires'),
    activeValue: draft.expiresAt ?? 'never',
    choices: [
      ...expiryChoices,
      { value: 'date', label: vscode.l10n.t('On a date…') },
      {
        value: 'never',
        label: vscode.l10n.t('Never'),
        description: vscode.l10n.t('A leaked key stays valid until it is revoked'),
      },
    ],
  });
  if (hasValue(answer) && answer.value === 'date') return promptForDate(draft, position, now);
  return applyAnswer(draft, answer, (value) => ({
    expiresAt: value === 'never' ? undefined : value,
  }));
}

async function promptForDate(
  draft: KeyOptions,
  position: StepPosition,
  now: number,
): Promise<DraftResult> {
  const answer = await showTextStep({
    ...position,
    prompt: vscode.l10n.t('Expiry date in UTC'),
    placeholder: computeExpiryDate(defaultExpiryDays, now),
    value: draft.expiresAt ?? '',
    findProblem: (text) => {
      const problem = text === '' ? 'expiry-format' : findExpiryProblem(text, now);
      return problem === undefined ? undefined : formatOptionProblem(problem);
    },
  });
  if (answer === 'back') return promptForExpiry(draft, position, now);
  return applyAnswer(draft, answer, (expiresAt) => ({ expiresAt }));
}

async function promptForLimit(draft: KeyOptions, position: StepPosition): Promise<DraftResult> {
  const answer = await showPickStep<'usd' | 'diem' | 'none'>({
    ...position,
    placeholder: vscode.l10n.t('Limit'),
    activeValue: getLimitUnit(draft),
    choices: [
      { value: 'usd', label: vscode.l10n.t('In US dollars') },
      { value: 'diem', label: vscode.l10n.t('In DIEM') },
      {
        value: 'none',
        label: vscode.l10n.t('No limit'),
      },
    ],
  });
  if (!hasValue(answer)) return answer;
  if (answer.value !== 'none') return promptForAmount(draft, position, answer.value);
  return omitFields(draft, 'consumptionLimit', 'limitPeriod');
}

async function promptForAmount(
  draft: KeyOptions,
  position: StepPosition,
  unit: 'usd' | 'diem',
): Promise<DraftResult> {
  const answer = await showTextStep({
    ...position,
    prompt: unit === 'usd' ? vscode.l10n.t('In US dollars') : vscode.l10n.t('In DIEM'),
    value: String(draft.consumptionLimit?.[unit] ?? ''),
    findProblem: (text) =>
      parseLimitAmount(text) === undefined ? formatOptionProblem('limit') : undefined,
  });
  if (answer === 'back') return promptForLimit(draft, position);
  return applyAnswer(draft, answer, (text) => ({
    consumptionLimit: omitUndefined({ [unit]: parseLimitAmount(text) }),
  }));
}

async function promptForPeriod(draft: KeyOptions, position: StepPosition): Promise<DraftResult> {
  const answer = await showPickStep({
    ...position,
    placeholder: vscode.l10n.t('How often the limit resets'),
    activeValue: draft.limitPeriod,
    choices: limitPeriods.map((value) => ({ value, label: formatLimitPeriod(value) })),
  });
  return applyAnswer(draft, answer, (limitPeriod) => ({ limitPeriod }));
}

async function promptForPrivacy(draft: KeyOptions, position: StepPosition): Promise<DraftResult> {
  const answer = await showPickStep({
    ...position,
    placeholder: vscode.l10n.t('Models'),
    activeValue: draft.modelPrivacy ?? 'ALL',
    choices: modelPrivacies.map((value) => ({ value, label: formatPrivacy(value) })),
  });
  if (hasValue(answer) && answer.value === 'ALL') return omitFields(draft, 'modelPrivacy');
  return applyAnswer(draft, answer, (modelPrivacy) => ({ modelPrivacy }));
}

const getLimitUnit = ({ consumptionLimit }: KeyOptions): 'usd' | 'diem' | 'none' => {
  if (consumptionLimit === undefined) return 'none';
  return consumptionLimit.usd === undefined ? 'diem' : 'usd';
};

function applyAnswer<T>(
  draft: KeyOptions,
  answer: StepResult<T>,
  change: (value: T) => { readonly [K in keyof KeyOptions]?: KeyOptions[K] | undefined },
): DraftResult {
  if (!hasValue(answer)) return answer;
  return omitUndefined({ ...draft, ...change(answer.value) }) as KeyOptions;
}

const omitFields = (draft: KeyOptions, ...names: readonly (keyof KeyOptions)[]): KeyOptions =>
  Object.fromEntries(
    Object.entries(draft).filter(([name]) => !names.includes(name as keyof KeyOptions)),
  ) as unknown as KeyOptions;

const hasValue = <T>(answer: StepResult<T>): answer is { readonly value: T } =>
  answer !== undefined && answer !== 'back';

/**
 * Prompts for the options of a new key. The user accepts the recommended options, or goes through the prompts step by
 * step. The user must confirm a key of type ADMIN in either case.
 * @param now Milliseconds since the Unix epoch.
 * @param type Recommended key type.
 * @returns `undefined` when the user cancels
 */
export async function promptForKeyOptions(
  now: number,
  type: KeyType = 'INFERENCE',
): Promise<KeyOptions | undefined> {
  const name = vscode.env.appName.slice(0, maxDescriptionLength);
  const initialOptions = { ...getRecommendedOptions(now, name), type };
  for (;;) {
    const mode = await promptForMode(initialOptions);
    if (mode === undefined) return undefined;
    if (mode === 'recommended') {
      if (type !== 'ADMIN' || (await confirmAdminKey())) return initialOptions;
      continue;
    }
    const options = await promptForEachOption(initialOptions, now);
    if (options !== 'back') return options;
  }
}

async function promptForMode(
  initialOptions: KeyOptions,
): Promise<'recommended' | 'custom' | undefined> {
  const answer = await showPickStep({
    title: getInputTitle(),
    placeholder: vscode.l10n.t('What the new key may do'),
    choices: [
      {
        value: 'recommended' as const,
        label: vscode.l10n.t('Recommended'),
        iconPath: new vscode.ThemeIcon('key'),
        detail: vscode.l10n.t(
          '{0} key, until {1}, at most {2}',
          formatKeyType(initialOptions.type),
          formatExpiry(initialOptions),
          formatLimitLabel(initialOptions),
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

/**
 * Runs the prompts in order. If the user goes back to an earlier prompt, the answers to the later prompts are retained.
 */
async function promptForEachOption(
  initialOptions: KeyOptions,
  now: number,
): Promise<KeyOptions | 'back' | undefined> {
  const answeredSteps: number[] = [];
  let draft = initialOptions;
  for (let index = 0; index < optionSteps.length; index++) {
    const { isNeeded, prompt } = optionSteps[index] as OptionStep;
    if (isNeeded?.(draft) === false) continue;
    const answer = await prompt(draft, toStepPosition(index + 1), now);
    if (answer === undefined) return undefined;
    if (answer === 'back') {
      const previousStep = answeredSteps.pop();
      if (previousStep === undefined) return 'back';
      index = previousStep - 1;
    } else {
      answeredSteps.push(index);
      draft = answer;
    }
  }
  return draft;
}

const toStepPosition = (step: number): StepPosition => ({
  title: getInputTitle(),
  step,
  totalSteps: optionSteps.length,
});

const getInputTitle = (): string => stripEllipsis(vscode.l10n.t('Get API Key with Wallet…'));
