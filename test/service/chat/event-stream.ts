import type { JsonRecord } from '../../../src/base/json.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Chunk } from './chunks.ts';
import { StreamFailure } from './reply.ts';

/** The reply as server-sent events, `[DONE]` last; search results only when they were asked for. */
export async function* eventStream(
  chunks: AsyncIterable<Chunk>,
  words: Vocabulary,
  includeSettings: boolean,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) {
      yield eventOf(words.fromNeutral(includeSettings ? { ...chunk } : withoutSettings(chunk)));
    }
  } catch (error) {
    if (!(error instanceof StreamFailure)) throw error;
    yield eventOf({ error: error.error });
  }
  yield 'data: [DONE]\n\n';
}

function withoutSettings(chunk: Chunk): JsonRecord {
  const { service_parameters: _, ...rest } = chunk;
  return rest;
}

const eventOf = (data: JsonRecord): string => `data: ${JSON.stringify(data)}\n\n`;
