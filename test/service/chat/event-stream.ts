import type { JsonRecord } from '../../../src/base/json.ts';
import type { VendorNaming } from '../vendor-naming.ts';
import { type RawBytes, StreamCut, StreamFailure } from './reply.ts';

/**
 * Formats the reply as server-sent events that end with `[DONE]`. Omits the service parameters unless the request
 * enables them.
 * @throws StreamCut after the last event if the connection must be reset
 */
export async function* toEventStream(
  chunks: AsyncIterable<EventData | RawBytes>,
  naming: VendorNaming,
  hasParameters: boolean,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) {
      if ('raw' in chunk) yield chunk.raw;
      else
        yield formatEvent(
          naming.convertFromNeutral(hasParameters ? { ...chunk } : omitServiceParameters(chunk)),
        );
    }
  } catch (error) {
    if (error instanceof StreamCut && error.ending === 'end') return;
    if (!(error instanceof StreamFailure)) throw error;
    yield formatEvent({ error: error.error });
  }
  yield 'data: [DONE]\n\n';
}

/** A chunk of a chat completion or a text completion. */
type EventData = object & { readonly service_parameters?: object };

function omitServiceParameters(chunk: EventData): JsonRecord {
  const { service_parameters: _, ...rest } = chunk;
  return rest;
}

const formatEvent = (data: JsonRecord): string => `data: ${JSON.stringify(data)}\n\n`;
