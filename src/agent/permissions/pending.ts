import { Emitter, type Event } from '../../base/event.ts';
import type { GrantScope } from './grants.ts';
import type { Preview } from '../tool.ts';

export interface ApprovalRequest {
  readonly messageId: string;
  readonly callId: string;
  readonly title: string;
  readonly preview: Preview;
  /** Why it asks, a sentence each. */
  readonly reasons: readonly string[];
  readonly remember: readonly GrantScope[];
  /** What would be remembered, in words. */
  readonly rememberWhat: string;
}

export interface QuestionRequest {
  readonly messageId: string;
  /** Null when it is not a call that asks. */
  readonly callId: string | null;
  readonly text: string;
  readonly choices: readonly string[];
  readonly freeText: boolean;
}

export type Pending =
  | (ApprovalRequest & { readonly kind: 'approval'; readonly id: string })
  | (QuestionRequest & { readonly kind: 'question'; readonly id: string });

export type ApprovalAnswer =
  | { readonly answer: 'once' | GrantScope }
  /** `reason` may be empty. */
  | { readonly answer: 'deny'; readonly reason: string };

type Waiting = {
  readonly pending: Pending;
  readonly approve?: (answer: ApprovalAnswer) => void;
  readonly reply?: (text: string) => void;
};

/** What waits for the person in one conversation. Each has an id that holds for one answer. */
export class PendingRequests {
  readonly #newId: () => string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed = new Emitter<void>();

  /** @param newId unguessable and unique */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /** Oldest first. */
  get all(): readonly Pending[] {
    return [...this.#waiting.values()].map(({ pending }) => pending);
  }

  /** @returns undefined when `signal` fired before the person answered: then nothing may be done. */
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
    return this.#wait(signal, (id, resolve) => ({
      pending: { kind: 'approval', id, ...request },
      approve: resolve,
    }));
  }

  /** @returns undefined when `signal` fired before the person answered. */
  ask(request: QuestionRequest, signal: AbortSignal): Promise<string | undefined> {
    return this.#wait(signal, (id, resolve) => ({
      pending: { kind: 'question', id, ...request },
      reply: resolve,
    }));
  }

  /** Answers an approval. One that is gone, was answered, or did not offer this answer stays as it is. */
  answerApproval(id: string, answer: ApprovalAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.approve === undefined || waiting.pending.kind !== 'approval') return;
    const { remember } = waiting.pending;
    const isScope = answer.answer === 'conversation' || answer.answer === 'always';
    if (isScope && !remember.includes(answer.answer)) return;
    waiting.approve(answer);
  }

  /** Answers a question. Words of one's own count only where they were asked for. */
  answerQuestion(id: string, text: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.reply === undefined || waiting.pending.kind !== 'question') return;
    const { choices, freeText } = waiting.pending;
    if (freeText || choices.includes(text)) waiting.reply(text);
  }

  #wait<T>(
    signal: AbortSignal,
    waiting: (id: string, resolve: (value: T) => void) => Waiting,
  ): Promise<T | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const id = this.#newId();
      const settle = (value: T | undefined): void => {
        signal.removeEventListener('abort', drop);
        if (!this.#waiting.delete(id)) return;
        this.#changed.fire();
        resolve(value);
      };
      const drop = (): void => settle(undefined);
      signal.addEventListener('abort', drop);
      this.#waiting.set(id, waiting(id, settle));
      this.#changed.fire();
    });
  }
}
