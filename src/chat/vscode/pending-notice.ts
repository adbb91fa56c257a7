import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import { tellInformation } from '../../platform/notifications.ts';

interface PendingNoticeOptions {
  readonly agents: Agents;
  /** Whether the person sees the conversation of this id now. */
  readonly isInSight: (conversationId: string) => boolean;
  readonly show: (conversationId: string) => Promise<void>;
}

/** Says that a chat waits for the person, when nobody sees that chat: once for each time it begins to wait. */
export class PendingNotice implements Disposable {
  readonly #options: PendingNoticeOptions;
  readonly #subscription: Disposable;
  readonly #waiting = new Set<string>();

  constructor(options: PendingNoticeOptions) {
    this.#options = options;
    this.#subscription = options.agents.onDidChangePending((id) => this.#look(id));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #look(id: string): void {
    const { agents, isInSight } = this.#options;
    const waits = agents.of(id).pending.all.length > 0;
    const began = waits && !this.#waiting.has(id);
    if (waits) this.#waiting.add(id);
    else this.#waiting.delete(id);
    if (began && !isInSight(id)) void this.#tell(id);
  }

  async #tell(id: string): Promise<void> {
    const show = vscode.l10n.t('Show');
    const answer = await tellInformation(vscode.l10n.t('A chat waits for your answer.'), show);
    if (answer === show) await this.#options.show(id);
  }
}
