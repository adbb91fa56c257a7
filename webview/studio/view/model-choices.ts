import { html } from 'lit';
import type {
  StudioEditModel,
  StudioModel,
  StudioModels,
} from '../../../src/image/studio/protocol/state.ts';
import { icon } from '../../base/controls.ts';
import { modelWord } from '../../base/format.ts';
import { words } from '../messages.ts';
import type { Choices, Option } from './chooser.ts';

/** The models to choose from, those that can be used first. */
export function modelChoices(
  models: readonly (StudioModel | StudioEditModel)[],
  { loading, stale, failure }: StudioModels,
  value: string,
): Choices {
  const options = models.map(optionOf).sort((a, b) => Number(a.disabled) - Number(b.disabled));
  return {
    value,
    options,
    note: stale === null ? '' : words.savedList(stale),
    empty: loading
      ? html`<span class="late">${icon('loading')} ${words.modelsLoading}</span>`
      : (failure?.title ?? words.modelsNone),
  };
}

function optionOf(model: StudioModel | StudioEditModel): Option {
  const { id, name, offline, privacy, traits, priceText, warning } = model;
  return {
    value: id,
    label: name,
    figure: priceText,
    detail: [offline ? words.offline : '', ...new Set([privacy, ...traits].map(modelWord))]
      .filter(Boolean)
      .join(' · '),
    warning,
    disabled: offline,
  };
}
