import type { Conversation } from '../../conversation/conversation.ts';
import { ask, type Question } from '../../platform/notifications.ts';

/** A question that holds for a chat as long as the window lives, once the person agreed. */
export class OncePerChat {
  readonly #agreed = new WeakSet<Conversation>();

  /** @returns whether the person presses the button, or did before */
  async ask(conversation: Conversation, question: Question, button: string): Promise<boolean> {
    if (this.#agreed.has(conversation)) return true;
    if ((await ask(question, button)) !== button) return false;
    this.#agreed.add(conversation);
    return true;
  }
}
