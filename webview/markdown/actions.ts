import { visibleText } from './inline.ts';

/** What the buttons of a code block do. `text` is the code as it is shown. */
export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  newFile(text: string, language: string): void;
}

export interface MarkdownActions {
  /** Called with a normalised `https:` or `http:` address; nothing else ever opens it. */
  readonly openLink: (href: string) => void;
  readonly code: CodeActions;
}

/** Routes clicks on links and code buttons inside `container`; returns how to stop. */
export function listenForActions(container: HTMLElement, actions: MarkdownActions): () => void {
  const listening = new AbortController();
  const onClick = (event: MouseEvent): void => handleClick(event, actions);
  // Enter on a link is a click; the middle button is only an auxclick
  for (const type of ['click', 'auxclick'] as const) {
    container.addEventListener(type, onClick, { signal: listening.signal });
  }
  return () => listening.abort();
}

function handleClick(event: MouseEvent, { openLink, code }: MarkdownActions): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const href = target?.closest('a')?.getAttribute('href');
  if (href) {
    event.preventDefault();
    // VS Code listens further up, and would open the link by itself without asking.
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
      return code.newFile(text, block.dataset['language'] ?? '');
    default:
  }
}
