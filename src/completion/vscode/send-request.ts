import type { SuggestionRequest, CompletionExchange } from '../ports.ts';
import type { CompletionActivity } from './completion-activity.ts';
import type { Host } from '../../host.ts';
import type { ChatEvent } from '../../service/chat/chat-types.ts';
import type { StreamOptions } from '../../service/chat/stream-chat.ts';
import type { ServiceContext } from '../../service/http/client.ts';

interface Asking {
  readonly host: Pick<Host, 'account' | 'service'>;
  readonly activity: Pick<CompletionActivity, 'startRequest' | 'endRequest'>;
}

/**
 * Sends one request, once, and tells the account what came of it: what needs the person shows in the status, and nothing
 * pops up.
 */
export async function* sendSuggestionRequest(
  { host, activity }: Asking,
  ask: SuggestionRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const { account, service } = host;
  const { profile } = account;
  const options: StreamOptions = { signal, disableRetries: true, isBackground: true, timeouts };
  activity.startRequest();
  try {
    const batches = await openStream(service, ask, options);
    for await (const batch of batches) {
      for (const event of batch) report(event, (outcome) => account.report(outcome, profile));
      yield batch;
    }
  } finally {
    activity.endRequest();
  }
}

/** A later suggestion is worth nothing. */
const timeouts = { connect: 5_000, headers: 15_000, idle: 15_000 };

/** The reading of streams is loaded with the first request. */
async function openStream(
  service: ServiceContext,
  ask: SuggestionRequest,
  options: StreamOptions,
): Promise<AsyncIterable<readonly ChatEvent[]>> {
  if (ask.route === 'chat') {
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    return streamChat(service, ask.request, options);
  }
  const { streamCompletionBatches } = await import('../../service/chat/completions.ts');
  return streamCompletionBatches(service, ask.request, options);
}

type Report = (outcome: Parameters<Host['account']['report']>[0]) => void;

/** Our own stop says nothing about the account. */
function report(event: ChatEvent, tell: Report): void {
  if (event.type === 'stream-start') return tell(event.info);
  if (event.type !== 'stream-end' || event.outcome.kind !== 'failed') return;
  if (event.outcome.failure.code !== 'stopped') tell(event.outcome.failure);
}

/** A request for the log: figures alone, nothing of a document. */
export function formatExchange(exchange: CompletionExchange): string {
  const { model, timeToFirstTextMs: firstTextMs, usage, isEstimate, end, failure } = exchange;
  const about = isEstimate ? 'about ' : '';
  return [
    `Inline suggestion ${end}`,
    model.id,
    firstTextMs === undefined ? 'no text' : `${Math.round(firstTextMs)} ms to the first text`,
    `${about}${usage.promptTokens} → ${usage.completionTokens} tokens`,
    failure?.code ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
    .replaceAll(/\s+/g, ' ');
}
