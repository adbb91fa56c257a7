import * as l10n from '@vscode/l10n';
import type {
  OptionDetails,
  OptionField,
  OptionsAction,
} from '../../../src/chat/protocol/composer.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createCodicon, createElement } from '../../base/element.ts';
import { createIconButton, getControlKey, Popover } from './popover.ts';

/** Dialog for the conversation's options. Loaded on first use. */
export class OptionsPopover {
  readonly #post: PostMessage;
  readonly #popover = new Popover({
    label: l10n.t('Options'),
    onOpen: () => {
      this.#isFirstRender = true;
      this.#isAdvancedOpen = false;
      this.#postAction('show');
    },
  });
  #isFirstRender = true;
  #isAdvancedOpen = false;

  constructor(post: PostMessage) {
    this.#post = post;
    addStyle(style);
  }

  get element(): HTMLElement {
    return this.#popover.element;
  }

  toggle(): void {
    this.#popover.toggle();
  }

  /** Renders the options that the host sent. Keeps the focus on the same control. */
  show(details: OptionDetails): void {
    if (this.element.hidden) return;
    const hadFocus = getControlKey(document.activeElement) !== undefined;
    const { hasFocus } = this.#popover.show(
      this.#createHeader(),
      ...details.notes.map((note) =>
        createElement('p', { class: 'note' }, createCodicon('info'), note),
      ),
      ...listPrimaryFields(details).map((field) => this.#createField(field)),
      this.#createAdvancedFold(details),
    );
    if (!hasFocus && (this.#isFirstRender || hadFocus))
      this.element.querySelector<HTMLElement>('.option-field [data-key]')?.focus();
    this.#isFirstRender = false;
  }

  /**
   * Renders the collapsible section with the presets and the rarely changed options. The section is initially open if
   * the user has changed one of its options, so that changed options are visible. If the user closes the section, its
   * heading shows that an option is changed.
   */
  #createAdvancedFold(details: OptionDetails): HTMLDetailsElement {
    const fields = details.fields.filter(({ name }) => !primaryNames.includes(name));
    const isChanged = fields.some(
      ({ name, value, problem, isOmitted }) =>
        !sharedNames.includes(name) && (value !== '' || problem !== '' || isOmitted),
    );
    const hasProblem = fields.some(({ problem }) => problem !== '');
    // Later renders keep the fold open, because the user may be clearing its last changed option.
    if (hasProblem || (this.#isFirstRender && isChanged)) this.#isAdvancedOpen = true;
    const fold = createElement(
      'details',
      { class: 'options-advanced' },
      createElement(
        'summary',
        { 'data-key': 'advanced' },
        createCodicon('chevron-right'),
        isChanged && !this.#isAdvancedOpen ? `${l10n.t('Advanced')} *` : l10n.t('Advanced'),
      ),
      this.#createPresetList(details),
      ...fields.map((field) => this.#createField(field)),
      this.#createPresetForm(),
    );
    fold.open = this.#isAdvancedOpen;
    fold.addEventListener('toggle', () => {
      // The event is asynchronous, so a later render may have replaced the fold.
      if (fold.isConnected) this.#isAdvancedOpen = fold.open;
    });
    return fold;
  }

  #postAction(action: OptionsAction['action'], name = '', value = ''): void {
    this.#post({ type: 'options-action', action, name, value });
  }

  #createHeader(): HTMLElement {
    return this.#popover.createHeader(
      l10n.t('Options'),
      createIconButton('discard', l10n.t('Reset all options'), () => this.#postAction('reset')),
    );
  }

  #createPresetList({ presets, preset }: OptionDetails): HTMLElement {
    const select = createElement('select', {
      'aria-label': l10n.t('Preset'),
      'data-key': 'preset',
    });
    select.append(
      createOption('', preset === '' ? l10n.t('Preset') : l10n.t('Default'), preset === ''),
      ...presets.map(({ id, name }) => createOption(id, name, id === preset)),
    );
    select.addEventListener('change', () =>
      select.value === '' ? this.#postAction('reset') : this.#postAction('choose', select.value),
    );
    const isOwnPreset = presets.some(({ id, own }) => own && id === preset);
    return createElement(
      'div',
      { class: 'options-presets' },
      select,
      ...(isOwnPreset
        ? [createIconButton('trash', l10n.t('Delete'), () => this.#postAction('remove', preset))]
        : []),
    );
  }

  #createField(field: OptionField): HTMLElement {
    const { name, label, help, problem, isOmitted } = field;
    const id = `option-${name}`;
    const control = this.#createControl(field);
    control.id = id;
    const description = problem || help;
    if (description !== '') control.setAttribute('aria-describedby', `${id}-about`);
    if (problem !== '') control.setAttribute('aria-invalid', 'true');
    return createElement(
      'div',
      { class: `option-field ${field.kind}` },
      createElement('label', { for: id }, label),
      control,
      ...(description === ''
        ? []
        : [
            createElement(
              'p',
              { id: `${id}-about`, class: problem === '' ? 'option-help' : 'option-problem' },
              description,
            ),
          ]),
      ...(isOmitted ? [this.#createOmissionNote(field)] : []),
    );
  }

  #createOmissionNote({ name, label }: OptionField): HTMLElement {
    const text = l10n.t('Send it again');
    const button = createElement('button', { type: 'button', class: 'button secondary' }, text);
    button.dataset['key'] = `restore-${name}`;
    button.ariaLabel = `${text}: ${label}`;
    button.addEventListener('click', () => this.#postAction('restore', name));
    return createElement(
      'p',
      { class: 'option-omission' },
      createCodicon('warning'),
      createElement('span', {}, l10n.t('Not sent: this service does not support it.')),
      button,
    );
  }

  #createControl({ name, kind, value, choices, placeholder }: OptionField): HTMLElement {
    const key = { 'data-key': name };
    if (kind === 'choice') {
      const select = createElement('select', key);
      select.append(
        ...choices.map((choice) =>
          createOption(choice.value, choice.label, choice.value === value),
        ),
      );
      select.addEventListener('change', () => this.#postAction('set', name, select.value));
      return select;
    }
    const input =
      kind === 'long'
        ? createElement('textarea', { ...key, rows: '2', spellcheck: 'false' })
        : createElement('input', { ...key, type: 'text', inputmode: 'decimal', placeholder });
    input.value = value;
    input.addEventListener('change', () => this.#postAction('set', name, input.value.trim()));
    return input;
  }

  #createPresetForm(): HTMLElement {
    const input = createElement('input', {
      type: 'text',
      maxlength: '80',
      'data-key': 'new-preset',
      'aria-label': l10n.t('Name'),
      placeholder: l10n.t('Name'),
    });
    const save = (): void => {
      if (input.value.trim() !== '') this.#postAction('keep', input.value.trim());
    };
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) save();
    });
    const button = createElement(
      'button',
      { type: 'button', class: 'button secondary' },
      l10n.t('Save'),
    );
    button.dataset['key'] = 'keep';
    button.addEventListener('click', save);
    return createElement('div', { class: 'options-save' }, input, button);
  }
}

/**
 * Names of options that apply to all chats. Changed values of these options do not mark the options of the current chat
 * as changed.
 */
const sharedNames = ['notify', 'sound'];
/** Names of the options above the collapsible section, in display order. */
const primaryNames = ['webSearch', 'reasoningEffort', 'verbosity'];

const listPrimaryFields = ({ fields }: OptionDetails): OptionField[] =>
  primaryNames.flatMap((primaryName) => fields.filter(({ name }) => name === primaryName));

function createOption(value: string, label: string, isSelected: boolean): HTMLOptionElement {
  const option = createElement('option', { value }, label);
  option.selected = isSelected;
  return option;
}

const style = `
.options-advanced > summary {
  display: flex;
  gap: 4px;
  align-items: center;
  min-height: 24px;
  border-radius: var(--radius);
  color: var(--muted);
  list-style: none;
  cursor: pointer;
}
.options-advanced > summary:hover {
  color: var(--vscode-menu-foreground);
}
.options-advanced[open] > summary > .codicon {
  rotate: 90deg;
}
.options-advanced > :not(summary) {
  margin-top: 8px;
}
.options-popover :is(select, input, textarea) {
  box-sizing: border-box;
  min-width: 0;
  height: 26px;
  border: 1px solid var(--vscode-input-border, var(--border));
  border-radius: var(--radius);
  padding: 0 4px;
  color: var(--vscode-input-foreground);
  background: var(--vscode-input-background);
  font: inherit;
}
.options-popover select {
  border-color: var(--vscode-dropdown-border, var(--border));
  color: var(--vscode-dropdown-foreground);
  background: var(--vscode-dropdown-background);
}
.options-popover textarea {
  height: auto;
  padding: 4px;
  font-family: var(--vscode-editor-font-family);
  resize: vertical;
}
.options-popover [aria-invalid] {
  border-color: var(--vscode-inputValidation-errorBorder);
}
.option-field {
  display: grid;
  grid-template-columns: minmax(0, 1fr) fit-content(60%);
  gap: 0 8px;
  align-items: center;
}
/* Selects are as wide as their longest choice if the popover is wide enough. */
.option-field:not(.long) > :is(select, input) {
  width: 100%;
  min-width: clamp(96px, 36vw, 184px);
}
.option-field > input {
  max-width: clamp(96px, 36vw, 184px);
}
.option-field.long {
  grid-template-columns: minmax(0, 1fr);
}
.option-help,
.option-problem {
  grid-column: 1 / -1;
  color: var(--muted);
  font-size: 0.92em;
}
.option-omission {
  display: flex;
  grid-column: 1 / -1;
  flex-wrap: wrap;
  gap: 4px;
  align-items: center;
  font-size: 0.92em;
}
/* The error color of some themes has too little contrast for text. */
.option-problem {
  color: color-mix(in srgb, var(--vscode-errorForeground) 70%, var(--vscode-foreground));
}
`;
