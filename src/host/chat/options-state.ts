import type { KeptOptions } from '../../chat/chat-options.ts';
import { suffixOf } from '../../service/model-suffix.ts';
import type { OptionsState } from '../../protocol/chat/options.ts';
import type { Model } from '../../service/model-types.ts';

/** What the composer shows of the options before anybody looks into them. */
export function optionsState(kept: KeptOptions, model: Model | undefined): OptionsState {
  const { webSearch, ...others } = kept;
  const search = suffixOf(model?.id ?? '')['enable_web_search'] ?? webSearch;
  return {
    webSearch:
      model?.capabilities.supportsWebSearch !== true
        ? null
        : search === 'on' || search === 'auto'
          ? search
          : 'off',
    changed: Object.keys(others).length > 0,
  };
}
