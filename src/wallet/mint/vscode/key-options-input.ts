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
  expiryDate,
  expiryProblem,
  isValidDescription,
  maxDescriptionLength,
  parseLimitAmount,
  recommendedOptions,
} from '../mint-options.ts';
import {
  expiryLabel,
  limitLabel,
  optionProblemMessage,
  periodLabel,
  privacyLabel,
  keyTypeLabel,
} from './option-labels.ts';
import { showPickStep, type StepResult, type StepPosition, showTextStep } from './quick-steps.ts';

/** Whether the person really wants a key that can create others. */
export async function confirmAdminKey(): Promise<boolean> {
  const create = vscode.l10n.t('Create an admin key');
  const chosen = await confirm(
    {
      question: vscode.l10n.t('Create a key that can create and revoke all other keys?'),
      detail: vscode.l10n.t(
        'Whoever has an admin key can create keys without limits and spend everything that the account has. The editor uses it only to manage keys, never for chats.',
      ),
    },
    create,
  );
  return chosen === create;
}

/** One question about a new key. */
export interface OptionStep {
  /** Whether there is something to ask; always, when absent. */
  readonly applies?: (draft: KeyOptions) => boolean;
  /**
   * The draft with the answer in it, the way back, or undefined when the person went away.
   * @param now Milliseconds since the Unix epoch.
   */
  readonly ask: (draft: KeyOptions, place: StepPosition, now: number) => Promise<Answered>;
}

type Answered = KeyOptions | 'back' | undefined;

/** In the order in which they are asked. */
export const optionSteps: readonly OptionStep[] = [
  { ask: askForType },
  { ask: askForDescription },
  { ask: askForExpiry },
  { ask: askForLimit },
  { ask: askForPeriod, applies: ({ consumptionLimit }) => consumptionLimit !== undefined },
  { ask: askForPrivacy },
];

async function askForType(draft: KeyOptions, place: StepPosition): Promise<Answered> {
  const answer = await showPickStep({
    ...place,
    placeholder: vscode.l10n.t('What the key may be used for'),
    active: draft.type,
    choices: [
      {
        value: 'INFERENCE' as const,
        label: keyTypeLabel('INFERENCE'),
        detail: vscode.l10n.t('Chats, suggestions and pictures. All that the editor needs.'),
      },
      {
        value: 'ADMIN' as const,
        label: keyTypeLabel('ADMIN'),
        detail: vscode.l10n.t('Also creates and revokes other keys, and reads bills.'),
      },
    ],
  });
  const isRefused = isValue(answer) && answer.value === 'ADMIN' && !(await confirmAdminKey());
  return isRefused ? askForType(draft, place) : withAnswer(draft, answer, (type) => ({ type }));
}

async function askForDescription(draft: KeyOptions, place: StepPosition): Promise<Answered> {
  const answer = await showTextStep({
    ...place,
    prompt: vscode.l10n.t('Name of the key in the list of keys. The service sees it.'),
    value: draft.description ?? '',
    problem: (text) => (isValidDescription(text) ? undefined : optionProblemMessage('description')),
  });
  return withAnswer(draft, answer, (text) => ({ description: text === '' ? undefined : text }));
}

async function askForExpiry(
  draft: KeyOptions,
  place: StepPosition,
  now: number,
): Promise<Answered> {
  const days = [defaultExpiryDays, 7, 30, 365].map((count) => ({
    value: expiryDate(count, now),
    label: vscode.l10n.t('In {0} days', count),
    description: expiryDate(count, now),
  }));
  const answer = await showPickStep<string>({
    ...place,
    placeholder: vscode.l10n.t('When the key stops working'),
    active: draft.expiresAt ?? 'never',
    choices: [
      ...days,
      { value: 'date', label: vscode.l10n.t('On a date…') },
      {
        value: 'never',
        label: vscode.l10n.t('Never'),
        description: vscode.l10n.t('A key that leaks stays good until somebody revokes it'),
      },
    ],
  });
  if (isValue(answer) && answer.value === 'date') return askForDate(draft, place, now);
  return withAnswer(draft, answer, (value) => ({
    expiresAt: value === 'never' ? undefined : value,
  }));
}

async function askForDate(draft: KeyOptions, place: StepPosition, now: number): Promise<Answered> {
  const answer = await showTextStep({
    ...place,
    prompt: vscode.l10n.t('The day, in UTC, from which the key does not work any more'),
    placeholder: expiryDate(defaultExpiryDays, now),
    value: draft.expiresAt ?? '',
    problem: (text) => {
      const problem = text === '' ? 'expiry-format' : expiryProblem(text, now);
      return problem === undefined ? undefined : optionProblemMessage(problem);
    },
  });
  if (answer === 'back') return askForExpiry(draft, place, now);
  return withAnswer(draft, answer, (expiresAt) => ({ expiresAt }));
}

async function askForLimit(draft: KeyOptions, place: StepPosition): Promise<Answered> {
  const answer = await showPickStep<'usd' | 'diem' | 'none'>({
    ...place,
    placeholder: vscode.l10n.t('What the key may spend'),
    active: limitUnit(draft),
    choices: [
      { value: 'usd', label: vscode.l10n.t('At most an amount in US dollars…') },
      { value: 'diem', label: vscode.l10n.t('At most an amount in DIEM…') },
      {
        value: 'none',
        label: vscode.l10n.t('No limit'),
        description: vscode.l10n.t('Everything that the account has'),
      },
    ],
  });
  if (!isValue(answer)) return answer;
  if (answer.value !== 'none') return askForAmount(draft, place, answer.value);
  return without(draft, 'consumptionLimit', 'limitPeriod');
}

async function askForAmount(
  draft: KeyOptions,
  place: StepPosition,
  unit: 'usd' | 'diem',
): Promise<Answered> {
  const answer = await showTextStep({
    ...place,
    prompt:
      unit === 'usd'
        ? vscode.l10n.t('The most that the key may spend, in US dollars')
        : vscode.l10n.t('The most that the key may spend, in DIEM'),
    value: String(draft.consumptionLimit?.[unit] ?? ''),
    problem: (text) =>
      parseLimitAmount(text) === undefined ? optionProblemMessage('limit') : undefined,
  });
  if (answer === 'back') return askForLimit(draft, place);
  return withAnswer(draft, answer, (text) => ({
    consumptionLimit: omitUndefined({ [unit]: parseLimitAmount(text) }),
  }));
}

async function askForPeriod(draft: KeyOptions, place: StepPosition): Promise<Answered> {
  const answer = await showPickStep({
    ...place,
    placeholder: vscode.l10n.t('How often the limit counts from nothing again'),
    active: draft.limitPeriod,
    choices: limitPeriods.map((value) => ({ value, label: periodLabel(value) })),
  });
  return withAnswer(draft, answer, (limitPeriod) => ({ limitPeriod }));
}

async function askForPrivacy(draft: KeyOptions, place: StepPosition): Promise<Answered> {
  const answer = await showPickStep({
    ...place,
    placeholder: vscode.l10n.t('Which models the key may use'),
    active: draft.modelPrivacy ?? 'ALL',
    choices: modelPrivacies.map((value) => ({ value, label: privacyLabel(value) })),
  });
  if (isValue(answer) && answer.value === 'ALL') return without(draft, 'modelPrivacy');
  return withAnswer(draft, answer, (modelPrivacy) => ({ modelPrivacy }));
}

const limitUnit = ({ consumptionLimit }: KeyOptions): 'usd' | 'diem' | 'none' => {
  if (consumptionLimit === undefined) return 'none';
  return consumptionLimit.usd === undefined ? 'diem' : 'usd';
};

function withAnswer<T>(
  draft: KeyOptions,
  answer: StepResult<T>,
  change: (value: T) => { readonly [K in keyof KeyOptions]?: KeyOptions[K] | undefined },
): Answered {
  if (!isValue(answer)) return answer;
  return omitUndefined({ ...draft, ...change(answer.value) }) as KeyOptions;
}

const without = (draft: KeyOptions, ...names: readonly (keyof KeyOptions)[]): KeyOptions =>
  Object.fromEntries(
    Object.entries(draft).filter(([name]) => !names.includes(name as keyof KeyOptions)),
  ) as unknown as KeyOptions;

const isValue = <T>(answer: StepResult<T>): answer is { readonly value: T } =>
  answer !== undefined && answer !== 'back';

/**
 * What the new key should be: with one Enter what is recommended, else step by step, with a way back from each. A key
 * of type ADMIN is confirmed either way.
 * @param now Milliseconds since the Unix epoch.
 * @param type What is recommended.
 * @returns undefined when the person went away
 */
export async function promptForKeyOptions(
  now: number,
  type: KeyType = 'INFERENCE',
): Promise<KeyOptions | undefined> {
  const name = vscode.env.appName.slice(0, maxDescriptionLength);
  const start = { ...recommendedOptions(now, name), type };
  for (;;) {
    const way = await askForWay(start);
    if (way === undefined) return undefined;
    if (way === 'recommended') {
      if (type !== 'ADMIN' || (await confirmAdminKey())) return start;
      continue;
    }
    const options = await askStepByStep(start, now);
    if (options !== 'back') return options;
  }
}

async function askForWay(start: KeyOptions): Promise<'recommended' | 'custom' | undefined> {
  const answer = await showPickStep({
    title: title(),
    placeholder: vscode.l10n.t('What the new key may do'),
    choices: [
      {
        value: 'recommended' as const,
        label: vscode.l10n.t('Use the recommended settings'),
        iconPath: new vscode.ThemeIcon('key'),
        detail: vscode.l10n.t(
          '{0} key, until {1}, at most {2}',
          keyTypeLabel(start.type),
          expiryLabel(start),
          limitLabel(start),
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

const placeOf = (step: number): StepPosition => ({
  title: title(),
  step,
  totalSteps: optionSteps.length,
});

const title = (): string => vscode.l10n.t('Create API key with a wallet');
