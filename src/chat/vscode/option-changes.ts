import * as vscode from 'vscode';
import { defined } from '../../base/json.ts';
import type { ChatSession } from '../chat-session.ts';
import { type ChatOptions, readChatOptions } from '../../conversation/chat-options.ts';
import type { OptionDetails, OptionsAct } from '../protocol/composer.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../../host.ts';
import { knownAskedModel } from '../../models/vscode/asked-model.ts';
import { encryptsChats } from '../../privacy/vscode/privacy-settings.ts';
import { startingOptionsKey } from './starting-options.ts';
import { optionFields } from './option-fields.ts';
import { OptionPresets } from './option-presets.ts';
import { withOption } from './option-values.ts';
import { suffixWords } from './suffix-words.ts';

interface OptionsContext {
  readonly host: Pick<Host, 'context' | 'models'>;
  readonly session: ChatSession;
}

/** Does what the page asks of the conversation's options. @returns what they are then */
export async function actOnOptions(
  act: OptionsAct,
  { host, session }: OptionsContext,
): Promise<OptionDetails> {
  const { globalState } = host.context;
  const presets = new OptionPresets(globalState);
  const before = readChatOptions(session.conversation.options);
  const after = changed(act, before, presets);
  if (act.action === 'keep' && act.name.trim() !== '') await presets.save(act.name.trim(), before);
  if (act.action === 'remove') await presets.remove(act.name);
  if (typeof after === 'object') {
    await session.setOptions(after);
    const { character: _character, ...others } = after;
    await globalState.update(startingOptionsKey, others);
  }
  const details = detailsOf(readChatOptions(session.conversation.options), {
    model: knownAskedModel(host.models),
    presets,
  });
  return typeof after === 'string' ? withProblem(details, act, after) : details;
}

/** The options after the act; a sentence when they cannot be; undefined when it changes none. */
function changed(
  { action, name, value }: OptionsAct,
  before: ChatOptions,
  presets: OptionPresets,
): ChatOptions | string | undefined {
  const kept = before.character === undefined ? {} : { character: before.character };
  if (action === 'set') return withOption(before, name, value);
  if (action === 'reset') return kept;
  if (action !== 'choose') return undefined;
  const preset = presets.all.find(({ id }) => id === name);
  return preset && { ...searchOf(before), ...preset.options, ...kept };
}

/** It has a button of its own: only a preset that names it changes it. */
const searchOf = ({ webSearch }: ChatOptions): ChatOptions => defined({ webSearch });

interface Known {
  readonly model: Model | undefined;
  readonly presets: OptionPresets;
}

function detailsOf(options: ChatOptions, { model, presets }: Known): OptionDetails {
  const { character: _character, ...own } = options;
  const preset = presets.all.find((each) => isSame({ ...searchOf(own), ...each.options }, own));
  return {
    type: 'option-details',
    fields: optionFields(options, model),
    presets: presets.all.map(({ id, name, own: mine }) => ({ id, name, own: mine })),
    preset: preset?.id ?? '',
    notes: notesOf(options, model),
  };
}

function notesOf({ character }: ChatOptions, model: Model | undefined): string[] {
  return [
    // An encrypted chat goes without it.
    ...(character === undefined || (model !== undefined && encryptsChats(model))
      ? []
      : [vscode.l10n.t('{0} answers in this chat.', character.name)]),
    ...suffixWords(model?.id ?? '').values(),
  ];
}

const isSame = (a: ChatOptions, b: ChatOptions): boolean => sorted(a) === sorted(b);

const sorted = (options: ChatOptions): string =>
  JSON.stringify(Object.entries(options).sort(([a], [b]) => a.localeCompare(b)));

const withProblem = (details: OptionDetails, act: OptionsAct, problem: string): OptionDetails => ({
  ...details,
  fields: details.fields.map((field) =>
    field.name === act.name ? { ...field, value: act.value, problem } : field,
  ),
});
