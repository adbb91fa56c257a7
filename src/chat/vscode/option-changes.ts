import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { omitUndefined, isRecord, parseJson, listRetainedEntries } from '../../base/json.ts';
import type { CustomAgent } from '../../agent/agent-files.ts';
import type { ChatSession } from '../chat-session.ts';
import type { OptionDetails, OptionField, OptionsAction } from '../protocol/composer.ts';
import {
  createChoiceField,
  listDeniedOptions,
  createOptionFields,
  createFlagField,
} from './option-fields.ts';
import { initialOptionsKey, formatSuffixMessages } from './options-state.ts';
import {
  type ChatOptions,
  maxSchemaLength,
  readChatOptions,
  type ResponseFormat,
  toChatParameters,
} from '../../conversation/chat-options.ts';
import type { Host } from '../../host.ts';
import { findChatModelByName } from '../../models/model-selection.ts';
import {
  findSelectedModel,
  getChatSelection,
  getSelectedModel,
  selectModelOfChat,
} from '../../models/vscode/selected-model.ts';
import {
  protectsAtLeastAsWell,
  shouldEncryptChats,
} from '../../privacy/vscode/privacy-settings.ts';
import type { Connection } from '../../service/http/connection.ts';
import { showInformation } from '../../platform/notifications.ts';
import { getSetting, setChoice } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';
import { comparePrices } from '../../service/pricing.ts';
import { listOptionalFields } from '../../service/chat/optional-fields.ts';

/** Named set of options that the user can apply to any conversation. */
export interface OptionPreset {
  readonly id: string;
  readonly name: string;
  readonly options: ChatOptions;
  /** True if the user saved the preset. The user can remove only such presets. */
  readonly isUserPreset: boolean;
}

const presetsKey = 'chat.optionPresets';
const maxPresets = 50;

/** Option presets, shared by all windows: the built-in presets, then the user's presets. */
export class OptionPresets {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get presets(): readonly OptionPreset[] {
    return [...getBuiltInPresets(), ...this.#userPresets];
  }

  /**
   * Saves a preset, and replaces the user's presets with the same name. Omits the persona and the custom agent, which
   * are specific to a conversation.
   */
  async save(
    name: string,
    { character: _character, agent: _agent, ...options }: ChatOptions,
  ): Promise<void> {
    const otherPresets = this.#listRetainedPresets((preset) => preset.name === name);
    const id = randomBytes(9).toString('base64url');
    const preset = { id, name: name.slice(0, 80), options };
    await this.#state.update(presetsKey, [...otherPresets, preset].slice(-maxPresets));
  }

  async remove(id: string): Promise<void> {
    await this.#state.update(
      presetsKey,
      this.#listRetainedPresets((preset) => preset.id === id),
    );
  }

  /** Returns the stored presets that a write must retain: those for which `isReplaced` returns false. */
  #listRetainedPresets(isReplaced: (preset: OptionPreset) => boolean): readonly unknown[] {
    return listRetainedEntries(this.#state.get(presetsKey), (entry) =>
      toPresetArray(entry).some(isReplaced),
    );
  }

  get #userPresets(): readonly OptionPreset[] {
    const storedValue = this.#state.get<unknown>(presetsKey);
    return (Array.isArray(storedValue) ? storedValue : []).flatMap(toPresetArray);
  }
}

/** Reads a stored preset. Returns an array with the preset, or an empty array if the value is invalid. */
function toPresetArray(value: unknown): readonly OptionPreset[] {
  if (!isRecord(value)) return [];
  const { id, name, options } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || name === '') return [];
  if (id.length > 80 || name.length > 80) return [];
  return [{ id, name, options: readChatOptions(options), isUserPreset: true }];
}

const getBuiltInPresets = (): readonly OptionPreset[] => [
  {
    id: 'precise',
    name: vscode.l10n.t('Precise'),
    options: { temperature: 0.2, topP: 0.9 },
    isUserPreset: false,
  },
  {
    id: 'creative',
    name: vscode.l10n.t('Creative'),
    options: { temperature: 1.1, topP: 1 },
    isUserPreset: false,
  },
];

/**
 * Changes one option to a value that the user entered as text. An empty value resets the option to the model's
 * default.
 * @returns the changed options, or an error message if the value is invalid
 */
export function setOption(options: ChatOptions, name: string, value: string): ChatOptions | string {
  const key = name === 'schema' ? 'responseFormat' : name;
  const { [key as keyof ChatOptions]: _previousValue, ...otherOptions } = options;
  if (value === '') return otherOptions;
  const validOptions = readChatOptions({ ...otherOptions, [key]: parseOption(name, value) });
  return Object.hasOwn(validOptions, key) ? validOptions : getProblemMessage(name);
}

function parseOption(name: string, value: string): unknown {
  if (numericOptions.has(name)) return Number(value.replace(',', '.'));
  if (name === 'stop') return value.split('\n').filter((line) => line !== '');
  if (name === 'schema') return createJsonSchemaFormat(value);
  if (name === 'responseFormat') {
    return value === 'json_schema' ? createJsonSchemaFormat(anyObjectSchema) : { type: value };
  }
  if (value === 'true' || value === 'false') return value === 'true';
  return value;
}

const numericOptions: ReadonlySet<string> = new Set(['temperature', 'topP', 'maxTokens', 'seed']);

const createJsonSchemaFormat = (schema: string): ResponseFormat => ({
  type: 'json_schema',
  name: getSchemaName(parseJson(schema)),
  schema,
});

const anyObjectSchema = '{\n  "type": "object"\n}';

/**
 * Returns the name that a request gives to a JSON Schema: the title of the schema, with `_` in place of characters that
 * the service rejects. The service accepts letters, digits, `_` and `-`.
 */
function getSchemaName(schema: unknown): string {
  const title = isRecord(schema) && typeof schema['title'] === 'string' ? schema['title'] : '';
  return title.replaceAll(/[^\w-]+/gu, '_').slice(0, 64) || 'answer';
}

function getProblemMessage(name: string): string {
  switch (name) {
    case 'temperature':
      return vscode.l10n.t('This must be a number from {0} to {1}.', 0, 2);
    case 'topP':
      return vscode.l10n.t('This must be a number from {0} to {1}.', 0, 1);
    case 'maxTokens':
    case 'seed':
      return vscode.l10n.t('This must be a whole number above 0.');
    case 'stop':
      return vscode.l10n.t('This takes up to four lines of up to 100 characters.');
    case 'schema':
      return vscode.l10n.t('This must be a JSON object of up to {0} characters.', maxSchemaLength);
    case 'agent':
      return vscode.l10n.t(
        'This agent no longer exists, so no tools are available. Choose another.',
      );
    default:
      return vscode.l10n.t('This value can’t be used: {0}.', name);
  }
}

type OptionsHost = Pick<Host, 'context' | 'log' | 'models'> & {
  readonly account: Pick<Host['account'], 'connection'>;
};

interface OptionsContext {
  readonly host: OptionsHost;
  readonly session: ChatSession;
  /** Custom agents of the workspace. Empty by default. */
  readonly agents?: readonly CustomAgent[];
}

/**
 * Applies the user's action in the options popover to the conversation or to the presets.
 * @returns all options and presets after the action
 */
export async function applyOptionsAction(
  action: OptionsAction,
  { host, session, agents = [] }: OptionsContext,
): Promise<OptionDetails> {
  const { globalState } = host.context;
  const presets = new OptionPresets(globalState);
  const previousOptions = readChatOptions(session.conversation.options);
  const selection = getChatSelection(host.models, session.conversation);
  const model = findSelectedModel(selection);
  const { connection } = host.account;
  const setting = action.action === 'set' ? findSharedSetting(action.name) : undefined;
  if (setting !== undefined)
    await setChoice(setting.name, setting.isOnByDefault !== (action.value !== ''));
  const changeResult =
    setting === undefined ? changeOptions(action, previousOptions, presets) : undefined;
  if (action.action === 'keep' && action.name.trim() !== '')
    await presets.save(action.name.trim(), previousOptions);
  if (action.action === 'remove') await presets.remove(action.name);
  // Uses the selected model id even if the model is not listed, because requests to an unlisted model contain the options,
  // too.
  const { id: modelId } = getSelectedModel(selection);
  if (action.action === 'restore') {
    const omittedKeys = findOmittedOptions(previousOptions, { model, modelId, connection });
    for (const key of omittedKeys.get(action.name) ?? []) connection.restoreField(key);
  }
  if (typeof changeResult === 'object') {
    await session.setOptions(changeResult);
    const { character: _character, agent: _agent, ...otherOptions } = changeResult;
    await globalState.update(initialOptionsKey, otherOptions);
  }
  const details = createOptionDetails(readChatOptions(session.conversation.options), {
    model,
    modelId,
    presets,
    connection,
    agents,
  });
  if (action.action === 'set' && action.name === 'agent') {
    const agent = agents.find(({ name }) => name === action.value);
    if (agent !== undefined)
      void chooseAgentModel(host.models, session, agent).catch((error: unknown) =>
        host.log.error('Could not select the model of an agent', error),
      );
  }
  return typeof changeResult === 'string' ? addProblem(details, action, changeResult) : details;
}

/**
 * Returns the options after the action, or an error message if the entered value is invalid. Returns `undefined` if
 * the action does not change the options.
 */
function changeOptions(
  { action, name, value }: OptionsAction,
  previousOptions: ChatOptions,
  presets: OptionPresets,
): ChatOptions | string | undefined {
  const storedValue = omitUndefined({
    character: previousOptions.character,
    agent: previousOptions.agent,
  });
  if (action === 'set') return setOption(previousOptions, name, value);
  if (action === 'reset') return storedValue;
  if (action !== 'choose') return undefined;
  const preset = presets.presets.find(({ id }) => id === name);
  return preset && { ...pickSearchOption(previousOptions), ...preset.options, ...storedValue };
}

/**
 * Returns the web search option if it is set, and no other options. Presets do not change web search, which has a
 * separate button.
 */
const pickSearchOption = ({ webSearch }: ChatOptions): ChatOptions => omitUndefined({ webSearch });

interface DetailsContext {
  readonly model: Model | undefined;
  readonly modelId: string;
  readonly presets: OptionPresets;
  readonly connection: Connection;
  readonly agents: readonly CustomAgent[];
}

function createOptionDetails(
  options: ChatOptions,
  { presets, agents, ...context }: DetailsContext,
): OptionDetails {
  const { model } = context;
  const { character: _character, agent: _agent, ...ownOptions } = options;
  const preset = presets.presets.find((candidate) =>
    haveSameValues({ ...pickSearchOption(ownOptions), ...candidate.options }, ownOptions),
  );
  return {
    type: 'option-details',
    fields: [
      ...createAgentFields(options, agents),
      ...markRefusedFields(createOptionFields(options, model), options, context),
      ...createSharedFields(),
    ],
    presets: presets.presets.map(({ id, name, isUserPreset }) => ({ id, name, own: isUserPreset })),
    preset: preset?.id ?? '',
    notes: listOptionNotes(options, model),
  };
}

/** Settings in the options form that apply to all chats. Neither chats nor presets store these settings. */
const sharedSettings = {
  notify: { name: 'inferenceService.chat.notify', isOnByDefault: true },
  sound: { name: 'inferenceService.chat.sound', isOnByDefault: false },
} as const;

const findSharedSetting = (name: string) =>
  Object.hasOwn(sharedSettings, name)
    ? sharedSettings[name as keyof typeof sharedSettings]
    : undefined;

function createSharedFields(): OptionField[] {
  const { notify, sound } = sharedSettings;
  return [
    createFlagField('notify', getSetting(notify.name), {
      label: vscode.l10n.t('Notifications'),
      help: vscode.l10n.t('When a hidden chat needs you or has finished. Applies to all chats.'),
      isOnByDefault: notify.isOnByDefault,
    }),
    createFlagField('sound', getSetting(sound.name), {
      label: vscode.l10n.t('Sound with notifications'),
      help: '',
      isOnByDefault: sound.isOnByDefault,
    }),
  ];
}

type OmissionContext = Omit<DetailsContext, 'presets' | 'agents'>;

/**
 * Returns the form field for the custom agent. A selected agent that no longer exists stays selected, and the model
 * then has no tools. Returns an empty array if no agent exists or is selected.
 */
function createAgentFields(
  { agent = '' }: ChatOptions,
  agents: readonly CustomAgent[],
): OptionField[] {
  const isMissing = agent !== '' && !agents.some(({ name }) => name === agent);
  const names = [...agents.map(({ name }) => name), ...(isMissing ? [agent] : [])];
  if (names.length === 0) return [];
  const field = createChoiceField({
    name: 'agent',
    label: vscode.l10n.t('Agent'),
    help: agents.find(({ name }) => name === agent)?.description ?? '',
    value: agent,
    choices: [['', vscode.l10n.t('Default')], ...names.map((name) => [name, name] as const)],
  });
  return [isMissing ? { ...field, problem: getProblemMessage(field.name) } : field];
}

/**
 * Selects the model that a custom agent names. Asks the user first if this model costs more, has no
 * known price, or has weaker privacy protection than the current model.
 */
async function chooseAgentModel(
  models: OptionsHost['models'],
  session: ChatSession,
  agent: CustomAgent,
): Promise<void> {
  const model = agent.models
    .map((name) => findChatModelByName(models.models, name))
    .find((namedModel) => namedModel !== undefined && !namedModel.offline);
  const currentModel = findSelectedModel(getChatSelection(models, session.conversation));
  if (model === undefined || model.id === currentModel?.id) return;
  if (
    currentModel === undefined ||
    !protectsAtLeastAsWell(model, currentModel) ||
    costsMore(model, currentModel)
  ) {
    const text = vscode.l10n.t(
      'The agent {0} prefers {1}, which may cost more or protect less.',
      agent.name,
      model.name,
    );
    if ((await showInformation(text, model.name)) !== model.name) return;
  }
  await selectModelOfChat(models, session, model.id);
}

/** Checks whether the model may cost more than `currentModel`, that is, one of its prices is higher or unknown. */
const costsMore = ({ pricing }: Model, currentModel: Model): boolean =>
  (['input', 'output'] as const).some((kind) => {
    const difference = comparePrices(pricing[kind], currentModel.pricing[kind]);
    return pricing[kind] === undefined || difference > 0;
  });

/**
 * Marks the fields whose value the service rejected. Fields that requests leave out with the user's consent get a
 * different mark.
 */
function markRefusedFields(
  fields: readonly OptionField[],
  options: ChatOptions,
  context: OmissionContext,
): OptionField[] {
  const { facts } = context.connection;
  const omittedKeys = findOmittedOptions(options, context);
  const refusedKeysByOption = groupKeysByOption(
    options,
    context,
    (key) => facts.fields?.[key] === false,
  );
  return fields.map((field) => {
    if (field.value === '') return field;
    if (omittedKeys.has(field.name)) return { ...field, isOmitted: true };
    return refusedKeysByOption.has(field.name) && field.problem === ''
      ? {
          ...field,
          problem: vscode.l10n.t('This service does not support this option: {0}.', field.label),
        }
      : field;
  });
}

function listOptionNotes(options: ChatOptions, model: Model | undefined): string[] {
  const { character } = options;
  const deniedLabels = listDeniedOptions(options, model);
  return [
    ...(deniedLabels.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Not sent, because this model does not support it: {0}.',
            deniedLabels.join(', '),
          ),
        ]),
    // A persona has no effect in encrypted chats.
    ...(character === undefined || (model !== undefined && shouldEncryptChats(model))
      ? []
      : [vscode.l10n.t('{0} answers in this chat.', character.name)]),
    ...formatSuffixMessages(model?.id ?? '').values(),
  ];
}

const haveSameValues = (a: ChatOptions, b: ChatOptions): boolean =>
  toSortedJson(a) === toSortedJson(b);

const toSortedJson = (options: ChatOptions): string =>
  JSON.stringify(Object.entries(options).sort(([a], [b]) => a.localeCompare(b)));

const addProblem = (
  details: OptionDetails,
  action: OptionsAction,
  problem: string,
): OptionDetails => ({
  ...details,
  fields: details.fields.map((field) =>
    field.name === action.name ? { ...field, value: action.value, problem } : field,
  ),
});

/**
 * Returns the options that requests leave out with the user's consent. Each key is an option name; its value lists
 * the keys of the omitted request fields. An option that has no value can also have an entry.
 */
const findOmittedOptions = (
  options: ChatOptions,
  context: OmissionContext,
): ReadonlyMap<string, readonly string[]> =>
  groupKeysByOption(
    options,
    context,
    (key) => context.connection.facts.omitted?.includes(key) === true,
  );

/**
 * Returns the request fields that each option sets, as lists of field keys by option name. Contains only the keys that
 * `isIncluded` accepts.
 */
function groupKeysByOption(
  options: ChatOptions,
  { model, modelId }: OmissionContext,
  isIncluded: (key: string) => boolean,
): ReadonlyMap<string, readonly string[]> {
  const request = { model: modelId, messages: [], ...toChatParameters(options, model) };
  const keysByName = new Map<string, string[]>();
  for (const { path, key } of listOptionalFields(request, true)) {
    if (!isIncluded(key)) continue;
    for (const name of optionNamesByField[path] ?? [])
      keysByName.set(name, [...(keysByName.get(name) ?? []), key]);
  }
  return keysByName;
}

/** Names of the chat options that determine each request field, by the path of the field. */
const optionNamesByField: Readonly<Record<string, readonly string[]>> = {
  temperature: ['temperature'],
  top_p: ['topP'],
  max_completion_tokens: ['maxTokens'],
  seed: ['seed'],
  stop: ['stop'],
  verbosity: ['verbosity'],
  reasoning_effort: ['reasoningEffort'],
  response_format: ['responseFormat', 'schema'],
  'parameters.enable_x_search': ['xSearch'],
  parameters: [
    'webSearch',
    'webScraping',
    'webCitations',
    'xSearch',
    'stripThinking',
    'disableThinking',
    'servicePrompt',
  ],
};
