import type { Chunk } from '../chat/chunks.ts';
import { type RawBytes, StreamCut, StreamFailure } from '../chat/reply.ts';
import type { ResponseEvent, ResponseWriter } from './response-writer.ts';

/**
 * Formats a response as server-sent events that are numbered from 0 and end with `[DONE]`.
 * @throws StreamCut after the last event if the connection must be reset
 */
export async function* createResponseEvents(
  chunks: AsyncIterable<Chunk | RawBytes>,
  writer: ResponseWriter,
): AsyncGenerator<string> {
  let sequenceNumber = 0;
  const formatNumberedEvent = ({ type, ...rest }: ResponseEvent): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber++, ...rest })}\n\n`;
  yield* writer.startResponse().map(formatNumberedEvent);
  try {
    for await (const chunk of chunks) {
      if ('raw' in chunk) yield chunk.raw;
      else yield* writer.addChunk(chunk).map(formatNumberedEvent);
    }
    yield* writer.endResponse().map(formatNumberedEvent);
  } catch (error) {
    if (error instanceof StreamCut && error.ending === 'end') return;
    if (!(error instanceof StreamFailure)) throw error;
    yield* writer.failResponse(error.error).map(formatNumberedEvent);
  }
  yield 'data: [DONE]\n\n';
}
