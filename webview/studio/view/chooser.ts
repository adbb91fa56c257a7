import { html, nothing, render, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type {
  StudioEditModel,
  StudioModel,
  StudioModels,
} from '../../../src/image/studio/protocol/form.ts';
import { renderIcon, renderIconButton, getTypedCharacter } from '../../base/controls.ts';
import { getModelTermLabel } from '../../base/format.ts';
import { labels } from '../labels.ts';

export interface ChooserOption {
  /** Value of the option. The option with an empty value clears the choice. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
  /** Text at the end of the option's line, such as a price. */
  readonly trailingText?: string;
  readonly warning?: string;
  readonly isDisabled?: boolean;
}

/** Current value and options of a chooser. */
export interface ChooserContent {
  readonly value: string;
  readonly options: readonly ChooserOption[];
  /** Content to show if there are no options. */
  readonly emptyText: TemplateResult | string;
  /** Text to show above the list. */
  readonly note?: string;
}

interface ChooserContext {
  /** Id of the button, unique on the page. */
  readonly id: string;
  readonly label: string;
  readonly listLabel: string;
  readonly filterLabel: string;
  readonly placeholder: string;
  readonly onChoose: (value: string) => void;
  /** Called when the list opens, to load the options. */
  readonly onOpen?: () => void;
  readonly refresh?: { readonly label: string; readonly onClick: () => void };
}

const pageSize = 8;

/**
 * Button that shows the chosen option and opens a list of options with a filter field. The focus stays in the filter
 * field, and the arrow keys move through the list.
 */
export class Chooser {
  readonly element = document.createElement('div');
  readonly #context: ChooserContext;
  #content: ChooserContent = { value: '', options: [], emptyText: '' };
  #isOpen = false;
  #filterText = '';
  /** Value of the option that Enter chooses in the open list. */
  #activeValue: string | undefined;

  constructor(context: ChooserContext) {
    this.#context = context;
    this.element.className = 'chooser';
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', ({ relatedTarget }) => this.#onBlur(relatedTarget));
    this.element.addEventListener('mousedown', (event) => this.#keepFocus(event));
  }

  update(content: ChooserContent): void {
    this.#content = content;
    this.#render();
  }

  focus(): void {
    this.#getButton()?.focus();
  }

  get #foundOptions(): ChooserOption[] {
    const words = this.#filterText.toLowerCase().split(/\s+/u).filter(Boolean);
    return this.#content.options.filter(({ label, detail = '' }) => {
      const text = `${label} ${detail}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #toggleMenu(filter = ''): void {
    if (this.#isOpen) return this.#closeMenu(true);
    this.#isOpen = true;
    this.#filterText = filter;
    this.#activeValue = filter === '' ? this.#content.value : undefined;
    this.#context.onOpen?.();
    this.#drawMenu();
    this.#getInput()?.focus();
    this.element.querySelector('.chooser-panel')?.scrollIntoView({ block: 'nearest' });
  }

  #closeMenu(shouldRefocus: boolean): void {
    this.#isOpen = false;
    this.#render();
    if (shouldRefocus) this.#getButton()?.focus();
  }

  #chooseOption(option: ChooserOption | undefined): void {
    if (option === undefined || option.isDisabled === true) return;
    this.#closeMenu(true);
    if (option.value !== this.#content.value) this.#context.onChoose(option.value);
  }

  get #activeIndex(): number {
    return Math.max(
      0,
      this.#foundOptions.findIndex(({ value }) => value === this.#activeValue),
    );
  }

  #moveTo(index: number): void {
    const foundOptions = this.#foundOptions;
    this.#activeValue = foundOptions[Math.max(0, Math.min(index, foundOptions.length - 1))]?.value;
    this.#drawMenu();
  }

  #drawMenu(): void {
    this.#render();
    this.element.querySelector('.option.active')?.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (!this.#isOpen) return this.#onClosedKey(event);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageSize,
      PageUp: -pageSize,
    };
    const step = steps[event.key];
    if (step !== undefined) this.#moveTo(this.#activeIndex + step);
    else if (event.key === 'Escape') this.#closeMenu(true);
    else if (event.key === 'Enter' && event.target === this.#getInput())
      this.#chooseOption(this.#foundOptions[this.#activeIndex]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Opens the list when the user presses an arrow key or types a character, as in a native `select` element. */
  #onClosedKey(event: KeyboardEvent): void {
    if (event.target !== this.#getButton()) return;
    const typedText = getTypedCharacter(event).trim();
    const isOpenKey = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (!isOpenKey && typedText === '') return;
    this.#toggleMenu(typedText);
    event.preventDefault();
  }

  #onBlur(focusTarget: EventTarget | null): void {
    const isLeaving =
      focusTarget instanceof Node ? !this.element.contains(focusTarget) : document.hasFocus();
    if (this.#isOpen && isLeaving) this.#closeMenu(false);
  }

  #keepFocus(event: MouseEvent): void {
    const { target } = event;
    if (target instanceof Element && target.closest('[role=listbox]')) event.preventDefault();
  }

  #getButton(): HTMLElement | null {
    return this.element.querySelector('.chooser-button');
  }

  #getInput(): HTMLInputElement | null {
    return this.element.querySelector('input');
  }

  #render(): void {
    const { id, label, placeholder } = this.#context;
    const { value, options } = this.#content;
    const chosenOption = options.find((option) => option.value === value);
    const text = chosenOption?.label ?? (value || placeholder);
    render(
      html`<button
          type="button"
          id=${id}
          class="chooser-button input"
          aria-haspopup="dialog"
          aria-expanded=${this.#isOpen ? 'true' : 'false'}
          aria-label=${[`${label}: ${text}`, chosenOption?.trailingText].filter(Boolean).join(' ')}
          @click=${() => this.#toggleMenu()}
        >
          <span class="chooser-value"><bdi>${text}</bdi></span>
          ${chosenOption?.trailingText ? html`<span class="chooser-figure">${chosenOption.trailingText}</span>` : nothing}
          ${renderIcon('chevron-down')}
        </button>
        ${this.#isOpen ? this.#renderPanel() : nothing}`,
      this.element,
    );
  }

  #renderPanel(): TemplateResult {
    const { id, label, filterLabel, refresh } = this.#context;
    const { options, emptyText, note } = this.#content;
    const foundOptions = this.#foundOptions;
    const activeOption = foundOptions[this.#activeIndex];
    return html`<div class="chooser-panel" role="dialog" aria-label=${label}>
      <div class="chooser-head">
        <input
          type="text"
          class="input"
          role="combobox"
          aria-label=${filterLabel}
          aria-autocomplete="list"
          aria-expanded=${activeOption === undefined ? 'false' : 'true'}
          aria-controls=${activeOption === undefined ? nothing : `${id}-list`}
          aria-activedescendant=${activeOption === undefined ? nothing : `${id}-${this.#activeIndex}`}
          placeholder=${filterLabel}
          spellcheck="false"
          .value=${live(this.#filterText)}
          @input=${() => this.#onFilterInput()}
        />
        ${refresh === undefined ? nothing : renderIconButton({ icon: 'refresh', ...refresh })}
      </div>
      ${note ? html`<p class="hint">${note}</p>` : nothing}
      ${
        foundOptions.length === 0
          ? html`<div class="chooser-empty">
              ${options.length === 0 ? emptyText : labels.noMatch}
            </div>`
          : this.#renderList(foundOptions, activeOption)
      }
    </div>`;
  }

  #renderList(
    foundOptions: readonly ChooserOption[],
    activeOption: ChooserOption | undefined,
  ): TemplateResult {
    const { id, listLabel } = this.#context;
    return html`<div role="listbox" id="${id}-list" class="options" aria-label=${listLabel}>
      ${foundOptions.map((option, index) => this.#renderOption(option, index, option === activeOption))}
    </div>`;
  }

  #renderOption(option: ChooserOption, index: number, isActive: boolean): TemplateResult {
    const { label, detail, trailingText, warning, isDisabled = false } = option;
    const isSelected = option.value === this.#content.value;
    return html`<div
      role="option"
      id="${this.#context.id}-${index}"
      class="option ${isActive ? 'active' : ''}"
      aria-selected=${isSelected ? 'true' : 'false'}
      aria-disabled=${isDisabled ? 'true' : nothing}
      @click=${() => this.#chooseOption(option)}
    >
      <span class="option-check">${isSelected ? renderIcon('check') : nothing}</span>
      <span class="option-label"><bdi>${label}</bdi></span>
      <span class="option-figure">${trailingText ?? ''}</span>
      ${detail ? html`<span class="option-detail">${detail}</span>` : nothing}
      ${
        warning
          ? html`<span class="option-detail option-warning"
              >${renderIcon('warning')} ${warning}</span
            >`
          : nothing
      }
    </div>`;
  }

  #onFilterInput(): void {
    this.#filterText = this.#getInput()?.value ?? '';
    this.#activeValue = undefined;
    this.#drawMenu();
  }
}

/** Creates the options for models. Available models come first. */
export function createModelChoices(
  models: readonly (StudioModel | StudioEditModel)[],
  { loading, stale, failure }: StudioModels,
  value: string,
): ChooserContent {
  const options = models
    .map(createOption)
    .sort((a, b) => Number(a.isDisabled) - Number(b.isDisabled));
  return {
    value,
    options,
    note: stale === null ? '' : labels.formatStaleReason(stale),
    emptyText: loading
      ? html`<span class="late">${renderIcon('loading')} ${labels.modelsLoading}</span>`
      : (failure?.title ?? labels.modelsNone),
  };
}

function createOption(model: StudioModel | StudioEditModel): ChooserOption {
  const { id, name, offline, privacy, traits, priceText, warning } = model;
  return {
    value: id,
    label: name,
    trailingText: priceText,
    detail: [offline ? labels.offline : '', ...new Set([privacy, ...traits].map(getModelTermLabel))]
      .filter(Boolean)
      .join(' · '),
    warning,
    isDisabled: offline,
  };
}
