import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '../../../src/account/protocol.ts';
import type { ChangesView } from '../../../src/agent/protocol.ts';
import type { ChatState, MessageView } from '../../../src/chat/protocol/view-state.ts';
import { isBusy, type PostMessage } from '../store.ts';
import { renderIcon, renderIconButton, renderTextButton } from '../../base/controls.ts';
import { needsReview } from './changes.ts';
import { estimateMinHeight, type MessageContext, MessageItem } from './message-item.ts';
import { MessageGroups } from './scroller.ts';
import type { ToolAction, ToolOutput } from './tool-row.ts';
import { isSameLayout, createLayouts, type MessageLayout } from './turn-layout.ts';

type TranscriptContext = Omit<MessageContext, 'toggleChanges' | 'isChangesOpen' | 'isBeingRead'>;

interface TranscriptContent {
  readonly messages: readonly MessageView[];
  readonly changes: readonly ChangesView[];
}

/**
 * Total height in pixels of the messages that are rendered immediately when a conversation opens. Greater than the
 * height of a typical screen.
 */
const initialHeightPx = 1_500;
/** Assumed minimum height in pixels of a message with text. Used to count the messages to render immediately. */
const minTextHeightPx = 72;

/** List of messages. Updates only the messages that changed. */
export class Transcript {
  readonly element = document.createElement('div');
  readonly content = document.createElement('div');
  readonly #context: MessageContext;
  readonly #groups = new MessageGroups(this.content);
  #messageItems: MessageItem[] = [];
  #renderedContent: TranscriptContent = { messages: [], changes: [] };
  #layouts: readonly MessageLayout[] = [];
  /** Keys of the call groups that the user opened. */
  #openGroupKeys: ReadonlySet<string> = new Set();
  /**
   * True for each list of file changes that the user expanded, false for each one that the user collapsed, by turn id.
   * Lists that the user did not toggle are absent.
   */
  #isOpenByTurn = new Map<string, boolean>();
  #readAloudId: string | null = null;
  #unformattedItems = new Set<MessageItem>();
  #currentItem: MessageItem | undefined;
  #idleCallbackId = 0;

  constructor(context: TranscriptContext) {
    this.#context = {
      ...context,
      toggleChanges: (turnId) => this.#toggleChanges(turnId),
      isChangesOpen: (changes) => this.#isOpenByTurn.get(changes.turnId) ?? opensInitially(changes),
      isBeingRead: (id) => id === this.#readAloudId,
    };
    this.element.className = 'transcript';
    this.element.role = 'log';
    this.element.ariaLabel = l10n.t('Conversation');
    // Announce an answer when it ends, not token by token.
    this.element.ariaLive = 'off';
    this.content.className = 'column';
    this.element.append(this.content);
    this.element.addEventListener('focusin', ({ target }) => this.#onFocus(target));
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('click', (event) => this.#onClick(event));
  }

  /**
   * Renders `content`.
   * @param shouldReplace true if the last call rendered another conversation
   */
  update(content: TranscriptContent, shouldReplace = false): void {
    if (shouldReplace) this.#resetContent();
    const { messages, changes } = this.#renderedContent;
    if (content.messages === messages && content.changes === changes) return;
    const firstChangedIndex = Math.min(this.#updateLayout(content), this.#messageItems.length);
    this.#truncateItems(this.#findFirstMismatchIndex(content.messages, firstChangedIndex));
    const firstNewIndex = this.#messageItems.length;
    this.#renderItems(firstChangedIndex);
    if (firstNewIndex < content.messages.length) this.#setCurrentItem(this.#messageItems.at(-1));
    this.#formatWhenIdle();
  }

  showToolOutput(messageId: string, callId: string, output: ToolOutput): void {
    this.#findItem(messageId)?.showToolOutput(callId, output);
  }

  /** Marks message `id` as being read aloud, and unmarks the previous message. Null marks none. */
  setReadAloud(id: string | null): void {
    const items = [this.#readAloudId, id].map((messageId) =>
      messageId === null ? undefined : this.#findItem(messageId),
    );
    this.#readAloudId = id;
    for (const item of items) item?.applyLayout(item.layout);
  }

  /** Opens the editor of the last user message. */
  editLastMessage(): void {
    this.#messageItems.findLast(({ message }) => message.role === 'user')?.openEditBox();
  }

  /** Returns the text of the first rendered paragraph or heading of message `id`. */
  getFirstParagraph(id: string): string {
    return (
      this.#findItem(id)?.element.querySelector('.text :is(p, h1, h2, h3, h4, h5, h6)')
        ?.textContent ?? ''
    );
  }

  #findItem(id: string): MessageItem | undefined {
    return this.#messageItems.findLast(({ message }) => message.id === id);
  }

  #resetContent(): void {
    this.#truncateItems(0);
    this.#openGroupKeys = new Set();
    this.#isOpenByTurn.clear();
  }

  /**
   * Computes the layout again, starting with the first changed turn. Keeps the layout of earlier turns, because this
   * method runs in every frame of a stream. Returns the index of the first message with a new layout.
   */
  #updateLayout(content: TranscriptContent): number {
    const { messages, changes } = content;
    const previousContent = this.#renderedContent;
    const startIndex =
      changes === previousContent.changes
        ? findFirstOutdatedIndex(previousContent.messages, messages)
        : 0;
    const layoutContext = { changes, openGroupKeys: this.#openGroupKeys };
    this.#layouts = [
      ...this.#layouts.slice(0, startIndex),
      ...createLayouts(messages.slice(startIndex), layoutContext),
    ];
    this.#renderedContent = content;
    return startIndex;
  }

  #renderItems(startIndex = 0): void {
    const { messages } = this.#renderedContent;
    const firstRenderedIndex =
      this.#messageItems.length < messages.length ? this.#findFirstImmediateIndex() : 0;
    for (let index = startIndex; index < messages.length; index++) {
      const [message, item, layout] = [
        messages[index],
        this.#messageItems[index],
        this.#layouts[index],
      ];
      if (message === undefined || layout === undefined) continue;
      if (item === undefined) {
        this.#addItem(message, layout, index < firstRenderedIndex || layout.isHidden);
        continue;
      }
      const isSame = isSameLayout(item.layout, layout);
      if (item.message !== message) this.#changeItem(item, message, isSame ? item.layout : layout);
      else if (!isSame) item.applyLayout(layout);
    }
  }

  /** Returns the index of the first message to render immediately. */
  #findFirstImmediateIndex(): number {
    const { messages } = this.#renderedContent;
    let height = 0;
    for (let index = messages.length - 1; index > 0; index--) {
      const [message, layout] = [messages[index], this.#layouts[index]];
      if (message === undefined || layout === undefined) continue;
      height += estimateMinHeight(message, layout) + (message.text === '' ? 0 : minTextHeightPx);
      if (height > initialHeightPx) return index;
    }
    return 0;
  }

  #toggleGroup(key: string): void {
    this.#openGroupKeys = this.#openGroupKeys.symmetricDifference(new Set([key]));
    this.#layouts = createLayouts(this.#renderedContent.messages, {
      changes: this.#renderedContent.changes,
      openGroupKeys: this.#openGroupKeys,
    });
    this.#renderItems();
  }

  #toggleChanges(turnId: string): void {
    const item = this.#messageItems.find(({ layout }) => layout.changes?.turnId === turnId);
    if (item?.layout.changes == null) return;
    this.#isOpenByTurn.set(turnId, !this.#context.isChangesOpen(item.layout.changes));
    item.applyLayout(item.layout);
  }

  /**
   * Returns the index of the first item, at or after `startIndex`, whose message id differs from that of `messages` at
   * the same index. Returns the number of items if all ids match.
   */
  #findFirstMismatchIndex(messages: readonly MessageView[], startIndex: number): number {
    const index = this.#messageItems
      .slice(startIndex)
      .findIndex(({ message }, offset) => messages[startIndex + offset]?.id !== message.id);
    return index === -1 ? this.#messageItems.length : startIndex + index;
  }

  #truncateItems(length: number): void {
    for (const item of this.#messageItems.splice(length)) {
      this.#unformattedItems.delete(item);
      item.dispose();
    }
    this.#groups.removeEmptyGroups();
  }

  #addItem(message: MessageView, layout: MessageLayout, shouldDefer: boolean): void {
    const item = new MessageItem(message, layout, this.#context);
    this.#messageItems.push(item);
    this.#groups.addMessage(item);
    if (!shouldDefer) return item.formatCompleteMessage();
    this.#unformattedItems.add(item);
    item.element.addEventListener('contentvisibilityautostatechange', (event) => {
      if (event instanceof ContentVisibilityAutoStateChangeEvent && !event.skipped) {
        this.#formatItem(item);
      }
    });
  }

  #changeItem(item: MessageItem, message: MessageView, layout: MessageLayout): void {
    this.#unformattedItems.delete(item);
    item.update(message, layout);
    if (!isBusy(message)) this.#groups.updateHeightEstimate(item);
  }

  #formatItem(item: MessageItem): void {
    if (this.#unformattedItems.delete(item)) item.formatCompleteMessage();
  }

  #formatWhenIdle(): void {
    cancelIdleCallback(this.#idleCallbackId);
    if (this.#unformattedItems.size === 0) return;
    this.#idleCallbackId = requestIdleCallback((deadline) => {
      // Start with the newest message, because the user usually looks at the end.
      for (const item of [...this.#unformattedItems].toReversed()) {
        if (deadline.timeRemaining() < 2) break;
        this.#formatItem(item);
      }
      this.#formatWhenIdle();
    });
  }

  #onFocus(target: EventTarget | null): void {
    if (!(target instanceof Node)) return;
    this.#setCurrentItem(this.#messageItems.find(({ element }) => element.contains(target)));
  }

  #setCurrentItem(item: MessageItem | undefined): void {
    if (item === undefined || item === this.#currentItem) return;
    this.#currentItem?.setCurrent(false);
    this.#currentItem = item;
    item.setCurrent(true);
  }

  #onKey(event: KeyboardEvent): void {
    // Skip messages whose whole content belongs to a collapsed group.
    const items = this.#messageItems.filter(({ layout }) => !layout.isHidden);
    const index = items.findIndex(({ element }) => element === event.target);
    if (index === -1) return;
    const newIndex = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: items.length - 1 }[
      event.key
    ];
    const item = newIndex === undefined ? undefined : items[newIndex];
    if (item === undefined) return;
    event.preventDefault();
    item.element.focus();
  }

  /** Handles clicks on tool rows and groups of all messages. */
  #onClick({ target }: MouseEvent): void {
    if (!(target instanceof Element)) return;
    const button = target.closest<HTMLElement>('[data-tool]');
    const row = target.closest<HTMLElement>('.tool-row[data-index]');
    const action = button?.dataset['tool'] ?? (row === null ? undefined : 'fold');
    if (action === 'group') return this.#toggleGroup(button?.dataset['group'] ?? '');
    const id = row?.closest('article')?.id;
    if (id === undefined || row === null) return;
    // A click anywhere on the line opens the row, unless the click ends a text selection.
    if (button === null && getSelection()?.isCollapsed === false) return;
    this.#findItem(id)?.performToolAction(action as ToolAction, Number(row.dataset['index']));
  }
}

/** Checks whether a list of file changes is initially expanded, because the list is short and needs a review. */
const opensInitially = (changes: ChangesView): boolean =>
  needsReview(changes) && changes.files.length <= 10;

/**
 * Returns the index of the first message whose layout must be computed again. This is the start of the turn that
 * contains the message before the first changed message.
 */
function findFirstOutdatedIndex(
  before: readonly MessageView[],
  after: readonly MessageView[],
): number {
  const messageIndex = after.findIndex((message, index) => message !== before[index]);
  const changedIndex = messageIndex === -1 ? after.length : messageIndex;
  // The layout of a message depends on the next message, so include the previous turn.
  const end = Math.max(0, changedIndex - 1);
  return Math.max(
    0,
    after.findLastIndex(({ role }, index) => index <= end && role === 'user'),
  );
}

/** Renders the content of an empty chat: one sentence, and a suggestion for the next step. */
export function renderEmptyState(
  { suggestions, suggestionsOffer }: ChatState,
  post: PostMessage,
  suggest: (text: string) => void,
): TemplateResult {
  return html`<div class="empty">
    <p>${l10n.t('Ask a question, or attach code and say what to do with it.')}</p>
    ${suggestions.length === 0 ? nothing : renderSuggestionList(suggestions, suggest)}
    ${suggestionsOffer ? renderSuggestionsOffer(post) : nothing}
  </div>`;
}

/** Actions that the connect form makes unnecessary. An empty chat with the form does not show their buttons. */
const formActions: ReadonlySet<string> = new Set(['set-key', 'mint-key', 'retry']);

/**
 * Checks whether an empty chat shows the connect form. True if the user is signed out, or if only another API key can
 * solve the account problem.
 */
export const needsConnectForm = ({ status, actions }: AccountView): boolean =>
  status === 'signed-out' ||
  (status === 'needs-attention' &&
    actions[0]?.action === 'set-key' &&
    actions.every(({ action }) => formActions.has(action)));

/** Renders the line above the composer that shows an account problem, while the problem prevents further messages. */
export function renderAccountLine(
  { account, messages }: ChatState,
  post: PostMessage,
): TemplateResult | typeof nothing {
  const needsAttention = account.status === 'needs-attention';
  if (account.status === 'signed-in') return nothing;
  if (messages.length === 0 && needsConnectForm(account)) return nothing;
  // The failed answer shows the same message and actions.
  if (messages.at(-1)?.failure) return nothing;
  return html`<div class="account-line" role="group" aria-label=${l10n.t('Account')}>
    ${renderIcon(needsAttention ? 'warning' : 'key')}
    <span>${account.message ?? l10n.t('Connect to your inference service')}</span>
    ${renderAccountActions(account, post)}
  </div>`;
}

/**
 * Renders a one-time notice after an update of the extension. It states that edits are now applied without
 * confirmation.
 */
export const renderEditsNoticeLine = (
  { editsNotice }: ChatState,
  post: PostMessage,
): TemplateResult | typeof nothing =>
  editsNotice
    ? html`<div class="account-line" role="group" aria-label=${l10n.t('Permissions')}>
        ${renderIcon('info')}
        <span>${l10n.t('Edits land at once and wait for your review')}</span>
        <div class="sign-in">
          ${renderTextButton({
            label: l10n.t('Change'),
            onClick: () => post({ type: 'edits-notice-answer', answer: 'change' }),
          })}
          ${renderIconButton({
            icon: 'close',
            label: l10n.t('Close'),
            onClick: () => post({ type: 'edits-notice-answer', answer: 'close' }),
          })}
        </div>
      </div>`
    : nothing;

const renderAccountActions = ({ actions }: AccountView, post: PostMessage): TemplateResult =>
  html`<div class="sign-in">
    ${actions.map(({ action, label }, index) =>
      renderTextButton({
        label,
        isPrimary: index === 0,
        onClick: () => post({ type: 'action-run', messageId: null, action }),
      }),
    )}
  </div>`;

const renderSuggestionsOffer = (post: PostMessage): TemplateResult =>
  html`<div class="offer">
    <button
      type="button"
      class="link"
      @click=${() => post({ type: 'suggestions-offer-answer', answer: 'accept' })}
    >
      ${l10n.t('Turn On Inline Suggestions')}
    </button>
    ${renderIconButton({
      icon: 'close',
      label: l10n.t('Close'),
      onClick: () => post({ type: 'suggestions-offer-answer', answer: 'close' }),
    })}
  </div>`;

const renderSuggestionList = (
  suggestions: readonly string[],
  suggest: (text: string) => void,
): TemplateResult =>
  html`<ul class="suggestions" aria-label=${l10n.t('Suggestions')}>
    ${suggestions.map(
      (text) =>
        html`<li>
          <button type="button" class="suggestion" dir="auto" @click=${() => suggest(text)}>
            ${text}
          </button>
        </li>`,
    )}
  </ul>`;
