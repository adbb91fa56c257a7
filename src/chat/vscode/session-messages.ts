import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { ChatSession, SessionEvent } from '../chat-session.ts';
import type { Answer } from '../../conversation/conversation.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { DeltaBatcher } from '../answer.ts';
import type { TurnEvent } from '../turn-context.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import { createFailureView } from '../../account/vscode/failure-actions.ts';
import {
  createAnswerFailureView,
  createCitationViews,
  createMessageView,
  createRequestedCallView,
  createStatsView,
  createToolCallViews,
  createToolRunView,
} from './message-view.ts';
import { formatRefusedPart } from '../../service/chat/refused-parts.ts';
import { createProtectionView } from '../../privacy/vscode/protection-view.ts';

/** Duration of one display frame at 60 Hz, in milliseconds. Text deltas within this duration are combined. */
const frameMs = 17;

/** Posts the changes of a session to the page. Combines text deltas without changing the order of the messages. */
export class SessionMessages implements Disposable {
  readonly #session: ChatSession;
  readonly #post: (message: HostMessage) => void;
  readonly #batcher: DeltaBatcher;
  readonly #subscription: Disposable;
  #answerId = '';

  constructor(session: ChatSession, clock: Clock, post: (message: HostMessage) => void) {
    this.#session = session;
    this.#post = post;
    this.#batcher = new DeltaBatcher(clock, frameMs, (delta) => {
      post({ type: 'text-delta', messageId: this.#answerId, ...delta });
    });
    this.#answerId = session.runningAnswerId ?? '';
    this.#subscription = session.onDidChange((event) => this.#onSessionEvent(event));
  }

  /**
   * Discards pending text. Must be called before the page receives the complete state, because the state contains
   * this text.
   */
  discardPendingDelta(): void {
    this.#batcher.discardPendingDelta();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#batcher.deliverAndStop();
  }

  #onSessionEvent(event: SessionEvent): void {
    const { conversation, runningAnswerId } = this.#session;
    if (event.type === 'turn-event') {
      this.#onTurnEvent(event.answerId, event.event);
      return;
    }
    this.#batcher.deliverPendingDelta();
    switch (event.type) {
      case 'message-add':
        this.#post({
          type: 'message-put',
          message: createMessageView(conversation, event.message, runningAnswerId),
        });
        return;
      case 'answer-resume':
        this.#post({
          type: 'message-put',
          message: createMessageView(conversation, event.answer, runningAnswerId),
        });
        return;
      case 'path-change':
        this.#post({
          type: 'transcript-splice',
          from: event.startIndex,
          messages: conversation
            .listPath()
            .slice(event.startIndex)
            .map((message) => createMessageView(conversation, message, runningAnswerId)),
        });
        return;
      case 'summary-change':
        this.#post({
          type: 'message-put',
          message: createMessageView(conversation, event.message, runningAnswerId),
        });
        return;
      case 'work-end':
        this.#post(
          runningAnswerId === undefined
            ? {
                type: 'message-put',
                message: createMessageView(conversation, event.answer, runningAnswerId),
              }
            : { type: 'work-end', messageId: event.answer.id, status: 'complete' },
        );
        return;
      case 'tool-run':
        this.#postToolRun(event.answerId, event.run);
        return;
      case 'options-change':
      case 'permissions-change':
      case 'mode-change':
      case 'model-change':
        return;
      case 'todos-change':
        this.#post({ type: 'todos-change', todos: [...conversation.todoList.items] });
        return;
      case 'title-change':
        this.#post({ type: 'title-change', title: event.title });
        return;
    }
  }

  #postToolRun(messageId: string, run: ToolRun): void {
    const answer = this.#findAnswer(messageId);
    const call = answer?.result.toolCalls?.find(({ id }) => id === run.callId);
    if (call === undefined) return;
    this.#post({ type: 'tool-call-put', messageId, call: createToolRunView(call, run) });
  }

  /** Returns the latest version of the answer from the conversation; `undefined` if the message is no answer. */
  #findAnswer(messageId: string): Answer | undefined {
    const answer = this.#session.conversation.findMessage(messageId);
    return answer?.role === 'assistant' ? answer : undefined;
  }

  #onTurnEvent(messageId: string, event: TurnEvent): void {
    if (event.type === 'text-delta') {
      this.#answerId = messageId;
      this.#batcher.addDelta(event);
      return;
    }
    if (event.type === 'turn-end') this.#batcher.deliverAndStop();
    else this.#batcher.deliverPendingDelta();
    switch (event.type) {
      case 'reasoning-end':
        this.#post({ type: 'reasoning-end', messageId, reasoningMs: event.reasoningMs });
        return;
      case 'retry-wait':
        this.#post({
          type: 'retry-wait',
          messageId,
          failure: createFailureView(event.failure, { retryTime: event.until }),
        });
        return;
      case 'citations': {
        const citations = createCitationViews(event.citations);
        this.#post({ type: 'citations-put', messageId, citations });
        return;
      }
      case 'image-request': {
        const { conversation, runningAnswerId } = this.#session;
        const answer = this.#findAnswer(messageId);
        if (answer === undefined) return;
        const message = createMessageView(conversation, answer, runningAnswerId);
        const generatedImages = { images: [], startedAt: event.at };
        this.#post({ type: 'message-put', message: { ...message, generatedImages } });
        return;
      }
      case 'retry-start':
        this.#post({ type: 'retry-wait', messageId, failure: null });
        return;
      case 'part-refused': {
        const { conversation, runningAnswerId } = this.#session;
        const answer = this.#findAnswer(messageId);
        if (answer === undefined) return;
        const message = createMessageView(conversation, answer, runningAnswerId);
        const notices = event.parts.map(formatRefusedPart);
        this.#post({ type: 'message-put', message: { ...message, notices } });
        return;
      }
      case 'reply-info':
        return;
      case 'tool-call-start':
        this.#post({
          type: 'tool-call-put',
          messageId,
          call: createRequestedCallView(
            {
              id: `${streamedCallIdPrefix}${event.index}`,
              function: { name: event.name, arguments: '' },
            },
            false,
          ),
        });
        return;
      case 'turn-end': {
        const answer = this.#findAnswer(messageId);
        // The page shows the turn as running as long as the status of the last message is `working`.
        const isWorking = this.#session.runningAnswerId === messageId;
        this.#post({
          type: 'turn-end',
          messageId,
          status: isWorking ? 'working' : event.status,
          failure: createAnswerFailureView(event.result, answer?.images !== undefined),
          stats: createStatsView(event),
          toolCalls: answer === undefined ? [] : createToolCallViews(answer, !isWorking),
        });
        const protection = createProtectionView(event.result.protection);
        if (protection !== undefined) this.#post({ type: 'protection-put', messageId, protection });
        return;
      }
    }
  }
}

/**
 * Prefix of the ids of tool calls that are still streaming. When the answer ends, the page receives the calls with
 * their final ids.
 */
const streamedCallIdPrefix = 'written-';
