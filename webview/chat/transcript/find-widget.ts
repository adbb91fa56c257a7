import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { renderIconButton, loadControls } from '../../base/controls.ts';

/** Maximum number of highlighted matches. */
export const maxMatches = 5_000;

/**
 * Finds `query` in the text of `roots`, ignoring case. A match can span inline elements. Returns ranges in document
 * order.
 */
export function findTextRanges(roots: Iterable<Element>, query: string): Range[] {
  if (query === '') return [];
  const pattern = new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`), 'giu');
  const ranges: Range[] = [];
  for (const root of roots) {
    const textParts = collectTextParts(root);
    const text = textParts.map(({ node }) => node.data).join('');
    for (const { index, 0: match } of text.matchAll(pattern)) {
      ranges.push(createRange(textParts, index, index + match.length));
      if (ranges.length === maxMatches) return ranges;
    }
  }
  return ranges;
}

interface TextPart {
  readonly node: Text;
  readonly start: number;
}

function collectTextParts(root: Element): TextPart[] {
  const walker = document.createTreeWalker(
    root,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    // Formulas contain their text a second time, invisibly.
    (node) =>
      node instanceof Element && node.classList.contains('katex-mathml')
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  const textParts: TextPart[] = [];
  let start = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!(node instanceof Text)) continue;
    textParts.push({ node, start });
    start += node.data.length;
  }
  return textParts;
}

function createRange(
  textParts: readonly TextPart[],
  startOffset: number,
  endOffset: number,
): Range {
  const range = new Range();
  const firstTextPart = findTextPart(textParts, startOffset);
  const lastTextPart = findTextPart(textParts, endOffset - 1);
  range.setStart(firstTextPart.node, startOffset - firstTextPart.start);
  range.setEnd(lastTextPart.node, endOffset - lastTextPart.start);
  return range;
}

/**
 * Returns the text node that contains the character at `offset`. Uses a binary search, because a long answer has
 * thousands of nodes.
 */
function findTextPart(textParts: readonly TextPart[], offset: number): TextPart {
  let low = 0;
  let high = textParts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((textParts[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const textPart = textParts[low];
  if (textPart === undefined) throw new RangeError('No text to find anything in');
  return textPart;
}

interface FindContext {
  /** Returns the elements whose text the widget searches. */
  readonly listRoots: () => Iterable<Element>;
  readonly onClose: () => void;
}

/**
 * Find widget of the chat. Highlights matches with the CSS Custom Highlight API, which does not change the transcript's
 * DOM.
 */
export class FindWidget {
  readonly element = document.createElement('div');
  readonly #context: FindContext;
  #query = '';
  #matches: Range[] = [];
  #currentMatchIndex = 0;

  constructor(context: FindContext) {
    this.#context = context;
    this.element.className = 'find';
    this.element.role = 'search';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  async open(): Promise<void> {
    this.element.hidden = false;
    this.#searchFrom(0);
    await loadControls();
    this.#getField()?.focus();
    this.#getField()?.select();
  }

  close(): void {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.#highlightMatches([]);
    this.#context.onClose();
  }

  /** Repeats the search after a change of the transcript. The current match stays selected. */
  repeatSearch(): void {
    if (this.isOpen) this.#searchFrom(this.#currentMatchIndex);
  }

  #getField(): HTMLInputElement | null {
    return this.element.querySelector<HTMLInputElement>('vscode-text-field');
  }

  #searchFrom(index: number): void {
    this.#matches = findTextRanges(this.#context.listRoots(), this.#query);
    this.#currentMatchIndex = Math.min(index, Math.max(0, this.#matches.length - 1));
    this.#highlightMatches(this.#matches);
    this.#render();
  }

  #moveBy(step: number): void {
    // Messages formatted since the last search have new nodes.
    this.#matches = findTextRanges(this.#context.listRoots(), this.#query);
    const { length } = this.#matches;
    if (length === 0) return this.#searchFrom(0);
    this.#currentMatchIndex = (this.#currentMatchIndex + step + length) % length;
    this.#highlightMatches(this.#matches);
    this.#revealMatch();
    this.#render();
  }

  #highlightMatches(matches: readonly Range[]): void {
    const currentMatch = matches[this.#currentMatchIndex];
    CSS.highlights.set('found', new Highlight(...matches));
    CSS.highlights.set('found-current', new Highlight(...(currentMatch ? [currentMatch] : [])));
  }

  #revealMatch(): void {
    const element = this.#matches[this.#currentMatchIndex]?.startContainer.parentElement;
    // A diagram hides its source, so show the source that contains the match.
    if (element?.closest('pre')?.hidden)
      element.closest('.code-block')?.querySelector<HTMLElement>('.code-toggle')?.click();
    element?.scrollIntoView({ block: 'center' });
  }

  #onInput(query: string): void {
    this.#query = query;
    this.#searchFrom(0);
    this.#revealMatch();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) {
      this.#moveBy(event.shiftKey ? -1 : 1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #render(): void {
    const hasNoMatches = this.#matches.length === 0;
    render(
      html`<vscode-text-field
          class="find-field"
          placeholder=${l10n.t('Find')}
          .value=${this.#query}
          @input=${() => this.#onInput(this.#getField()?.value ?? '')}
          >${l10n.t('Find')}</vscode-text-field
        >
        <span class="find-count ${hasNoMatches && this.#query !== '' ? 'none' : ''}" role="status"
          >${this.#formatCount()}</span
        >
        ${renderIconButton({ icon: 'arrow-up', label: l10n.t('Previous'), onClick: () => this.#moveBy(-1), isDisabled: hasNoMatches })}
        ${renderIconButton({ icon: 'arrow-down', label: l10n.t('Next'), onClick: () => this.#moveBy(1), isDisabled: hasNoMatches })}
        ${renderIconButton({ icon: 'close', label: l10n.t('Close'), onClick: () => this.close() })}`,
      this.element,
    );
  }

  #formatCount(): string {
    const { length } = this.#matches;
    if (length === 0) return this.#query === '' ? '' : l10n.t('No results');
    const totalText = `${length}${length === maxMatches ? '+' : ''}`;
    return l10n.t('{0} of {1}', this.#currentMatchIndex + 1, totalText);
  }
}
