/** Reason why a chat needs the user: it waits for an answer, or its turn has ended. */
export type AttentionReason = 'waiting' | 'ended';

export interface AttentionPorts {
  /** Checks whether the user looks at the chat: the chat is visible, and the window has the focus. */
  readonly isWatched: (conversationId: string) => boolean;
  /** Calls the user. Resolves when the notification has closed. */
  readonly notify: (conversationId: string, reason: AttentionReason) => Promise<void>;
  /** Called with the number of chats that need the user. */
  readonly onChange: (count: number) => void;
}

/**
 * Notifies the user about chats that need input or have finished while they are not visible. Shows at most one
 * notification per chat at a time.
 */
export class ChatAttention {
  readonly #ports: AttentionPorts;
  readonly #reasons = new Map<string, AttentionReason>();
  readonly #notifiedChatIds = new Set<string>();

  constructor(ports: AttentionPorts) {
    this.#ports = ports;
  }

  /** Calls the user, unless the user looks at the chat. */
  async request(conversationId: string, reason: AttentionReason): Promise<void> {
    if (this.#ports.isWatched(conversationId)) return this.clear(conversationId);
    this.#reasons.set(conversationId, reason);
    this.#ports.onChange(this.#reasons.size);
    if (this.#notifiedChatIds.has(conversationId)) return;
    this.#notifiedChatIds.add(conversationId);
    try {
      await this.#ports.notify(conversationId, reason);
    } finally {
      this.#notifiedChatIds.delete(conversationId);
    }
  }

  /** Removes a chat that no longer needs the user. With a reason, only if the chat needs the user for this reason. */
  clear(conversationId: string, reason?: AttentionReason): void {
    if (reason !== undefined && this.#reasons.get(conversationId) !== reason) return;
    if (this.#reasons.delete(conversationId)) this.#ports.onChange(this.#reasons.size);
  }

  /** Removes all chats at which the user looks. Call it when the focus or the visible chats change. */
  clearWatched(): void {
    for (const id of [...this.#reasons.keys()]) if (this.#ports.isWatched(id)) this.clear(id);
  }
}
