import type { SuggestionRequest, CompletionExchange } from '../ports.ts';
import type { CompletionActivity } from './completion-activity.ts';
import type { Host } from '../../host.ts';
import type { ChatEvent } from '../../service/chat/chat-types.ts';
import type { StreamOptions } from '../../service/chat/stream-chat.ts';
import type { ServiceContext } from '../../service/http/client.ts';

interface SendOptions {
  readonly host: Pick<Host, 'account' | 'service'>;
  readonly activity: Pick<CompletionActivity, 'recordRequestStart' | 'recordRequestEnd'>;
}

/**
 * Sends one request without retries. Reports to the account whether the request reached the service or failed. Shows no
 * notifications; problems appear in the status bar.
 */
export async function* sendSuggestionRequest(
  { host, activity }: SendOptions,
  request: SuggestionRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const { account, service } = host;
  const { profile } = account;
  const options: StreamOptions = { signal, disableRetries: true, isBackground: true, timeouts };
  activity.recordRequestStart();
  try {
    const batches = await openStream(service, request, options);
    for await (const batch of batches) {
      for (const event of batch)
        reportEvent(event, (outcome) => account.reportOutcome(outcome, profile));
      yield batch;
    }
  } finally {
    activity.recordRequestEnd();
  }
}

/** Timeouts in milliseconds. They are short, because users rarely wait for a suggestion. */
const timeouts = { connectMs: 5_000, headersMs: 15_000, idleMs: 15_000 };

/** Sends the request and returns its events. Loads the streaming code on the first request. */
async function openStream(
  service: ServiceContext,
  request: SuggestionRequest,
  options: StreamOptions,
): Promise<AsyncIterable<readonly ChatEvent[]>> {
  if (request.route === 'chat') {
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    return streamChat(service, request.request, options);
  }
  const { streamCompletionBatches, streamInfillBatches } =
    await import('../../service/chat/completions.ts');
  return request.route === 'infill'
    ? streamInfillBatches(service, request.request, options)
    : streamCompletionBatches(service, request.request, options);
}

type ReportOutcome = (outcome: Parameters<Host['account']['reportOutcome']>[0]) => void;

/**
 * Calls `reportOutcome` when the answer to a request starts and when the request fails. Ignores canceled requests, and
 * failures that concern only the API route.
 */
function reportEvent(event: ChatEvent, reportOutcome: ReportOutcome): void {
  if (event.type === 'stream-start') return reportOutcome(event.info);
  if (event.type !== 'stream-end' || event.outcome.kind !== 'failed') return;
  const { failure } = event.outcome;
  if (failure.code !== 'stopped' && failure.refusesRoute !== true) reportOutcome(failure);
}

/** Formats the duration, usage and result of a request for the log, without any document text. */
export function formatExchange(exchange: CompletionExchange): string {
  const { model, timeToFirstTextMs: firstTextMs, usage, isEstimate, outcome, failure } = exchange;
  const approximatePrefix = isEstimate ? 'about ' : '';
  return [
    `Inline suggestion ${outcome}`,
    model.id,
    firstTextMs === undefined ? 'no text' : `${Math.round(firstTextMs)} ms to the first text`,
    `${approximatePrefix}${usage.promptTokens} → ${usage.completionTokens} tokens`,
    failure?.code ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
    .replaceAll(/\s+/g, ' ');
}
