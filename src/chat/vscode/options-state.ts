import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import type { OptionsState } from '../protocol/composer.ts';
import { canSearchWeb, type StoredChatOptions } from '../../conversation/chat-options.ts';
import type { Conversation, ConversationRecord } from '../../conversation/conversation.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import { parseModelSuffix } from '../../service/model-suffix.ts';
import type { Model } from '../../service/model-types.ts';
import type { VoiceView } from '../../speech/protocol.ts';

/** Returns messages about the request parameters that the suffix of a model id sets, by parameter name. */
export const formatSuffixMessages = (modelId: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(parseModelSuffix(modelId)).map(([name, value]) => [
      name,
      vscode.l10n.t(
        'The model’s id sets {0} to {1}, which overrides the choice here.',
        name,
        value.slice(0, maxValueLength),
      ),
    ]),
  );

const maxValueLength = 200;

const maxSuffixLength = 2_000;

/** Returns the options that the composer shows outside of the options popover. */
export function createOptionsState(
  storedOptions: StoredChatOptions,
  model: Model | undefined,
): OptionsState {
  // The composer shows the persona separately.
  const { webSearch, character: _character, ...otherOptions } = storedOptions;
  const messages = formatSuffixMessages(model?.id ?? '');
  const search = parseModelSuffix(model?.id ?? '')['enable_web_search'] ?? webSearch;
  return {
    webSearch:
      !canSearchWeb(model) || (model !== undefined && shouldEncryptChats(model))
        ? null
        : search === 'on' || search === 'auto'
          ? search
          : 'off',
    searchDisabledReason: messages.get('enable_web_search') ?? '',
    suffix: [...messages.values()].join('\n').slice(0, maxSuffixLength),
    changed: Object.keys(otherOptions).length > 0,
  };
}

/** Storage key of the options that the user last chose in any window. */
export const initialOptionsKey = 'chat.options';

/**
 * Creates the first records of a new conversation. They contain the options that the user last chose in any window.
 * Omits the web search value `on`, because web search costs money. The user must choose this value for each
 * conversation.
 */
export function createInitialOptionsRecords(
  state: Pick<vscode.Memento, 'get'>,
): ConversationRecord[] {
  const storedOptions = state.get<unknown>(initialOptionsKey);
  if (!isRecord(storedOptions)) return [];
  const { webSearch, ...otherOptions } = storedOptions;
  const options = webSearch === undefined || webSearch === 'on' ? otherOptions : storedOptions;
  return Object.keys(options).length > 0 ? [{ type: 'options-set', options }] : [];
}

/** Returns the voice features and the persona of a conversation for the page. */
export const createVoiceView = (
  { models }: Pick<ModelCatalog, 'models'>,
  conversation: Pick<Conversation, 'options'>,
): VoiceView => ({
  reads: models.some(({ type, offline }) => type === 'tts' && !offline),
  listens: models.some(({ type, offline }) => type === 'asr' && !offline),
  persona: getPersonaName(conversation),
});

/** Returns the name of the persona that answers in the conversation; null without a persona. */
export const getPersonaName = ({
  options: { character },
}: Pick<Conversation, 'options'>): string | null =>
  hasName(character) ? character.name.slice(0, 200) : null;

const hasName = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  value.name !== '';
