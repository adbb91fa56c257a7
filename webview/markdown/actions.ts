import { closeCodeMenu, toggleCodeMenu } from './code-menu.ts';
import { visibleText } from './inline.ts';

/** Actions of a code block's buttons. `text` is the code as displayed. */
export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  newFile(text: string, language: string): void;
  /** Changes a file by the code. `info` and `lineBefore` can name the file. */
  apply(text: string, context: CodeContext): void;
}

/** Text after the opening fence, and the last line of the text before a code block. */
export interface CodeContext {
  readonly info: string;
  readonly lineBefore: string;
}

export interface MarkdownActions {
  /** Called with a normalized `https:` or `http:` URL when the user clicks a link. */
  readonly openLink: (href: string) => void;
  readonly code: CodeActions;
}

/**
 * Handles clicks on links and code buttons inside `container`.
 * @returns a function that removes the listeners
 */
export function listenForActions(container: HTMLElement, actions: MarkdownActions): () => void {
  const controller = new AbortController();
  const onClick = (event: MouseEvent): void => handleClick(event, actions);
  // Enter on a link fires `click`. The middle mouse button fires only `auxclick`.
  for (const type of ['click', 'auxclick'] as const) {
    container.addEventListener(type, onClick, { signal: controller.signal });
  }
  return () => controller.abort();
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
  const text = visibleText(content);
  switch (button.dataset['action']) {
    case 'copy':
      return code.copy(text);
    case 'insert':
      return code.insert(text);
    case 'newFile':
      closeCodeMenu(button);
      return code.newFile(text, block.dataset['language'] ?? '');
    case 'apply':
      return code.apply(text, {
        info: block.dataset['info'] ?? '',
        lineBefore: findLineBefore(block),
      });
    case 'openMenu':
      return toggleCodeMenu(button);
    default:
  }
}

const maxLineLength = 500;

/** Returns the last line of the heading or text directly before a block. */
function findLineBefore(block: HTMLElement): string {
  for (
    let element: Element | null = block;
    element !== null && !element.matches('.markdown');
    element = element.parentElement
  ) {
    const before = element.previousElementSibling;
    if (before === null) continue;
    const isText = before.matches('p, h1, h2, h3, h4, h5, h6');
    const last = isText ? before : before.lastElementChild;
    if (!last?.matches('p, h1, h2, h3, h4, h5, h6')) return '';
    return last.textContent.trim().split('\n').at(-1)?.slice(0, maxLineLength) ?? '';
  }
  return '';
}
