import { addStyle, createCodicon, createElement } from '../../base/element.ts';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** One line that explains the choice. */
  readonly description: string;
}

export interface ChoiceMenuContent<Value extends string> {
  /** Accessible name of the menu. */
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** Distance of the menu from the edges of the page and from the button that opens it, in pixels. */
const menuGapPx = 4;

/**
 * Menu of choices with descriptions, above the button that opens the menu. Only one choice can be selected. Loaded on
 * first use.
 */
export class ChoiceMenu {
  readonly element = createElement('div', { class: 'choice-menu', role: 'menu', hidden: '' });
  #opener: HTMLElement | undefined;

  constructor() {
    addStyle(style);
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', (event) => this.#onBlur(event));
    window.addEventListener('resize', () => this.close());
  }

  /** Opens the menu above `opener`. If `opener` has already opened the menu, closes it. */
  toggle<Value extends string>(opener: HTMLElement, content: ChoiceMenuContent<Value>): void {
    if (this.#opener === opener) return this.close({ shouldRefocus: true });
    this.close();
    const { label, choices, value, onChoose } = content;
    this.element.ariaLabel = label;
    this.element.replaceChildren(
      ...choices.map((choice) => this.#renderItem(choice, choice.value === value, onChoose)),
    );
    this.#opener = opener;
    opener.ariaExpanded = 'true';
    this.element.hidden = false;
    this.#positionMenu(opener);
    this.element.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
  }

  /**
   * Closes the menu.
   * @param options if `shouldRefocus` is true, the opener receives the focus
   */
  close({ shouldRefocus = false } = {}): void {
    const opener = this.#opener;
    if (opener === undefined) return;
    this.#opener = undefined;
    opener.ariaExpanded = 'false';
    if (shouldRefocus) opener.focus();
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  #renderItem<Value extends string>(
    { value, label, description }: Choice<Value>,
    isChecked: boolean,
    choose: (value: Value) => void,
  ): HTMLElement {
    const id = `choice-${value}`;
    const item = createElement(
      'button',
      {
        type: 'button',
        role: 'menuitemradio',
        tabindex: '-1',
        'aria-checked': String(isChecked),
        'aria-label': label,
        'aria-describedby': id,
      },
      isChecked ? createCodicon('check') : createElement('span'),
      createElement('span', { class: 'choice-label' }, label),
      createElement('span', { class: 'choice-description', id }, description),
    );
    item.addEventListener('click', () => {
      this.close({ shouldRefocus: true });
      choose(value);
    });
    return item;
  }

  /** Places the menu above the opener, aligned with its start, and within the page. */
  #positionMenu(opener: HTMLElement): void {
    const { top, left, right } = opener.getBoundingClientRect();
    const isRightToLeft = getComputedStyle(opener).direction === 'rtl';
    const { style, offsetWidth } = this.element;
    const maxStart = innerWidth - offsetWidth - menuGapPx;
    const start = Math.max(
      menuGapPx,
      Math.min(isRightToLeft ? innerWidth - right : left, maxStart),
    );
    style.setProperty('inset-inline-start', `${start}px`);
    style.setProperty('bottom', `${innerHeight - top + menuGapPx}px`);
    style.setProperty('max-height', `${top - 2 * menuGapPx}px`);
  }

  #onKey(event: KeyboardEvent): void {
    const items = [...this.element.querySelectorAll<HTMLElement>('[role="menuitemradio"]')];
    const index = items.indexOf(document.activeElement as HTMLElement);
    const targetIndexes: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: -1,
    };
    const targetIndex = targetIndexes[event.key];
    if (targetIndex !== undefined) items.at(targetIndex % items.length)?.focus();
    else if (event.key === 'Escape') this.close({ shouldRefocus: true });
    else {
      // Tab continues from the opener. The shortcut Ctrl+. changes the mode, which the open menu would not show.
      if (event.key === 'Tab' || event.key === '.') this.close({ shouldRefocus: true });
      return;
    }
    event.preventDefault();
    // The page would stop the turn on Escape.
    event.stopPropagation();
  }

  #onBlur({ relatedTarget }: FocusEvent): void {
    const isInMenu = relatedTarget instanceof Node && this.element.contains(relatedTarget);
    // The click on the opener closes the menu.
    if (!isInMenu && relatedTarget !== this.#opener) this.close();
  }
}

const style = `
.choice-menu {
  position: fixed;
  z-index: 2;
  box-sizing: border-box;
  width: max-content;
  max-width: min(320px, calc(100vw - 8px));
  overflow-y: auto;
  border: 1px solid var(--vscode-menu-border, var(--border));
  border-radius: var(--radius-large);
  padding: 4px;
  color: var(--vscode-menu-foreground);
  background: var(--vscode-menu-background);
}
.choice-menu > button {
  display: grid;
  grid-template-columns: 16px minmax(0, 1fr);
  column-gap: 4px;
  box-sizing: border-box;
  width: 100%;
  border-radius: var(--radius);
  padding: 4px;
  text-align: start;
}
.choice-menu > button:hover {
  background: var(--vscode-list-hoverBackground);
}
.choice-menu > button:focus {
  color: var(--vscode-quickInputList-focusForeground, var(--vscode-list-activeSelectionForeground));
  background: var(
    --vscode-quickInputList-focusBackground,
    var(--vscode-list-activeSelectionBackground)
  );
  outline: 1px dotted var(--vscode-contrastActiveBorder, transparent);
  outline-offset: -1px;
}
.choice-menu .codicon {
  align-self: center;
  font-size: 14px;
}
.choice-description {
  grid-column: 2;
  color: var(--muted);
  font-size: var(--small-size);
}
.choice-menu > button:focus .choice-description {
  color: inherit;
}
`;
