import * as l10n from '@vscode/l10n';

/**
 * Opens the menu of a code block, or closes it if it is open. The focus moves into the menu. Escape,
 * an action, and a move of the focus within the page close the menu.
 */
export function toggleCodeMenu(button: HTMLElement): void {
  const bar = button.parentElement;
  const open = bar?.querySelector<HTMLElement>('.code-menu');
  if (open) return closeMenu(open, button);
  const menu = document.createElement('div');
  menu.className = 'code-menu';
  menu.append(createItem('newFile', l10n.t('New file')));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    closeMenu(menu, button);
    button.focus();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    // The page loses the focus also when VS Code moves it to an editor while the user points at an item.
    if (relatedTarget === button || !document.hasFocus()) return;
    if (!(relatedTarget instanceof Node && menu.contains(relatedTarget))) closeMenu(menu, button);
  });
  button.setAttribute('aria-expanded', 'true');
  button.after(menu);
  menu.querySelector('button')?.focus();
}

/** Closes the menu that contains the element, if any, and returns the focus to its button. */
export function closeCodeMenu(element: HTMLElement): void {
  const menu = element.closest<HTMLElement>('.code-menu');
  const button = menu?.previousElementSibling;
  if (!menu || !(button instanceof HTMLElement)) return;
  closeMenu(menu, button);
  button.focus();
}

function closeMenu(menu: HTMLElement, button: HTMLElement): void {
  button.setAttribute('aria-expanded', 'false');
  menu.remove();
}

function createItem(action: string, label: string): HTMLElement {
  const item = document.createElement('button');
  item.type = 'button';
  item.className = 'code-menu-item';
  item.dataset['action'] = action;
  item.textContent = label;
  return item;
}
