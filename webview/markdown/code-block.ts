import * as l10n from '@vscode/l10n';
import { appendText } from './hidden-characters.ts';

/** Lines per group: the browser lays out only the groups in view. */
const groupLines = 32;

const actions = [
  { action: 'copy', label: l10n.t('Copy'), icon: 'copy' },
  { action: 'insert', label: l10n.t('Insert at cursor'), icon: 'insert' },
  { action: 'newFile', label: l10n.t('New file'), icon: 'new-file' },
] as const;

/** A block of code that grows at its end. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  #group: HTMLElement | undefined;
  #lines = 0;

  constructor(language: string) {
    const name = languageName(language);
    this.element = document.createElement('div');
    this.element.className = 'code-block';
    this.element.dataset['language'] = name;
    this.#code = document.createElement('code');
    this.element.append(bar(name), scroller(this.#code, name));
  }

  /** Appends text; lines end with a newline. */
  append(text: string): void {
    let start = 0;
    while (start < text.length) {
      const group = this.#openGroup();
      const end = this.#endOfGroup(text, start);
      appendText(group, text.slice(start, end));
      start = end;
    }
  }

  #openGroup(): HTMLElement {
    if (!this.#group || this.#lines === groupLines) {
      this.#group = this.#code.appendChild(document.createElement('span'));
      this.#group.className = 'code-lines';
      this.#lines = 0;
    }
    return this.#group;
  }

  #endOfGroup(text: string, start: number): number {
    let end = start;
    while (this.#lines < groupLines) {
      const newline = text.indexOf('\n', end);
      if (newline === -1) return text.length;
      end = newline + 1;
      this.#lines += 1;
    }
    return end;
  }
}

function languageName(info: string): string {
  return /^[\w+#.-]{1,30}/.exec(info)?.[0].toLowerCase() ?? '';
}

function bar(language: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'code-bar';
  const label = document.createElement('span');
  label.className = 'code-language';
  label.textContent = language;
  element.append(label, ...actions.map(actionButton));
  return element;
}

function actionButton({ action, label, icon }: (typeof actions)[number]): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = `code-action codicon codicon-${icon}`;
  button.dataset['action'] = action;
  button.title = label;
  button.setAttribute('aria-label', label);
  return button;
}

function scroller(code: HTMLElement, language: string): HTMLElement {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', language ? l10n.t('Code, {0}', language) : l10n.t('Code'));
  pre.append(code);
  return pre;
}
