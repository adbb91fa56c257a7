import * as l10n from '@vscode/l10n';
import { addStyle, createCodicon, createElement } from '../../base/element.ts';

interface PopoverOptions {
  readonly label: string;
  /** Called after the popover opened with a loading note. The callback loads the content that replaces the note. */
  readonly onOpen: () => void;
}

/** Dialog above the composer. Closes when the user presses Escape or the dialog loses the focus. */
export class Popover {
  readonly element: HTMLElement;
  readonly #onOpen: () => void;
  /** Element that receives the focus when the popover closes. */
  #opener: Element | null = null;

  constructor({ label, onOpen }: PopoverOptions) {
    this.#onOpen = onOpen;
    this.element = createElement('div', {
      class: 'options-popover',
      role: 'dialog',
      'aria-label': label,
      hidden: '',
    });
    addStyle(style);
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', (event) => this.#onBlur(event));
  }

  toggle(): void {
    if (!this.element.hidden) return this.close(true);
    this.#opener = document.activeElement;
    this.element.hidden = false;
    this.element.replaceChildren(
      createElement('p', { class: 'note', tabindex: '-1' }, l10n.t('Loading…')),
    );
    this.element.querySelector('p')?.focus();
    this.#onOpen();
  }

  /**
   * Replaces the content. Keeps the scroll position, and focuses the new control that has the same key as the
   * previously focused control.
   * @returns `hasFocus`: true if a control of the new content received the focus
   */
  show(...children: readonly HTMLElement[]): { readonly hasFocus: boolean } {
    const focusedKey = getControlKey(document.activeElement);
    const { scrollTop } = this.element;
    this.element.replaceChildren(...children);
    this.element.scrollTop = scrollTop;
    const control = [...this.element.querySelectorAll<HTMLElement>('[data-key]')].find(
      (candidate) => getControlKey(candidate) === focusedKey,
    );
    control?.focus();
    return { hasFocus: control !== undefined };
  }

  close(shouldRefocus: boolean): void {
    this.element.hidden = true;
    this.element.replaceChildren();
    if (shouldRefocus && this.#opener instanceof HTMLElement) this.#opener.focus();
  }

  /** Creates the first row: the title, other controls, and the button that closes the popover. */
  createHeader(title: string, ...controls: readonly HTMLElement[]): HTMLElement {
    return createElement(
      'div',
      { class: 'options-head' },
      createElement('span', { class: 'options-title' }, title),
      ...controls,
      createIconButton('close', l10n.t('Close'), () => this.close(true)),
    );
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing) return;
    this.close(true);
    event.preventDefault();
    // The page would stop the turn on Escape.
    event.stopPropagation();
  }

  #onBlur({ relatedTarget }: FocusEvent): void {
    // No new target: the whole window lost the focus and will restore it, or rendering removed the focused element.
    if (!(relatedTarget instanceof Node) || this.element.contains(relatedTarget)) return;
    // The click on the opening button closes the popover.
    if (this.#opener === null || this.#opener !== relatedTarget) this.close(false);
  }
}

/**
 * Returns the key that identifies a control across renderings of the popover, or `undefined` for elements without a
 * key.
 */
export const getControlKey = (focusedElement: Element | null): string | undefined =>
  focusedElement instanceof HTMLElement ? focusedElement.dataset['key'] : undefined;

/**
 * Creates a button that shows only an icon.
 * @param key identifies the button when the popover renders again
 */
export function createIconButton(
  icon: string,
  label: string,
  run: () => void,
  key = icon,
): HTMLElement {
  const button = createElement(
    'button',
    { type: 'button', class: 'icon-button', title: label, 'aria-label': label, 'data-key': key },
    createCodicon(icon),
  );
  button.addEventListener('click', run);
  return button;
}

const style = `
.options-popover {
  position: absolute;
  z-index: 2;
  inset: auto 12px calc(100% - 4px);
  display: flex;
  flex-direction: column;
  gap: 8px;
  box-sizing: border-box;
  max-width: 480px;
  max-height: min(60vh, 480px);
  overflow-y: auto;
  border: 1px solid var(--vscode-menu-border, var(--border));
  border-radius: var(--radius-large);
  padding: 8px;
  color: var(--vscode-menu-foreground);
  background: var(--vscode-menu-background);
}
.options-popover > * {
  flex: none;
}
.options-popover > .note {
  outline: none;
}
.options-head,
.options-presets,
.options-save {
  display: flex;
  gap: 4px;
  align-items: center;
}
.options-title,
.options-presets select,
.options-save input {
  flex: 1;
}
.options-title {
  font-weight: 600;
}
`;
