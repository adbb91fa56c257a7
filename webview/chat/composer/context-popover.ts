import * as l10n from '@vscode/l10n';
import { formatTokens } from '../../../src/base/amounts.ts';
import type { ContextViewMessage } from '../../../src/chat/protocol/view-state.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createElement } from '../../base/element.ts';
import { createIconButton, Popover } from './popover.ts';

type ContextItem = ContextViewMessage['items'][number];

/** Dialog that shows how much of the model's context each part uses. Loaded on first use. */
export class ContextPopover {
  readonly #post: PostMessage;
  readonly #popover: Popover;
  /** Returns the id of the conversation that the page shows. */
  readonly #getConversationId: () => string;

  constructor(post: PostMessage, getConversationId: () => string) {
    this.#post = post;
    this.#getConversationId = getConversationId;
    this.#popover = new Popover({
      label: l10n.t('Context'),
      onOpen: () => this.requestTokenCounts(),
    });
    addStyle(style);
  }

  get element(): HTMLElement {
    return this.#popover.element;
  }

  toggle(): void {
    this.#popover.toggle();
  }

  /** Requests the current token counts if the popover is open. */
  requestTokenCounts(): void {
    if (!this.element.hidden) this.#post({ type: 'context-view-request' });
  }

  show({ parts, items, limitTokens, cachedTokens }: ContextViewMessage): void {
    if (this.element.hidden) return;
    const isOpening = this.element.querySelector('.options-head') === null;
    const totalTokens = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
    const computeRatio = (tokens: number): number =>
      tokens / Math.max(1, limitTokens ?? totalTokens);
    const partLabels = {
      system: l10n.t('System prompt'),
      tools: l10n.t('Tools'),
      instructions: l10n.t('Instructions'),
      files: l10n.t('Files'),
      conversation: l10n.t('Conversation'),
    };
    const rows = (['system', 'tools', 'instructions', 'files', 'conversation'] as const).map(
      (partName) =>
        createPartRow(partLabels[partName], parts[partName], computeRatio(parts[partName])),
    );
    const { hasFocus } = this.#popover.show(
      this.#popover.createHeader(l10n.t('Context')),
      createElement('p', { class: 'note' }, describeTotal(totalTokens, limitTokens)),
      createElement(
        'ul',
        { class: 'context-parts' },
        ...rows,
        ...(cachedTokens === 0
          ? []
          : [createPartRow(l10n.t('From cache'), cachedTokens, computeRatio(cachedTokens))]),
      ),
      ...(items.length === 0 ? [] : [this.#createItemList(items, computeRatio)]),
      this.#createCompactButton(),
    );
    if (!hasFocus && isOpening) this.element.querySelector<HTMLElement>('[data-key]')?.focus();
  }

  #createItemList(
    items: readonly ContextItem[],
    computeRatio: (tokens: number) => number,
  ): HTMLElement {
    return createElement(
      'ul',
      { class: 'context-items', 'aria-label': l10n.t('Context') },
      ...items.map((item) => this.#createItemRow(item, computeRatio(item.tokens))),
    );
  }

  #createItemRow(
    { messageId, id, label, tokens, isRemoved }: ContextItem,
    ratio: number,
  ): HTMLElement {
    const nameElement = createElement('bdi', { class: 'context-name', title: label }, label);
    const sizeElement = createElement('span', { class: 'context-size' }, formatSize(tokens, ratio));
    const row = createElement('li', isRemoved ? { class: 'removed' } : {}, nameElement);
    if (!isRemoved) row.append(sizeElement);
    if (messageId === null) return row;
    row.append(
      createIconButton(
        isRemoved ? 'discard' : 'close',
        isRemoved ? `${l10n.t('Undo')}: ${label}` : l10n.t('Remove {0}', label),
        () => this.#post({ type: 'context-remove', messageId, item: id, isRemoved: !isRemoved }),
        `${messageId} ${id}`,
      ),
    );
    return row;
  }

  #createCompactButton(): HTMLElement {
    const button = createElement(
      'button',
      { type: 'button', class: 'button secondary', 'data-key': 'compact' },
      l10n.t('Compact'),
    );
    button.addEventListener('click', () => {
      const conversationId = this.#getConversationId();
      this.#popover.close(true);
      this.#post({ type: 'message-send', conversationId, text: '/compact' });
    });
    return button;
  }
}

function describeTotal(totalTokens: number, limitTokens: number | null): string {
  if (limitTokens === null) return l10n.t('{0} tokens', formatTokens(totalTokens));
  const percent = Math.round((totalTokens / Math.max(1, limitTokens)) * 100);
  return l10n.t(
    'Context: {0} of {1} tokens, {2} %',
    ...[formatTokens(totalTokens), formatTokens(limitTokens), percent],
  );
}

function createPartRow(name: string, tokens: number, ratio: number): HTMLElement {
  const bar = createElement('span', { class: 'context-bar', 'aria-hidden': 'true' });
  bar.style.inlineSize = `${Math.min(100, ratio * 100)}%`;
  return createElement(
    'li',
    {},
    createElement('span', { class: 'context-name' }, name),
    createElement('span', { class: 'context-size' }, formatSize(tokens, ratio)),
    bar,
  );
}

const formatSize = (tokens: number, ratio: number): string => {
  const isSmall = tokens > 0 && ratio < 0.01;
  return `${formatTokens(tokens)} · ${isSmall ? '<1' : Math.round(ratio * 100)} %`;
};

const style = `
.context-parts,
.context-items {
  display: flex;
  flex-direction: column;
  gap: 4px;
  margin: 0;
  padding: 0;
  list-style: none;
}
.context-items {
  border-top: 1px solid var(--vscode-menu-separatorBackground, var(--border));
  padding-top: 8px;
}
.context-parts > li,
.context-items > li {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 0 8px;
  align-items: center;
}
.context-items > li {
  grid-template-columns: minmax(0, 1fr) auto 24px;
  min-height: 24px;
}
.context-items > li > .icon-button {
  grid-column: 3;
}
.context-items > .removed > .context-name {
  text-decoration: line-through;
}
.context-name {
  overflow: hidden;
  white-space: nowrap;
  text-overflow: ellipsis;
}
.context-size {
  color: var(--muted);
  font-variant-numeric: tabular-nums;
}
.context-bar {
  grid-column: 1 / -1;
  height: 2px;
  background: var(--vscode-progressBar-background, var(--vscode-button-background));
  forced-color-adjust: none;
}
`;
