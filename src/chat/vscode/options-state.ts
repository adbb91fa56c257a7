import type { KeptOptions } from '../../conversation/chat-options.ts';
import { suffixOf } from '../../service/model-suffix.ts';
import type { OptionsState } from '../protocol/composer.ts';
import type { Model } from '../../service/model-types.ts';
import { encryptsChats } from '../../privacy/vscode/privacy-settings.ts';
import { suffixWords } from './suffix-words.ts';

const longestSuffix = 2_000;

/** What the composer shows of the options before anybody looks into them. */
export function optionsState(kept: KeptOptions, model: Model | undefined): OptionsState {
  // A persona is not chosen in the options, and has a chip of its own.
  const { webSearch, character: _character, ...others } = kept;
  const words = suffixWords(model?.id ?? '');
  const search = suffixOf(model?.id ?? '')['enable_web_search'] ?? webSearch;
  return {
    webSearch:
      model?.capabilities.supportsWebSearch !== true || encryptsChats(model)
        ? null
        : search === 'on' || search === 'auto'
          ? search
          : 'off',
    searchFixed: words.get('enable_web_search') ?? '',
    suffix: [...words.values()].join('\n').slice(0, longestSuffix),
    changed: Object.keys(others).length > 0,
  };
}
