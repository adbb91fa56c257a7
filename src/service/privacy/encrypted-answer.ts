import * as l10n from '@vscode/l10n';
import type { ChatEvent, StreamOutcome } from '../chat/chat-types.ts';
import type { ServiceFailure } from '../http/failure.ts';
import type { AnswerProtection } from '../chat/protection.ts';
import { ThinkTags } from '../chat/chat-chunk.ts';
import { Opener } from './sealed-text.ts';

/** Opens the pieces of one encrypted answer, in their order. Each piece is a ciphertext of its own. */
export class EncryptedAnswer {
  readonly #opener: Opener;
  readonly #protection: AnswerProtection;
  readonly #content: ThinkTags;
  #hasReasoningField = false;
  #hasBegun = false;
  #batch: ChatEvent[] = [];
  /** Nothing more is to be read. */
  isOver = false;

  constructor(privateKey: Uint8Array, protection: AnswerProtection) {
    this.#opener = new Opener(privateKey);
    this.#protection = protection;
    this.#content = new ThinkTags({
      onText: (text) => this.#batch.push({ type: 'text-delta', text }),
      onReasoning: (text) => {
        // A service may fill both places with the same words.
        if (!this.#hasReasoningField) this.#batch.push({ type: 'reasoning-delta', text });
      },
    });
  }

  /** What the events say in clear. Never throws: what is not as promised is the end. */
  async read(events: readonly ChatEvent[]): Promise<readonly ChatEvent[]> {
    this.#batch = [];
    for (const event of events) {
      try {
        await this.#take(event);
      } catch {
        this.#end({ kind: 'failed', failure: notProtected() });
      }
      if (this.isOver) break;
    }
    return this.#batch;
  }

  async #take(event: ChatEvent): Promise<void> {
    switch (event.type) {
      case 'text-delta':
        this.#content.push(await this.#opener.open(event.text));
        return;
      case 'reasoning-delta': {
        const text = await this.#opener.open(event.text);
        this.#hasReasoningField = true;
        this.#batch.push({ type: 'reasoning-delta', text });
        return;
      }
      case 'tool-call-delta':
      case 'tool-call-invalid':
        throw new Error('A call of a tool in clear, and no tool was offered.');
      case 'citations':
      case 'protection':
        // Nothing was searched for; what the service adds in clear is not of this answer.
        return;
      case 'stream-end':
        this.#end(event.outcome);
        return;
      case 'stream-start':
        this.#hasBegun = true;
        this.#batch.push({ ...event, protection: this.#protection });
        return;
      default:
        this.#batch.push(event);
    }
  }

  #end(outcome: StreamOutcome): void {
    this.isOver = true;
    this.#content.end();
    const isBroken = outcome.kind === 'failed' && outcome.failure.code === 'protection-failed';
    if (this.#hasBegun && !isBroken)
      this.#batch.push({ type: 'protection', protection: this.#protection });
    this.#batch.push({ type: 'stream-end', outcome });
  }
}

const notProtected = (): ServiceFailure => ({
  code: 'protection-failed',
  message: l10n.t(
    'The answer was stopped: a part of it was not encrypted as promised, or was changed on the way. Retry, or choose another model.',
  ),
});
