import { optionalFields } from '../service/chat/optional-fields.ts';
import type { Connection } from '../service/http/connection.ts';
import type { Model } from '../service/model-types.ts';
import { type ChatOptions, chatParameters } from './chat-options.ts';

/**
 * Returns the options that requests leave out because the user agreed to send them without. Maps the name of an option
 * to the keys of its omitted fields. An entry can exist for an option without a value.
 */
export function omittedOptions(
  options: ChatOptions,
  model: Model,
  { facts }: Pick<Connection, 'facts'>,
): ReadonlyMap<string, readonly string[]> {
  const request = { model: model.id, messages: [], ...chatParameters(options, model) };
  const keysByName = new Map<string, string[]>();
  for (const { path, key } of optionalFields(request, true)) {
    if (facts.omitted?.includes(key) !== true) continue;
    for (const name of optionNames[path] ?? [])
      keysByName.set(name, [...(keysByName.get(name) ?? []), key]);
  }
  return keysByName;
}

/** Options that each field of a request contains, by path. */
const optionNames: Readonly<Record<string, readonly string[]>> = {
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
