import { addStyle, element } from './element.ts';

interface SlashMenuContext {
  readonly area: HTMLTextAreaElement;
  /** Asks what the next picture is made with; {@link SlashMenu.hint} is the answer. */
  readonly askForHint: () => void;
  readonly choose: (text: string) => void;
}

/** What can follow a `/` at the beginning of a message. Loaded with the first one. */
export class SlashMenu {
  readonly element = element('div', { class: 'slash-menu' });
  readonly #hint = element('span', { class: 'slash-hint' });
  readonly #context: SlashMenuContext;
  #open = false;
  /** What was typed when the person closed it. */
  #closedAt: string | undefined;

  constructor(context: SlashMenuContext) {
    this.#context = context;
    loadStyle();
    this.element.append(this.#list());
    this.element.hidden = true;
  }

  set hint(text: string) {
    this.#hint.textContent = text;
  }

  /** Follows what is typed. */
  update(typed: string): void {
    const fits = typed.startsWith('/') && command.startsWith(typed) && typed !== this.#closedAt;
    if (fits && !this.#open) this.#context.askForHint();
    if (typed !== this.#closedAt) this.#closedAt = undefined;
    this.#open = fits;
    this.#render();
  }

  /** @returns whether the key was for the menu */
  onKey(event: KeyboardEvent): boolean {
    if (!this.#open || event.isComposing) return false;
    if (event.key === 'Enter' || event.key === 'Tab') this.#choose();
    else if (event.key === 'Escape') this.#close();
    else if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return false;
    event.preventDefault();
    // Escape stops the turn otherwise.
    event.stopPropagation();
    return true;
  }

  #choose(): void {
    this.#open = false;
    this.#context.choose(`${command} `);
    this.#render();
  }

  #close(): void {
    this.#open = false;
    this.#closedAt = this.#context.area.value;
    this.#render();
  }

  #render(): void {
    const { area } = this.#context;
    this.element.hidden = !this.#open;
    setAttribute(area, 'aria-controls', this.#open ? listId : null);
    setAttribute(area, 'aria-activedescendant', this.#open ? optionId : null);
  }

  #list(): HTMLElement {
    const option = element(
      'div',
      { id: optionId, role: 'option', 'aria-selected': 'true' },
      element('span', {}, command),
      element('span', {}, 'Make a picture'),
      this.#hint,
    );
    option.addEventListener('mousedown', (event) => {
      // The focus stays where the person writes.
      event.preventDefault();
      this.#choose();
    });
    return element('div', { id: listId, role: 'listbox', 'aria-label': 'Commands' }, option);
  }
}

const command = '/image';
const [listId, optionId] = ['slash-menu', 'slash-image'];

function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

let loaded = false;

function loadStyle(): void {
  if (loaded) return;
  loaded = true;
  addStyle(style);
}

const style = `
.slash-menu {
  position: absolute;
  z-index: 2;
  inset: auto 12px calc(100% - 4px);
  border: 1px solid var(--vscode-menu-border, var(--border));
  border-radius: var(--radius-large);
  padding: 4px;
  color: var(--vscode-menu-foreground);
  background: var(--vscode-menu-background);
}
.slash-menu [role='option'] {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 8px;
  align-items: center;
  min-height: 24px;
  border-radius: var(--radius);
  padding: 0 4px;
  color: var(--vscode-list-activeSelectionForeground);
  background: var(--vscode-list-activeSelectionBackground);
  outline: 1px solid var(--vscode-contrastActiveBorder, transparent);
  cursor: pointer;
}
.slash-hint {
  margin-inline-start: auto;
}
`;
