import { omitUndefined } from '../base/json.ts';
import type { Answer } from '../conversation/conversation.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import { ServiceError } from '../service/http/failure.ts';
import { getFinalStatus } from './answer-result.ts';
import type { TurnContext, TurnEvent } from './turn-context.ts';

export interface ImageTurnOptions {
  readonly imageGenerator: ImageGenerator;
  /** Empty answer to the `/image` message, to which the generated images are added. */
  readonly answer: Answer;
  readonly signal: AbortSignal;
  /** Called at the end of the turn, before its last event. A listener of this event may start another turn. */
  readonly onEnd: () => void;
}

/**
 * Generates the images of one answer. Emits the same events as a text answer: `turn-end` when the answer is complete,
 * then `work-end` when the answer is on disk.
 */
export async function runImageTurn(
  { conversation, writer, ports, emitChange }: TurnContext,
  { imageGenerator, answer, signal, onEnd }: ImageTurnOptions,
): Promise<void> {
  const { clock } = ports;
  const { id, parentId } = answer;
  const emitEvent = (event: TurnEvent): void =>
    emitChange({ type: 'turn-event', answerId: id, event });
  const message = conversation.findMessage(parentId);
  const prompt = (message?.role === 'user' ? readImagePrompt(message.text) : undefined) ?? '';
  let startedAt = clock.now();
  const { images, cost, ...rest } = await imageGenerator.generate(prompt, {
    signal,
    onRequest: () => {
      startedAt = clock.now();
      emitEvent({ type: 'image-request', at: startedAt });
    },
    onRetryWait: (lastFailure, delayMs) =>
      emitEvent({ type: 'retry-wait', failure: lastFailure, until: clock.now() + delayMs }),
    onReply: () => emitEvent({ type: 'retry-start' }),
  });
  // Closing the window also aborts the signal. The turn is then marked as interrupted instead of stopped.
  const reason: unknown = signal.reason;
  const failure = reason instanceof ServiceError ? reason.failure : rest.failure;
  for (const image of images) void writer.record({ type: 'image-add', id, image });
  const result = omitUndefined({
    durationMs: clock.now() - startedAt,
    cost,
    costEstimated: cost === undefined ? undefined : true,
    finishReason: failure === undefined ? ('stop' as const) : undefined,
    failure,
  });
  const status = getFinalStatus(failure);
  void writer.record({ type: 'answer-end', id, status, result });
  onEnd();
  emitEvent({ type: 'turn-end', status, result });
  await writer.completedWrites;
  const endedMessage = conversation.findMessage(id);
  emitChange({
    type: 'work-end',
    answer: endedMessage?.role === 'assistant' ? endedMessage : answer,
  });
}

/** Returns the prompt of an `/image` message. The prompt may be empty. Returns `undefined` for other messages. */
export function readImagePrompt(text: string): string | undefined {
  const match = /^\/image(?:\s+(?<prompt>[\s\S]*))?$/u.exec(text.trim());
  return match === null ? undefined : (match.groups?.['prompt'] ?? '');
}
