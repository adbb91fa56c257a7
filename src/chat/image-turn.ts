import type { Clock } from '../base/clock.ts';
import { omitUndefined } from '../base/json.ts';
import type { TurnEvent } from './answer.ts';
import type { ConversationRecord } from '../conversation/conversation.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';

export interface ImageTurnOptions {
  readonly imageGenerator: ImageGenerator;
  readonly prompt: string;
  readonly answerId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Applies a record to the conversation and writes it. */
  readonly record: (record: ConversationRecord) => void;
  readonly emit: (event: TurnEvent) => void;
}

/** Generates the images of one answer. Emits the same events as a text answer and always ends with `turn-end`. */
export async function runImageTurn({
  imageGenerator,
  prompt,
  answerId: id,
  signal,
  clock,
  record,
  emit,
}: ImageTurnOptions): Promise<void> {
  const startedAt = clock.now();
  const { images, cost, ...rest } = await imageGenerator.generate(prompt, {
    signal,
    onRetryWait: (failed, delayMs) =>
      emit({ type: 'retry-wait', failure: failed, until: clock.now() + delayMs }),
    onReply: () => emit({ type: 'retry-start' }),
  });
  // A closed window also aborts the signal. The turn is then marked as interrupted, not as stopped.
  const reason: unknown = signal.reason;
  const failure = reason instanceof ServiceError ? reason.failure : rest.failure;
  for (const image of images) record({ type: 'image-add', id, image });
  const result = omitUndefined({
    durationMs: clock.now() - startedAt,
    cost,
    costEstimated: cost === undefined ? undefined : true,
    finishReason: failure === undefined ? ('stop' as const) : undefined,
    failure,
  });
  const status = statusOf(failure);
  record({ type: 'answer-end', id, status, result });
  emit({ type: 'turn-end', status, result });
}

function statusOf(
  failure: ServiceFailure | undefined,
): Extract<TurnEvent, { type: 'turn-end' }>['status'] {
  if (failure === undefined) return 'complete';
  return failure.code === 'stopped' || failure.code === 'interrupted' ? failure.code : 'failed';
}

/** Returns the prompt of an `/image` message. The prompt may be empty. Returns `undefined` for other messages. */
export function imagePrompt(text: string): string | undefined {
  const match = /^\/image(?:\s+(?<prompt>[\s\S]*))?$/u.exec(text.trim());
  return match === null ? undefined : (match.groups?.['prompt'] ?? '');
}
