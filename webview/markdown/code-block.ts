import * as l10n from '@vscode/l10n';
import { appendText, decodeEntities } from './inline.ts';

/** Number of lines per group. The browser skips the layout of groups outside of the visible area. */
const linesPerGroup = 32;

const actions = [
  { action: 'copy', label: l10n.t('Copy'), icon: 'copy' },
  { action: 'insert', label: l10n.t('Insert'), icon: 'insert' },
  { action: 'apply', label: l10n.t('Apply'), icon: 'git-pull-request-go-to-changes' },
  { action: 'openMenu', label: l10n.t('More actions'), icon: 'ellipsis' },
] as const;

/**
 * Maximum length of the stored info string, in characters. The info string is the text after the opening fence, and can
 * name a file.
 */
const maxInfoLength = 500;

/** A code block to which text can be appended. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #codeElement: HTMLElement;
  readonly #bar: HTMLElement;
  #group: HTMLElement | undefined;
  #groupLineCount = 0;

  /** @param info text after the opening fence */
  constructor(info: string) {
    const name = getLanguageName(info);
    this.element = document.createElement('div');
    this.element.className = 'code-block';
    this.element.dataset['language'] = name;
    if (info !== '') this.element.dataset['info'] = info.slice(0, maxInfoLength);
    this.#codeElement = document.createElement('code');
    this.#bar = createToolbar(name);
    this.element.append(this.#bar, createScroller(this.#codeElement, name));
  }

  /**
   * Adds the buttons of the code block. A streaming block has no buttons, because incomplete code must not be copied or
   * applied.
   * @param isClosed false if the text ended before the closing fence. The end of the code may then be missing, so the
   * block gets no button to apply the code to a file.
   */
  addButtons(isClosed = true): void {
    if (!isClosed) this.element.dataset['unclosed'] = '';
    const availableActions = actions.filter(({ action }) => isClosed || action !== 'apply');
    this.#bar.append(...availableActions.map(createActionButton));
  }

  /** Appends streamed text. A line counts as incomplete until its newline arrives. */
  append(text: string): void {
    let start = 0;
    while (start < text.length) {
      const group = this.#getCurrentGroup();
      const end = this.#findGroupEnd(text, start);
      appendText(group, text.slice(start, end));
      start = end;
    }
  }

  #getCurrentGroup(): HTMLElement {
    if (!this.#group || this.#groupLineCount === linesPerGroup) {
      this.#group = this.#codeElement.appendChild(document.createElement('span'));
      this.#group.className = 'code-lines';
      this.#groupLineCount = 0;
    }
    return this.#group;
  }

  #findGroupEnd(text: string, start: number): number {
    let end = start;
    while (this.#groupLineCount < linesPerGroup) {
      const newlineIndex = text.indexOf('\n', end);
      if (newlineIndex === -1) return text.length;
      end = newlineIndex + 1;
      this.#groupLineCount += 1;
    }
    return end;
  }
}

function getLanguageName(info: string): string {
  return /^[\w+#.-]{1,30}/.exec(info)?.[0].toLowerCase() ?? '';
}

function createToolbar(language: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'code-bar';
  const label = document.createElement('span');
  label.className = 'code-language';
  label.textContent = language;
  element.append(label);
  return element;
}

function createActionButton({ action, label, icon }: (typeof actions)[number]): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = `code-action codicon codicon-${icon}`;
  button.dataset['action'] = action;
  button.title = label;
  button.setAttribute('aria-label', label);
  if (action === 'openMenu') button.setAttribute('aria-expanded', 'false');
  return button;
}

function createScroller(code: HTMLElement, language: string): HTMLElement {
  const pre = document.createElement('pre');
  pre.append(code);
  makeTabStopIfScrollable(pre, language ? `${l10n.t('Code')}, ${language}` : l10n.t('Code'));
  return pre;
}

/**
 * Attributes that an element has while its content is wider than the element. They put the element in the tab order, so
 * that the user can scroll it with the keyboard.
 */
export const tabStopAttributes = ['tabindex', 'role', 'aria-label'] as const;

const scrollLabels = new WeakMap<Element, string>();
/** Elements whose content the browser does not render, because they are far from the visible part of the page. */
const skippedElements = new WeakSet<Element>();
let sizeObserver: ResizeObserver | undefined;

/**
 * Adds an element to the tab order while its content is wider than the element, so that the user can scroll it with the
 * keyboard.
 */
export function makeTabStopIfScrollable(element: HTMLElement, label: string): void {
  if (scrollLabels.has(element)) return;
  scrollLabels.set(element, label);
  sizeObserver ??= createSizeObserver();
  // Deferred, because the caller attaches the element to its block first.
  queueMicrotask(() => observeUnlessSkipped(element));
}

function createSizeObserver(): ResizeObserver {
  document.addEventListener('contentvisibilityautostatechange', onSkippedChange, { capture: true });
  return new ResizeObserver((entries) => {
    const elements = entries.map(({ target }) => target);
    // Reads all widths before it changes attributes, so that the browser lays out the page once.
    const scrollableElements = new Set(
      elements.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    for (const target of elements) {
      const isTabStop = scrollableElements.has(target);
      if (target.hasAttribute('tabindex') === isTabStop) continue;
      const values = isTabStop ? ['0', 'group', scrollLabels.get(target) ?? ''] : [];
      for (const [index, name] of tabStopAttributes.entries())
        if (isTabStop) target.setAttribute(name, values[index] ?? '');
        else target.removeAttribute(name);
    }
  });
}

/**
 * Handles an element whose content the browser starts or stops rendering. Stops observing the sizes of scrollable
 * elements in content that is not rendered, because each observed element costs time in every frame, and a long
 * conversation contains thousands of them.
 */
function onSkippedChange(event: Event): void {
  const { target, skipped } = event as ContentVisibilityAutoStateChangeEvent;
  if (!(target instanceof Element)) return;
  if (skipped) skippedElements.add(target);
  else skippedElements.delete(target);
  for (const element of target.querySelectorAll('pre, .table-scroll, .diagram, .formula'))
    if (skipped) sizeObserver?.unobserve(element);
    else if (scrollLabels.has(element)) observeUnlessSkipped(element);
}

function observeUnlessSkipped(element: Element): void {
  for (let node: Element | null = element; node; node = node.parentElement)
    if (skippedElements.has(node)) return;
  sizeObserver?.observe(element);
}

/** Parses a fenced code block line by line, so that an update parses only new text. */
export class FenceReader {
  readonly #block: CodeBlock;
  readonly #indentWidth: number;
  readonly #closingPattern: RegExp;
  #partialLine = '';
  #renderedLength = 0;
  #isClosed = false;

  /** @param openingLine complete first line of the code block, without its newline */
  constructor(openingLine: string) {
    const [, indent = '', marker = '', info = ''] = /^( *)(`+|~+)(.*)$/.exec(openingLine) ?? [];
    this.#indentWidth = indent.length;
    this.#closingPattern = new RegExp(`^ {0,3}\\${marker[0] ?? '`'}{${marker.length},} *$`);
    this.#block = new CodeBlock(
      decodeEntities(info.trim().replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')),
    );
  }

  get element(): HTMLElement {
    return this.#block.element;
  }

  /** Adds text. Returns the text after the closing line, or undefined if the fence is still open. */
  addText(text: string): string | undefined {
    const fullText = this.#partialLine + text;
    let start = 0;
    while (!this.#isClosed) {
      const newlineIndex = fullText.indexOf('\n', start);
      if (newlineIndex === -1) break;
      this.#addLine(fullText.slice(start, newlineIndex));
      start = newlineIndex + 1;
    }
    this.#partialLine = this.#isClosed ? '' : fullText.slice(start);
    if (this.#isClosed) return fullText.slice(start);
    this.#showPartialLine();
    return undefined;
  }

  /** Ends the code block and shows its buttons. Renders an incomplete last line. */
  closeBlock(): void {
    if (this.#partialLine && !this.#isClosed) this.#addLine(this.#partialLine);
    this.#partialLine = '';
    this.#block.addButtons(this.#isClosed);
  }

  #addLine(line: string): void {
    if (this.#closingPattern.test(line)) this.#isClosed = true;
    else this.#block.append(`${this.#removeIndent(line).slice(this.#renderedLength)}\n`);
    this.#renderedLength = 0;
  }

  /** Renders the incomplete last line, unless it can still become the closing fence. */
  #showPartialLine(): void {
    if (/^ *(?:[`~]+ *)?$/.test(this.#partialLine)) return;
    const visibleLine = this.#removeIndent(this.#partialLine);
    this.#block.append(visibleLine.slice(this.#renderedLength));
    this.#renderedLength = visibleLine.length;
  }

  #removeIndent(line: string): string {
    let spaceCount = 0;
    while (spaceCount < this.#indentWidth && line[spaceCount] === ' ') spaceCount += 1;
    return line.slice(spaceCount);
  }
}

/** Renders a complete fenced code block, including its opening and closing lines. */
export function renderFence(source: string): HTMLElement {
  const [openingLine = ''] = source.split('\n', 1);
  const reader = new FenceReader(openingLine);
  reader.addText(source.slice(openingLine.length + 1));
  reader.closeBlock();
  return reader.element;
}
