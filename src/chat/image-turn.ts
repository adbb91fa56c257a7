import type { Clock } from '../base/clock.ts';
import { defined } from '../base/json.ts';
import type { TurnEvent } from './answer.ts';
import type { AnswerImage } from '../conversation/conversation.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';

/** Makes the pictures that a person asks for in a chat. */
export interface ImageMaker {
  /** The model that would make one now. */
  readonly model: () => { readonly id: string; readonly name: string };
  /** Never throws; pictures that came before a failure are in its outcome. */
  readonly make: (prompt: string, options: ImageMaking) => Promise<MadeImages>;
}

export interface ImageMaking {
  readonly signal: AbortSignal;
  /** Another try comes after `delayMs`. */
  readonly onRetryWait: (failure: ServiceFailure, delayMs: number) => void;
  /** The service began to answer. */
  readonly onReply: () => void;
}

export interface MadeImages {
  readonly images: readonly AnswerImage[];
  readonly cost?: Cost;
  readonly failure?: ServiceFailure;
}

export interface ImageTurnOptions {
  readonly maker: ImageMaker;
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Told of each picture before the turn ends. */
  readonly onImage: (image: AnswerImage) => void;
}

/** Has the pictures of one answer made. Tells it as a turn of a text model is told; always ends in `turn-end`. */
export async function runImageTurn(
  { maker, prompt, signal, clock, onImage }: ImageTurnOptions,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const startedAt = clock.now();
  const { images, cost, ...rest } = await maker.make(prompt, {
    signal,
    onRetryWait: (failed, delayMs) =>
      emit({ type: 'retry-wait', failure: failed, until: clock.now() + delayMs }),
    onReply: () => emit({ type: 'retry-start' }),
  });
  // A window that closes stops it too, which is not what the person wanted.
  const reason: unknown = signal.reason;
  const failure = reason instanceof ServiceError ? reason.failure : rest.failure;
  for (const image of images) onImage(image);
  const result = defined({
    durationMs: clock.now() - startedAt,
    cost,
    costEstimated: cost === undefined ? undefined : true,
    finishReason: failure === undefined ? ('stop' as const) : undefined,
    failure,
  });
  emit({ type: 'turn-end', status: statusOf(failure), result });
}

function statusOf(
  failure: ServiceFailure | undefined,
): Extract<TurnEvent, { type: 'turn-end' }>['status'] {
  if (failure === undefined) return 'complete';
  return failure.code === 'stopped' || failure.code === 'interrupted' ? failure.code : 'failed';
}

/**
 * What a message that begins with `/image` wants a picture of; empty when nothing follows. Undefined for every other
 * message.
 */
export function imagePrompt(text: string): string | undefined {
  const match = /^\/image(?:\s+(?<prompt>[\s\S]*))?$/u.exec(text.trim());
  return match === null ? undefined : (match.groups?.['prompt'] ?? '');
}
