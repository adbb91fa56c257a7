import type { ChatEvent } from './chat-types.ts';
import type { ServiceContext } from './client.ts';
import type { CompletionRequest } from './completion-types.ts';
import type { ServiceFailure } from './failure.ts';
import { streamCall, type StreamCall, type StreamOptions } from './stream-call.ts';

/**
 * Streams what fills the hole between `prompt` and `suffix`, as the same events as the answer to a chat. Never throws:
 * the last event is always the one `stream-end`. Leaving the iteration, or aborting the signal, closes the request at
 * once.
 */
export async function* streamCompletionBatches(
  context: ServiceContext,
  request: CompletionRequest,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  for await (const batch of streamCall(context, completionCall(request), options)) {
    yield batch.map(explained);
  }
}

const completionCall = (request: CompletionRequest): StreamCall => ({
  kind: 'completion',
  request,
  path: '/completions',
  body: { ...request, stream: true, stream_options: { include_usage: true } },
});

/** The specification has no such route, so an answer that it is not there is no sign of a wrong address. */
function explained(event: ChatEvent): ChatEvent {
  if (event.type !== 'stream-end' || event.outcome.kind !== 'failed') return event;
  const { failure } = event.outcome;
  if (failure.code !== 'not-found') return event;
  return { ...event, outcome: { kind: 'failed', failure: whatIsMissing(failure) } };
}

function whatIsMissing(failure: ServiceFailure): ServiceFailure {
  return /\bmodel\b/i.test(failure.detail ?? '')
    ? { ...failure, code: 'model-not-found', message: noModel }
    : { ...failure, message: noRoute };
}

const noModel = 'The server does not know this model. Choose another model for completions.';
const noRoute =
  'This server has no route /completions. Set inferenceService.completion.route to "chat", or use a server that has the route.';
