import { getVisibleText } from './inline.ts';
import * as l10n from '@vscode/l10n';

/** Actions of the buttons of a code block. `text` is the code as it is displayed. */
export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  openNewFile(text: string, language: string): void;
  /** Applies the code to a file. Each part of the context can contain the file name. */
  apply(text: string, context: CodeContext): void;
}

/** Text before the code of a block, which can name the file of the code. */
export interface CodeContext {
  /** Text after the opening fence. */
  readonly info: string;
  /** Last line of the text directly before the block. */
  readonly lineBefore: string;
  /** Text from the nearest heading to the block, with the heading as its first line; empty without a near heading. */
  readonly textBefore: string;
}

export interface MarkdownActions {
  /** Called with the normalized `https:` or `http:` URL of a link when the user clicks the link. */
  readonly openLink: (href: string) => void;
  readonly code: CodeActions;
}

/**
 * Handles clicks on links and code buttons inside `container`. Also handles copying: copied text contains the source of
 * formulas, and tabs between the cells of long tables.
 * @returns a function that removes the listeners
 */
export function listenForActions(container: HTMLElement, actions: MarkdownActions): () => void {
  const abortController = new AbortController();
  const onClick = (event: MouseEvent): void => handleClick(event, actions);
  // Enter on a link fires `click`. The middle mouse button fires only `auxclick`.
  for (const type of ['click', 'auxclick'] as const) {
    container.addEventListener(type, onClick, { signal: abortController.signal });
  }
  // Adding the same listener again has no effect.
  document.addEventListener('copy', copySelection);
  return () => abortController.abort();
}

function handleClick(event: MouseEvent, { openLink, code }: MarkdownActions): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const href = target?.closest('a')?.getAttribute('href');
  if (href) {
    event.preventDefault();
    // VS Code's own listener would open the link without confirmation.
    event.stopPropagation();
    if (event.button !== 2) openLink(href);
    return;
  }
  const button = target?.closest<HTMLElement>('button[data-action]');
  if (button && event.type === 'click') runCodeAction(button, code);
}

function runCodeAction(button: HTMLElement, code: CodeActions): void {
  const block = button.closest<HTMLElement>('.code-block');
  const content = block?.querySelector('code');
  if (!block || !content) return;
  const text = getVisibleText(content);
  switch (button.dataset['action']) {
    case 'copy':
      return code.copy(text);
    case 'insert':
      return code.insert(text);
    case 'newFile':
      closeCodeMenu(button);
      return code.openNewFile(text, block.dataset['language'] ?? '');
    case 'apply':
      return code.apply(text, {
        info: block.dataset['info'] ?? '',
        lineBefore: findLineBefore(block),
        textBefore: findTextBefore(block),
      });
    case 'openMenu':
      return toggleCodeMenu(button);
    default:
  }
}

const maxLineLength = 500;

/** Returns the last line of the heading or paragraph directly before a block. */
function findLineBefore(block: HTMLElement): string {
  for (
    let element: Element | null = block;
    element !== null && !element.matches('.markdown');
    element = element.parentElement
  ) {
    const previousElement = element.previousElementSibling;
    if (previousElement === null) continue;
    const isText = previousElement.matches('p, h1, h2, h3, h4, h5, h6');
    const lastElement = isText ? previousElement : previousElement.lastElementChild;
    if (!lastElement?.matches('p, h1, h2, h3, h4, h5, h6')) return '';
    return lastElement.textContent.trim().split('\n').at(-1)?.slice(0, maxLineLength) ?? '';
  }
  return '';
}

/**
 * Maximum length in characters of the text between a heading and a code block. If the text is longer, the heading is
 * too far away to name the file of the code.
 */
const maxTextLength = 4_000;

/** Returns the text from the nearest heading to a block, one paragraph or code block on each line. */
function findTextBefore(block: HTMLElement): string {
  const headingSelector = 'h1, h2, h3, h4, h5, h6';
  const elements = [
    ...(block
      .closest('.markdown')
      ?.querySelectorAll<HTMLElement>(`${headingSelector}, p, li, .code-block`) ?? []),
  ];
  const precedingElements = elements.slice(0, Math.max(0, elements.indexOf(block)));
  const start = precedingElements.findLastIndex((element) => element.matches(headingSelector));
  if (start < 0) return '';
  const text = precedingElements
    .slice(start)
    .map(({ dataset, textContent }) =>
      (dataset['info'] ?? textContent).trim().replaceAll('\n', ' '),
    )
    .join('\n');
  return text.length > maxTextLength ? '' : text;
}

/**
 * Opens the menu of a code block and moves the focus into the menu, or closes the menu if it is open. Escape, an
 * action, and a focus change to another control close the menu.
 */
function toggleCodeMenu(button: HTMLElement): void {
  const bar = button.parentElement;
  const openMenu = bar?.querySelector<HTMLElement>('.code-menu');
  if (openMenu) return closeMenu(openMenu, button);
  const menu = document.createElement('div');
  menu.className = 'code-menu';
  menu.append(createMenuItem('newFile', l10n.t('New File')));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    closeMenu(menu, button);
    button.focus();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget === button) return;
    if (!(relatedTarget instanceof Node && menu.contains(relatedTarget))) closeMenu(menu, button);
  });
  button.setAttribute('aria-expanded', 'true');
  button.after(menu);
  menu.querySelector('button')?.focus();
}

/** Closes the menu that contains the element, if any, and returns the focus to its button. */
function closeCodeMenu(element: HTMLElement): void {
  const menu = element.closest<HTMLElement>('.code-menu');
  const button = menu?.previousElementSibling;
  if (!menu || !(button instanceof HTMLElement)) return;
  closeMenu(menu, button);
  button.focus();
}

function closeMenu(menu: HTMLElement, button: HTMLElement): void {
  // The removal of an element that has the focus dispatches `focusout`, which closes the menu again.
  if (button.getAttribute('aria-expanded') === 'false') return;
  button.setAttribute('aria-expanded', 'false');
  menu.remove();
}

function createMenuItem(action: string, label: string): HTMLElement {
  const menuItem = document.createElement('button');
  menuItem.type = 'button';
  menuItem.className = 'code-menu-item';
  menuItem.dataset['action'] = action;
  menuItem.textContent = label;
  return menuItem;
}

/** Copies a selection that contains formulas or long tables. The browser copies all other selections. */
function copySelection(event: ClipboardEvent): void {
  const selection = document.getSelection();
  if (event.defaultPrevented || !selection || selection.isCollapsed) return;
  const range = selection.getRangeAt(0).cloneRange();
  const firstFormula = findClosest(range.startContainer, '.formula');
  const lastFormula = findClosest(range.endContainer, '.formula');
  if (firstFormula) range.setStartBefore(firstFormula);
  if (lastFormula) range.setEndAfter(lastFormula);
  const content = document.createElement('div');
  content.append(range.cloneContents());
  const formulas = content.querySelectorAll<HTMLElement>('.formula');
  const tables = content.querySelectorAll('table.long');
  const isInTable = findClosest(range.commonAncestorContainer, 'table.long') !== null;
  if (formulas.length === 0 && tables.length === 0 && !isInTable) return;
  for (const formula of formulas) formula.textContent = formula.dataset['source'] ?? '';
  for (const bar of content.querySelectorAll('.code-bar')) bar.remove();
  // The grid layout of long tables has line breaks between cells.
  for (const table of tables) table.classList.remove('long');
  event.clipboardData?.setData('text/plain', getDisplayedText(content, range));
  event.preventDefault();
}

const findClosest = (node: Node, selector: string): Element | null =>
  (node instanceof Element ? node : node.parentElement)?.closest(selector) ?? null;

/** Returns the text of an element as the browser displays it, with line breaks and tabs between the cells of tables. */
function getDisplayedText(content: HTMLElement, { commonAncestorContainer }: Range): string {
  const isInMarkdown = findClosest(commonAncestorContainer, '.markdown') !== null;
  // Only rendered elements have line breaks.
  content.className = isInMarkdown ? 'copied-text markdown' : 'copied-text';
  document.body.append(content);
  const text = content.innerText;
  content.remove();
  return text;
}
