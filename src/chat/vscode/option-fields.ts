import * as vscode from 'vscode';
import type { OptionField } from '../protocol/composer.ts';
import {
  canSearchWeb,
  canSearchX,
  type ChatOptions,
  listSupportedReasoningEfforts,
  getReasoningEffortLabel,
} from '../../conversation/chat-options.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import type { Model } from '../../service/model-types.ts';

interface Choice extends Pick<OptionField, 'name' | 'label' | 'help' | 'value'> {
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** Returns a field with a list of choices. The first choice is the model's default. */
export const createChoiceField = ({ choices, ...labels }: Choice): OptionField => ({
  ...labels,
  kind: 'choice',
  choices: choices.map(([value, label]) => ({ value, label })),
  placeholder: '',
  problem: '',
  isOmitted: false,
});

interface TextField extends Pick<OptionField, 'name' | 'label' | 'help' | 'placeholder'> {
  readonly value: string | number | undefined;
}

/** Returns a single-line text field. */
export const createTextField = ({ value = '', ...labels }: TextField): OptionField => ({
  ...labels,
  kind: 'text',
  value: String(value),
  choices: [],
  problem: '',
  isOmitted: false,
});

export interface FlagLabels {
  readonly label: string;
  readonly help: string;
  /** True when the option is on by default. */
  readonly isOnByDefault: boolean;
}

/** Returns a field with the choices On and Off. */
export const createFlagField = (
  name: string,
  value: boolean | undefined,
  labels: FlagLabels,
): OptionField =>
  createChoiceField({
    name,
    label: labels.label,
    help: labels.help,
    value: value === undefined || value === labels.isOnByDefault ? '' : String(value),
    choices: [
      ['', labels.isOnByDefault ? vscode.l10n.t('On') : vscode.l10n.t('Off')],
      [
        String(!labels.isOnByDefault),
        labels.isOnByDefault ? vscode.l10n.t('Off') : vscode.l10n.t('On'),
      ],
    ],
  });

/**
 * Returns the fields of all options with their values. Omits options that the model record reports as unsupported.
 */
export function createOptionFields(options: ChatOptions, model: Model | undefined): OptionField[] {
  const serviceFields = [
    ...createReasoningFields(options, model),
    ...createSamplingFields(options, model),
    createVerbosityField(options),
  ];
  // In an encrypted chat, the service cannot read messages, so options that the service applies to messages are omitted.
  if (model !== undefined && shouldEncryptChats(model)) return serviceFields;
  return [
    ...createSearchFields(options, model),
    ...serviceFields,
    ...(model?.capabilities.supportsResponseSchema === false ? [] : createFormatFields(options)),
    createFlagField('servicePrompt', options.servicePrompt, getServicePromptLabels()),
  ];
}

/**
 * Returns the labels of chosen options that the model record reports as unsupported. Requests omit these options, and
 * the form hides them.
 */
export function listDeniedOptions(options: ChatOptions, model: Model | undefined): string[] {
  if (model === undefined) return [];
  const { supportsReasoning, supportsResponseSchema } = model.capabilities;
  const hasNoReasoning = supportsReasoning === false;
  const { reasoningEffort: effort, responseFormat: format } = options;
  const isEffortDenied =
    effort !== undefined &&
    (hasNoReasoning || !listSupportedReasoningEfforts(model).includes(effort));
  const isFormatDenied =
    supportsResponseSchema === false && format !== undefined && format.type !== 'text';
  return [
    !canSearchWeb(model) && (options.webSearch ?? 'off') !== 'off' && vscode.l10n.t('Web search'),
    !canSearchX(model) && options.xSearch === true && getXSearchLabels().label,
    isEffortDenied && vscode.l10n.t('Reasoning effort'),
    hasNoReasoning && options.disableThinking === true && getDisableThinkingLabels().label,
    hasNoReasoning && options.stripThinking === true && getStripThinkingLabels().label,
    isFormatDenied && vscode.l10n.t('Format of answers'),
  ].filter((label) => label !== false);
}

function createSearchFields(options: ChatOptions, model: Model | undefined): OptionField[] {
  return [
    ...(canSearchWeb(model) ? [createWebSearchField(options)] : []),
    createFlagField('webScraping', options.webScraping, getScrapingLabels()),
    ...(canSearchWeb(model) || options.webScraping === true
      ? [createFlagField('webCitations', options.webCitations, getCitationLabels())]
      : []),
    ...(canSearchX(model) ? [createFlagField('xSearch', options.xSearch, getXSearchLabels())] : []),
  ];
}

function createWebSearchField({ webSearch: value = 'off' }: ChatOptions): OptionField {
  return createChoiceField({
    name: 'webSearch',
    label: vscode.l10n.t('Web search'),
    help: getCostHelp(),
    value: value === 'off' ? '' : value,
    choices: [
      ['', vscode.l10n.t('Off')],
      ['auto', vscode.l10n.t('When it helps')],
      ['on', vscode.l10n.t('Always')],
    ],
  });
}

function createReasoningFields(options: ChatOptions, model: Model | undefined): OptionField[] {
  if (model?.capabilities.supportsReasoning === false) return [];
  const efforts = listSupportedReasoningEfforts(model);
  const isOnByDefault = model?.capabilities.defaultReasoningEffort;
  const effort = createChoiceField({
    name: 'reasoningEffort',
    label: vscode.l10n.t('Reasoning effort'),
    help: '',
    value: options.reasoningEffort ?? '',
    choices: [
      [
        '',
        isOnByDefault === undefined
          ? getModelDefaultLabel()
          : vscode.l10n.t('Default ({0})', isOnByDefault),
      ],
      ...efforts.map((effort) => [effort, getReasoningEffortLabel(effort)] as const),
    ],
  });
  return [
    ...(efforts.length === 0 ? [] : [effort]),
    createFlagField('disableThinking', options.disableThinking, getDisableThinkingLabels()),
    createFlagField('stripThinking', options.stripThinking, getStripThinkingLabels()),
  ];
}

function createSamplingFields(options: ChatOptions, model: Model | undefined): OptionField[] {
  const maxTokens = model?.maxCompletionTokens;
  return [
    createTextField({
      name: 'temperature',
      label: vscode.l10n.t('Temperature'),
      help: '',
      value: options.temperature,
      placeholder: formatDefaultLabel(model?.temperature),
    }),
    createTextField({
      name: 'topP',
      label: vscode.l10n.t('Top P'),
      help: '',
      value: options.topP,
      placeholder: formatDefaultLabel(model?.topP),
    }),
    createTextField({
      name: 'maxTokens',
      label: vscode.l10n.t('Longest answer'),
      help: '',
      value: options.maxTokens,
      placeholder:
        maxTokens === undefined ? getModelDefaultLabel() : vscode.l10n.t('At most {0}', maxTokens),
    }),
    createTextField({
      name: 'seed',
      label: vscode.l10n.t('Seed'),
      help: '',
      value: options.seed,
      placeholder: vscode.l10n.t('Random'),
    }),
    {
      ...createTextField({
        name: 'stop',
        label: vscode.l10n.t('Stop at'),
        help: '',
        value: options.stop?.join('\n'),
        placeholder: '',
      }),
      kind: 'long',
    },
  ];
}

const createVerbosityField = ({ verbosity: value }: ChatOptions): OptionField =>
  createChoiceField({
    name: 'verbosity',
    label: vscode.l10n.t('Length of answers'),
    help: '',
    value: value ?? '',
    choices: [
      ['', getModelDefaultLabel()],
      ['low', vscode.l10n.t('Short')],
      ['medium', vscode.l10n.t('Medium')],
      ['high', vscode.l10n.t('Long')],
    ],
  });

function createFormatFields({ responseFormat }: ChatOptions): OptionField[] {
  const schemaField: OptionField = {
    ...createTextField({
      name: 'schema',
      label: vscode.l10n.t('JSON schema'),
      help: '',
      value: responseFormat?.type === 'json_schema' ? responseFormat.schema : '',
      placeholder: '',
    }),
    kind: 'long',
  };
  return [
    createChoiceField({
      name: 'responseFormat',
      label: vscode.l10n.t('Format of answers'),
      help: '',
      value:
        responseFormat === undefined || responseFormat.type === 'text' ? '' : responseFormat.type,
      choices: [
        ['', vscode.l10n.t('Text')],
        ['json_object', vscode.l10n.t('JSON')],
        ['json_schema', vscode.l10n.t('JSON schema')],
      ],
    }),
    ...(responseFormat?.type === 'json_schema' ? [schemaField] : []),
  ];
}

/** Returns the help text about the price per use of an option, such as one web search. */
const getCostHelp = (): string => vscode.l10n.t('Costs about $0.01 each time.');

const getScrapingLabels = (): FlagLabels => ({
  label: vscode.l10n.t('Read pages'),
  help: getCostHelp(),
  isOnByDefault: false,
});

const getCitationLabels = (): FlagLabels => ({
  label: vscode.l10n.t('Marks for sources'),
  help: '',
  isOnByDefault: true,
});

const getXSearchLabels = (): FlagLabels => ({
  label: vscode.l10n.t('Search X'),
  help: getCostHelp(),
  isOnByDefault: false,
});

const getDisableThinkingLabels = (): FlagLabels => ({
  label: vscode.l10n.t('Answer without thinking'),
  help: '',
  isOnByDefault: false,
});

const getStripThinkingLabels = (): FlagLabels => ({
  label: vscode.l10n.t('Leave out thoughts'),
  help: '',
  isOnByDefault: false,
});

const getServicePromptLabels = (): FlagLabels => ({
  label: vscode.l10n.t('System prompt of the service'),
  help: vscode.l10n.t('Costs about 1,700 tokens with each request.'),
  isOnByDefault: false,
});

const getModelDefaultLabel = (): string => vscode.l10n.t('Default');

const formatDefaultLabel = (value: number | undefined): string =>
  value === undefined ? getModelDefaultLabel() : vscode.l10n.t('Default ({0})', value);
