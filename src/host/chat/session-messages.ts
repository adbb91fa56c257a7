import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { ChatSession, SessionEvent } from '../../chat/chat-session.ts';
import { DeltaBatcher } from '../../chat/delta-batcher.ts';
import type { TurnEvent } from '../../chat/turn.ts';
import type { HostMessage } from '../../protocol/host-message.ts';
import { failureView } from './failure-view.ts';
import { answerFailure, messageView, statsView, toolCallView } from './message-view.ts';

/** A display frame at 60 Hz, in whole milliseconds: text that comes faster is joined. */
const frameMs = 17;

/** Tells a view what changes in a session, as differences. Text is batched; nothing overtakes it. */
export class SessionMessages implements Disposable {
  readonly #session: ChatSession;
  readonly #post: (message: HostMessage) => void;
  readonly #batch: DeltaBatcher;
  readonly #subscription: Disposable;
  #answerId = '';

  constructor(session: ChatSession, clock: Clock, post: (message: HostMessage) => void) {
    this.#session = session;
    this.#post = post;
    this.#batch = new DeltaBatcher(clock, frameMs, (delta) => {
      post({ type: 'text-delta', messageId: this.#answerId, ...delta });
    });
    this.#answerId = session.streaming ?? '';
    this.#subscription = session.onDidChange((event) => this.#tell(event));
  }

  /** Forgets text that waits to be told: for a view that gets the whole state instead. */
  discardWaiting(): void {
    this.#batch.discard();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#batch.end();
  }

  #tell(event: SessionEvent): void {
    const { conversation } = this.#session;
    if (event.type === 'turn-event') {
      this.#tellTurn(event.answerId, event.event);
      return;
    }
    this.#batch.flush();
    switch (event.type) {
      case 'message-add':
        this.#post({ type: 'message-put', message: messageView(conversation, event.message) });
        return;
      case 'answer-resume':
        this.#post({ type: 'message-put', message: messageView(conversation, event.answer) });
        return;
      case 'path-change':
        this.#post({
          type: 'transcript-splice',
          from: event.from,
          messages: conversation
            .path()
            .slice(event.from)
            .map((message) => messageView(conversation, message)),
        });
        return;
      case 'title-change':
        this.#post({ type: 'title-change', title: event.title });
        return;
    }
  }

  #tellTurn(messageId: string, event: TurnEvent): void {
    if (event.type === 'text-delta') {
      this.#answerId = messageId;
      this.#batch.add(event);
      return;
    }
    if (event.type === 'turn-end') this.#batch.end();
    else this.#batch.flush();
    switch (event.type) {
      case 'reasoning-end':
        this.#post({ type: 'reasoning-end', messageId, reasoningMs: event.reasoningMs });
        return;
      case 'retry-wait':
        this.#post({
          type: 'retry-wait',
          messageId,
          failure: failureView(event.failure, event.until),
        });
        return;
      case 'retry-start':
        this.#post({ type: 'retry-wait', messageId, failure: null });
        return;
      case 'reply-info':
        return;
      case 'turn-end':
        this.#post({
          type: 'turn-end',
          messageId,
          status: event.status,
          failure: answerFailure(event.result),
          stats: statsView(event),
          toolCalls: (event.result.toolCalls ?? []).map(toolCallView),
        });
        return;
    }
  }
}
