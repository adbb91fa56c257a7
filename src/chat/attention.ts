/** Reason why a chat needs the user: the chat waits for the user's answer, or its turn has ended or failed. */
export type AttentionReason = 'waiting' | 'ended' | 'failed';

export interface AttentionPorts {
  /** Checks whether the user is looking at the chat, that is, the chat is visible and the window has the focus. */
  readonly isWatched: (conversationId: string) => boolean;
  /** Plays the sound that draws the user's attention. */
  readonly playSound: () => void;
  /** Shows a notification. Resolves when the notification has closed. */
  readonly notify: (conversationId: string, reason: AttentionReason) => Promise<void>;
  /** Called when the number of chats that need the user may have changed. `count` is the current number. */
  readonly onChange: (count: number) => void;
}

/**
 * Notifies the user about chats that wait for input or whose turn has ended or failed, unless the user is looking at
 * the chat. At most one notification per chat and reason is open at a time.
 */
export class AttentionNotifier {
  readonly #ports: AttentionPorts;
  readonly #reasons = new Map<string, AttentionReason>();
  /** Open notifications by conversation id. */
  readonly #notifications = new Map<string, { readonly reason: AttentionReason }>();

  constructor(ports: AttentionPorts) {
    this.#ports = ports;
  }

  /** Notifies the user that the chat needs attention, unless the user is looking at the chat. */
  async requestAttention(conversationId: string, reason: AttentionReason): Promise<void> {
    if (this.#ports.isWatched(conversationId)) return this.clearAttention(conversationId);
    this.#reasons.set(conversationId, reason);
    this.#ports.onChange(this.#reasons.size);
    this.#ports.playSound();
    if (this.#notifications.get(conversationId)?.reason === reason) return;
    const notification = { reason };
    this.#notifications.set(conversationId, notification);
    try {
      await this.#ports.notify(conversationId, reason);
    } finally {
      if (this.#notifications.get(conversationId) === notification)
        this.#notifications.delete(conversationId);
    }
  }

  /**
   * Records that a chat no longer needs the user. Does nothing if `reason` is given and the chat needs the user for
   * another reason.
   */
  clearAttention(conversationId: string, reason?: AttentionReason): void {
    if (reason !== undefined && this.#reasons.get(conversationId) !== reason) return;
    // VS Code may never report that a notification has closed, so a later notification must not wait for it.
    this.#notifications.delete(conversationId);
    if (this.#reasons.delete(conversationId)) this.#ports.onChange(this.#reasons.size);
  }

  /**
   * Calls {@link clearAttention} for all chats at which the user is looking. Must be called when the focus or the
   * visible chats change.
   */
  clearWatchedChats(): void {
    for (const id of [...this.#reasons.keys()])
      if (this.#ports.isWatched(id)) this.clearAttention(id);
  }
}
