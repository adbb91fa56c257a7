import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { Clock } from '../../src/base/clock.ts';
import type { ModelView } from '../../src/models/protocol.ts';
import type { PostMessage } from './store.ts';
import { type Catalog, initialState } from './store.ts';
import { renderIcon, renderIconButton, renderTextButton } from '../base/controls.ts';
import {
  filterModels,
  getGroupTitle,
  renderModelOption,
  listOfferedCapabilities,
} from './model-option.ts';
import { formatWait, getModelTermLabel } from '../base/format.ts';

interface PickerContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  readonly onOpen: () => void;
  /**
   * Called when the picker closes. If `shouldRefocus` is true, the picker had the focus, and the callback must focus
   * another control.
   */
  readonly onClose: (shouldRefocus: boolean) => void;
}

const pageSize = 8;

/** List of models above the composer. The focus stays in the filter field; arrow keys move through the list. */
export class ModelPicker {
  readonly element = document.createElement('div');
  readonly #context: PickerContext;
  #catalog: Catalog = initialState.catalog;
  #selectedId: string | undefined;
  #needsTools = false;
  #filterText = '';
  #capabilities: ReadonlySet<string> = new Set();
  /** Id of the model that Enter selects. Stays the same when the list of models is updated or filtered. */
  #activeId: string | undefined;
  #foundModels: ModelView[] = [];
  #stopTicking: () => void = () => {};
  #onChoose: (id: string) => void = () => {};
  /** True if the chosen model applies to the next turn only, such as a retry. The model of the chat then stays. */
  #isRetry = false;
  /**
   * Text above the list that states the purpose of the choice. Undefined if the chosen model becomes the model of the
   * chat.
   */
  #purposeText: string | undefined;

  constructor(context: PickerContext) {
    this.#context = context;
    this.element.id = 'model-picker';
    this.element.className = 'model-picker';
    this.element.role = 'dialog';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', ({ relatedTarget }) => this.#onBlur(relatedTarget));
    // Prevents a click on the list from moving the focus out of the filter field.
    this.element.addEventListener('mousedown', (event) => this.#keepFocus(event));
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /**
   * Opens the list, or closes it.
   * @param onChoose called with the id of the chosen model. If omitted, the choice becomes the model of the chat.
   */
  toggle(onChoose?: (id: string) => void): void {
    if (this.isOpen) return this.close();
    this.#onChoose = onChoose ?? ((id) => this.#context.post({ type: 'model-select', id }));
    this.#purposeText = onChoose && l10n.t('Retry with another model');
    this.element.ariaLabel = this.#purposeText ?? l10n.t('Choose a model');
    this.element.hidden = false;
    this.#filterText = '';
    this.#capabilities = new Set();
    this.#isRetry = onChoose !== undefined;
    this.#activeId = this.#isRetry ? undefined : this.#selectedId;
    this.#context.post({ type: 'model-list-request', refresh: 'no' });
    this.#filterModels();
    this.#context.onOpen();
    this.#getInput()?.focus();
  }

  close(): void {
    if (this.isOpen) this.#hideMenu(true);
  }

  /**
   * Updates the models and the selected model.
   * @param needsTools true if the current chat mode requires a model that supports tool calls
   */
  update(catalog: Catalog, selectedId: string | undefined, needsTools: boolean): void {
    const isSelectionUnchanged = catalog === this.#catalog && selectedId === this.#selectedId;
    if (isSelectionUnchanged && needsTools === this.#needsTools) return;
    this.#catalog = catalog;
    this.#selectedId = selectedId;
    this.#needsTools = needsTools;
    if (this.isOpen) this.#filterModels();
  }

  #hideMenu(shouldRefocus: boolean): void {
    this.element.hidden = true;
    this.#stopTicking();
    render(nothing, this.element);
    this.#context.onClose(shouldRefocus);
  }

  #getInput(): HTMLInputElement | null {
    return this.element.querySelector('input');
  }

  #filterModels(): void {
    this.#foundModels = filterModels(this.#catalog.models, {
      searchText: this.#filterText,
      capabilities: this.#capabilities,
    });
    this.#renderAndScroll();
  }

  /**
   * Index of the model that Enter selects, in the filtered list. If the filtered list does not contain this model: the
   * index of the first model, or for a retry the index of the first online model that differs from the current one.
   */
  get #activeIndex(): number {
    const index = this.#foundModels.findIndex(({ id }) => id === this.#activeId);
    if (index >= 0 || !this.#isRetry) return Math.max(0, index);
    const otherModels = this.#foundModels.filter(
      ({ id, offline }) => id !== this.#selectedId && !offline,
    );
    const bestModel = otherModels.find(({ capabilities }) => capabilities.includes('tools'));
    const preferredModel = (this.#needsTools ? bestModel : undefined) ?? otherModels[0];
    return preferredModel === undefined ? 0 : this.#foundModels.indexOf(preferredModel);
  }

  #moveTo(index: number): void {
    this.#activeId =
      this.#foundModels[Math.max(0, Math.min(index, this.#foundModels.length - 1))]?.id;
    this.#renderAndScroll();
  }

  #renderAndScroll(): void {
    this.#render();
    this.element.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }

  #chooseModel(model: ModelView | undefined): void {
    if (model === undefined || model.offline) return;
    this.#onChoose(model.id);
    this.close();
  }

  #onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageSize,
      PageUp: -pageSize,
    };
    const step = steps[event.key];
    if (step !== undefined) this.#moveTo(this.#activeIndex + step);
    else if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && event.target === this.#getInput())
      this.#chooseModel(this.#foundModels[this.#activeIndex]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onBlur(newFocus: EventTarget | null): void {
    // The picker stays open when the whole window loses the focus, because the focus later returns to the picker.
    const isLeavingPicker =
      newFocus instanceof Node ? !this.element.contains(newFocus) : document.hasFocus();
    if (this.isOpen && isLeavingPicker) this.#hideMenu(false);
  }

  #keepFocus(event: MouseEvent): void {
    if (event.target !== this.#getInput()) event.preventDefault();
  }

  #render(): void {
    this.#updateWhileWaiting();
    const { models, loading } = this.#catalog;
    const activeModel = this.#foundModels[this.#activeIndex];
    render(
      html`${this.#purposeText === undefined ? nothing : html`<p class="picker-title" aria-hidden="true">${this.#purposeText}</p>`}
        <div class="picker-head">
          <input
            type="text"
            role="combobox"
            aria-label=${l10n.t('Filter by name')}
            aria-autocomplete="list"
            aria-expanded=${activeModel === undefined ? 'false' : 'true'}
            aria-controls=${activeModel === undefined ? nothing : 'model-list'}
            aria-activedescendant=${activeModel === undefined ? nothing : `model-${this.#activeIndex}`}
            placeholder=${l10n.t('Filter by name')}
            spellcheck="false"
            .value=${this.#filterText}
            @input=${() => this.#onFilterInput()}
          />
          ${renderIconButton({
            icon: loading ? 'loading' : 'refresh',
            label: l10n.t('Refresh'),
            onClick: () => this.#context.post({ type: 'model-list-request', refresh: 'yes' }),
          })}
        </div>
        ${this.#renderCapabilityFilters(models)} ${this.#renderPrivateOnlyNote()}
        ${this.#renderStaleNote()} ${this.#renderRetryNote()}
        ${this.#foundModels.length === 0 ? this.#renderEmptyNote() : this.#renderList(activeModel)}`,
      this.element,
    );
  }

  #renderList(activeModel: ModelView | undefined): TemplateResult {
    const { models } = this.#catalog;
    return html`<div
        role="listbox"
        id="model-list"
        class="model-list"
        aria-label=${l10n.t('Models')}
      >
        ${this.#foundModels.map(
          (model, index) =>
            html`${this.#renderGroupTitle(index)}${this.#renderOption(model, index, model === activeModel)}`,
        )}
      </div>
      <p class="picker-foot">
        ${l10n.t('{0}. Prices per million tokens.', formatCount(this.#foundModels.length, models.length))}
      </p>`;
  }

  #renderGroupTitle(index: number): TemplateResult | typeof nothing {
    const title = getGroupTitle(this.#foundModels, index);
    if (title === undefined) return nothing;
    return html`<div class="model-group" role="presentation" aria-hidden="true">${title}</div>`;
  }

  #onFilterInput(): void {
    this.#filterText = this.#getInput()?.value ?? '';
    this.#activeId = undefined;
    this.#filterModels();
  }

  #renderOption(model: ModelView, index: number, isActive: boolean): TemplateResult {
    return renderModelOption({
      model,
      index,
      isActive,
      isSelected: model.id === this.#selectedId,
      needsTools: this.#needsTools,
      onChoose: () => this.#chooseModel(model),
    });
  }

  #renderCapabilityFilters(models: readonly ModelView[]): TemplateResult | typeof nothing {
    const capabilities = listOfferedCapabilities(models);
    if (capabilities.length === 0) return nothing;
    return html`<div class="filters" role="group" aria-label=${l10n.t('Capabilities')}>
      ${capabilities.map(
        (capability) =>
          html`<button
            type="button"
            class="filter"
            aria-pressed=${this.#capabilities.has(capability) ? 'true' : 'false'}
            @click=${() => this.#toggleCapability(capability)}
          >
            ${getModelTermLabel(capability)}
          </button>`,
      )}
    </div>`;
  }

  #toggleCapability(capability: string): void {
    this.#capabilities = this.#capabilities.symmetricDifference(new Set([capability]));
    this.#activeId = undefined;
    this.#filterModels();
  }

  /**
   * Renders a note that the setting `inferenceService.privateModelsOnly` hides models, with a button that opens this
   * setting.
   */
  #renderPrivateOnlyNote(): TemplateResult | typeof nothing {
    if (!this.#catalog.privateOnly) return nothing;
    return html`<button
      type="button"
      class="picker-lock"
      title=${l10n.t('A setting hides all other models. Open it.')}
      @click=${() => this.#openPrivateSetting()}
    >
      ${renderIcon('lock')} ${l10n.t('Private models only')}
    </button>`;
  }

  #openPrivateSetting(): void {
    this.close();
    this.#context.post({ type: 'action-run', messageId: null, action: 'open-private-setting' });
  }

  #renderStaleNote(): TemplateResult | typeof nothing {
    const { stale, models } = this.#catalog;
    if (stale === null || models.length === 0) return nothing;
    return html`<p class="note picker-stale">${renderIcon('cloud-download')} ${stale}</p>`;
  }

  /**
   * Renders the remaining seconds until the model list can be requested again. If the extension will repeat the request
   * itself, also renders a Cancel button.
   */
  #renderRetryNote(): TemplateResult | typeof nothing {
    const ms = this.#waitMs;
    if (ms === 0) return nothing;
    const time = formatWait(Math.ceil(ms / 1_000));
    if (!this.#catalog.loading)
      return html`<p class="note picker-wait">${l10n.t('Try again in {0}', time)}</p>`;
    return html`<div class="note picker-wait">
      <span>${l10n.t('Trying again in {0}', time)}</span>
      ${renderTextButton({
        label: l10n.t('Cancel'),
        onClick: () => this.#context.post({ type: 'model-list-request', refresh: 'cancel' }),
      })}
    </div>`;
  }

  get #waitMs(): number {
    return Math.max(0, (this.#catalog.retryAt ?? 0) - this.#context.clock.now());
  }

  #updateWhileWaiting(): void {
    this.#stopTicking();
    const ms = this.#waitMs;
    if (ms > 0)
      this.#stopTicking = this.#context.clock.after(Math.min(ms, 1_000), () => this.#render());
  }

  #renderEmptyNote(): TemplateResult {
    const { models, loading, stale, privateOnly } = this.#catalog;
    if (loading && models.length === 0 && stale === null) {
      return html`<p class="picker-empty late">${renderIcon('loading')} ${l10n.t('Loading…')}</p>`;
    }
    const emptyText = privateOnly
      ? l10n.t('The service offers no private models')
      : l10n.t('The service offers no models to this account.');
    const text = models.length > 0 ? l10n.t('No results') : (stale ?? emptyText);
    return html`<p class="picker-empty">${text}</p>`;
  }
}

const formatCount = (matchCount: number, totalCount: number): string =>
  matchCount !== totalCount
    ? l10n.t('{0} of {1}', matchCount, totalCount)
    : totalCount === 1
      ? l10n.t('1 model')
      : l10n.t('{0} models', totalCount);
