import type { MessageView } from '../../src/protocol/view-state.ts';
import { type MessageContext, MessageItem } from './message-item.ts';

/** Messages formatted at once when a conversation opens: more than fit on a screen. */
const formattedAtOnce = 12;

/** The `log` of messages. It touches only those that changed. */
export class Transcript {
  readonly element = document.createElement('div');
  readonly content = document.createElement('div');
  readonly #context: MessageContext;
  #items: MessageItem[] = [];
  #messages: readonly MessageView[] = [];
  #unformatted = new Set<MessageItem>();
  #current: MessageItem | undefined;
  #idle = 0;

  constructor(context: MessageContext) {
    this.#context = context;
    this.element.className = 'transcript';
    this.element.role = 'log';
    this.element.ariaLabel = 'Conversation';
    // An answer is announced as a whole when it ends, not token by token.
    this.element.ariaLive = 'off';
    this.content.className = 'column';
    this.element.append(this.content);
    this.element.addEventListener('focusin', ({ target }) => this.#onFocus(target));
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Draws `messages`; `replace` says that they belong to another conversation. */
  update(messages: readonly MessageView[], replace = false): void {
    if (replace) this.#truncate(0);
    if (messages === this.#messages) return;
    this.#messages = messages;
    this.#truncate(this.#firstMismatch(messages));
    const firstNew = this.#items.length;
    for (const [index, message] of messages.entries()) {
      const item = this.#items[index];
      if (item === undefined) this.#add(message, messages.length - index > formattedAtOnce);
      else if (item.message !== message) this.#change(item, message);
    }
    if (firstNew < messages.length) this.#setCurrent(this.#items.at(-1));
    this.#formatWhenIdle();
  }

  /** Opens the editor of the person's last message. */
  editLast(): void {
    this.#items.findLast(({ message }) => message.role === 'user')?.edit();
  }

  /** The first paragraph or heading of message `id`, as it is shown. */
  openingOf(id: string): string {
    const item = this.#items.findLast(({ message }) => message.id === id);
    return item?.element.querySelector('.text :is(p, h1, h2, h3, h4, h5, h6)')?.textContent ?? '';
  }

  #firstMismatch(messages: readonly MessageView[]): number {
    const index = this.#items.findIndex(({ message }, at) => messages[at]?.id !== message.id);
    return index === -1 ? this.#items.length : index;
  }

  #truncate(length: number): void {
    for (const item of this.#items.splice(length)) {
      this.#unformatted.delete(item);
      item.dispose();
    }
  }

  #add(message: MessageView, later: boolean): void {
    const item = new MessageItem(message, this.#context);
    this.#items.push(item);
    this.content.append(item.element);
    if (!later) return item.format();
    this.#unformatted.add(item);
    item.element.addEventListener('contentvisibilityautostatechange', (event) => {
      if (event instanceof ContentVisibilityAutoStateChangeEvent && !event.skipped) {
        this.#format(item);
      }
    });
  }

  #change(item: MessageItem, message: MessageView): void {
    this.#unformatted.delete(item);
    item.update(message);
  }

  #format(item: MessageItem): void {
    if (this.#unformatted.delete(item)) item.format();
  }

  #formatWhenIdle(): void {
    cancelIdleCallback(this.#idle);
    if (this.#unformatted.size === 0) return;
    this.#idle = requestIdleCallback((deadline) => {
      // The newest first: that is where the person is.
      for (const item of [...this.#unformatted].toReversed()) {
        if (deadline.timeRemaining() < 2) break;
        this.#format(item);
      }
      this.#formatWhenIdle();
    });
  }

  #onFocus(target: EventTarget | null): void {
    if (!(target instanceof Node)) return;
    this.#setCurrent(this.#items.find(({ element }) => element.contains(target)));
  }

  #setCurrent(item: MessageItem | undefined): void {
    if (item === undefined || item === this.#current) return;
    this.#current?.setCurrent(false);
    this.#current = item;
    item.setCurrent(true);
  }

  #onKey(event: KeyboardEvent): void {
    const index = this.#items.findIndex(({ element }) => element === event.target);
    if (index === -1) return;
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: this.#items.length - 1 }[
      event.key
    ];
    const item = to === undefined ? undefined : this.#items[to];
    if (item === undefined) return;
    event.preventDefault();
    item.element.focus();
  }
}
