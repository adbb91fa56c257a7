import type { CompletionExchange } from '../ports.ts';

/** A request for the log: figures alone, nothing of a document. */
export function exchangeLine(exchange: CompletionExchange): string {
  const { model, firstTextMs, usage, isEstimate, end, failure } = exchange;
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
