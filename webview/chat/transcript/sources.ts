import * as l10n from '@vscode/l10n';
import type { CitationView } from '../../../src/chat/protocol/view-state.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createElement } from '../../base/element.ts';

interface ShownSources {
  /** Sources of the answer, in the order in which its citation marks refer to them. */
  readonly citations: readonly CitationView[];
  /**
   * Numbers that the text of the answer shows for its sources. Each number is the position of the source among the
   * sources of the turn, from 1.
   */
  readonly numbers: readonly number[];
  /**
   * Sources to list below the answer. For the last answer of a turn, these are all sources of the turn. Empty for other
   * answers.
   */
  readonly listedSources: readonly CitationView[];
}

const emptySources: ShownSources = { citations: [], numbers: [], listedSources: [] };

/**
 * Sources of an answer: source numbers in the text, and a collapsed row of chips below the last answer of the turn.
 * Loaded with the first answer that has sources.
 */
export class SourceList {
  readonly element = createElement('details', { class: 'sources' });
  readonly #post: PostMessage;
  readonly #textElement: Element;
  readonly #observer = new MutationObserver((mutations) => this.#onTextChange(mutations));
  #shownSources = emptySources;

  /** @param textElement element with the rendered text of the answer, to which this class adds citation numbers */
  constructor(textElement: Element, post: PostMessage) {
    this.#textElement = textElement;
    this.#post = post;
    addStyle(sourceStyles);
    this.element.addEventListener('click', (event) => this.#onClick(event));
    this.#observer.observe(textElement, { childList: true, subtree: true });
  }

  update(shownSources: ShownSources): void {
    const previousSources = this.#shownSources;
    this.#shownSources = shownSources;
    if (
      shownSources.citations !== previousSources.citations ||
      shownSources.numbers !== previousSources.numbers
    )
      for (const mark of this.#textElement.querySelectorAll<HTMLElement>(markSelector))
        this.#addNumbers(mark);
    if (shownSources.listedSources !== previousSources.listedSources)
      this.#showList(shownSources.listedSources);
  }

  #showList(listedCitations: readonly CitationView[]): void {
    const countLabel =
      listedCitations.length === 1
        ? l10n.t('1 source')
        : l10n.t('{0} sources', listedCitations.length);
    const hosts = [...new Set(listedCitations.map(({ host }) => host))].filter(
      (host) => host !== '',
    );
    this.element.replaceChildren(
      createElement(
        'summary',
        {},
        countLabel,
        createElement('span', { class: 'source-hosts', 'aria-hidden': 'true' }, hosts.join(' · ')),
      ),
      createElement('ol', {}, ...listedCitations.map(createSourceItem)),
    );
  }

  dispose(): void {
    this.#observer.disconnect();
  }

  /** Adds citation numbers to newly rendered text. The Markdown renderer marks each citation with an empty element. */
  #onTextChange(changes: readonly MutationRecord[]): void {
    for (const { target, addedNodes } of changes) {
      const addedElements = [...addedNodes].filter((node) => node instanceof HTMLElement);
      const marks = addedElements.flatMap((node) => [
        ...node.querySelectorAll<HTMLElement>(markSelector),
        ...(node.matches(markSelector) ? [node] : []),
      ]);
      if (target instanceof HTMLElement && target.matches(markSelector)) marks.push(target);
      for (const mark of marks) if (mark.firstElementChild === null) this.#addNumbers(mark);
    }
  }

  #addNumbers(mark: HTMLElement): void {
    // Nested links are invalid.
    if (mark.closest('a') !== null) return;
    const numbers = (mark.dataset['sources'] ?? '').split(' ').map(Number);
    const chips = numbers.flatMap((number) => {
      const citation = this.#shownSources.citations[number - 1];
      const shownNumber = this.#shownSources.numbers[number - 1] ?? number;
      return citation === undefined ? [] : [createNumberChip(shownNumber, citation)];
    });
    if (chips.length > 0) mark.replaceChildren(...chips);
  }

  #onClick(event: MouseEvent): void {
    const href =
      event.target instanceof Element ? event.target.closest('a')?.getAttribute('href') : null;
    if (href == null) return;
    event.preventDefault();
    // VS Code's own listener would open the link without confirmation.
    event.stopPropagation();
    this.#post({ type: 'link-open', href });
  }
}

const markSelector = '.source-mark';

/** Creates a source number for the text. The number is a link unless the source's URL is blocked. */
function createNumberChip(number: number, { title, url, host, quote }: CitationView): HTMLElement {
  const name = host === '' ? title : `${title}, ${host}`;
  const attributes = {
    class: 'source-chip',
    title: quote === '' ? name : `${name}\n${quote}`,
    'aria-label': l10n.t('Source {0}: {1}', number, name),
  };
  return url === ''
    ? createElement('span', { ...attributes, role: 'img' }, String(number))
    : createElement('a', { ...attributes, href: url }, String(number));
}

/** Creates the chip of a source for the row below the answer. */
function createSourceItem({ title, url, host, quote, date }: CitationView): HTMLElement {
  const name = title || host || l10n.t('unknown');
  const parts = [
    host,
    ...(date === '' ? [] : [createElement('span', { class: 'source-date' }, date)]),
  ];
  const details = parts.filter((part) => part !== '').flatMap((part) => [' · ', part]);
  const attributes = { dir: 'auto', title: quote };
  return createElement(
    'li',
    {},
    url === ''
      ? createElement('span', attributes, name)
      : createElement('a', { ...attributes, href: url }, name),
    createElement('span', { class: 'source-facts' }, ...details.slice(1)),
  );
}

const sourceStyles = `
.source-mark:has(> .source-chip) {
  font-size: inherit;
  vertical-align: baseline;
}
.source-mark > .source-chip {
  display: inline-block;
  box-sizing: border-box;
  min-width: 16px;
  margin-inline-start: 2px;
  border: 1px solid var(--vscode-contrastBorder, transparent);
  border-radius: var(--radius);
  padding: 0 4px;
  color: var(--vscode-badge-foreground);
  background: var(--vscode-badge-background);
  font-size: 0.77em;
  line-height: 16px;
  text-align: center;
  text-decoration: none;
  vertical-align: 2px;
}
.source-mark > a.source-chip:is(:hover, :focus-visible) {
  color: var(--vscode-button-foreground);
  background: var(--vscode-button-background);
  text-decoration: none;
}
.sources {
  margin-top: 8px;
  color: var(--muted);
  font-size: 0.92em;
}
.sources > summary {
  overflow: hidden;
  width: fit-content;
  max-width: 100%;
  min-height: 24px;
  border-radius: var(--radius);
  line-height: 24px;
  text-overflow: ellipsis;
  white-space: nowrap;
  cursor: pointer;
}
.sources > summary:hover {
  color: var(--vscode-foreground);
}
.source-hosts {
  margin-inline-start: 8px;
}
.sources[open] .source-hosts {
  display: none;
}
.sources > ol {
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
  margin: 4px 0 0;
  padding: 0;
  list-style: none;
  counter-reset: source;
}
.sources li {
  overflow: hidden;
  box-sizing: border-box;
  max-width: 100%;
  border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
  border-radius: var(--radius);
  padding: 0 8px;
  line-height: 22px;
  text-overflow: ellipsis;
  white-space: nowrap;
  counter-increment: source;
}
.sources li::before {
  content: counter(source);
  margin-inline-end: 8px;
}
.sources li > :first-child {
  margin-inline-end: 8px;
}
.sources a {
  color: var(--vscode-textLink-foreground);
  text-decoration: none;
}
.sources a:hover {
  color: var(--vscode-textLink-activeForeground);
  text-decoration: underline;
}
`;
