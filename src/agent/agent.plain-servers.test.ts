import { expect, test } from 'vitest';
import { createAgentFixture } from '../../test/support/agent-fixture.ts';
import { connectToPlainServer, listSentBodies } from '../../test/support/plain-server-context.ts';
import { ModelCorrections } from '../models/model-corrections.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { listModels } from '../service/models.ts';

const { signal } = new AbortController();

test.each(['llamacpp', 'vllm', 'lmstudio', 'openrouter', 'litellm'] as const)(
  'the agent reads the context size of a %s server from an error reply, and retries the turn with a shorter request',
  async (kind) => {
    await using connection = await connectToPlainServer({
      kind,
      apiKey: 'any-key',
      context: 2_000,
    });
    // The plain model list, which contains no context sizes.
    const { models } = await listModels(connection.context, { signal });
    const [listedModel] = models;
    if (listedModel === undefined) throw new Error('There is no model');
    const { contextTokens: _, ...model } = listedModel;
    const corrections = new ModelCorrections(() => 0);
    const countContextTokens = (): number | undefined =>
      corrections.applyCorrections([model], {})[0]?.contextTokens;
    const context: ServiceContext = {
      ...connection.context,
      refusals: { recordRefusal: (_id, failure) => corrections.recordRefusal(model.id, failure) },
    };
    const { session, listAnswers, selectModel } = createAgentFixture({
      answers: [],
      model: {
        get contextTokens() {
          return countContextTokens() ?? Infinity;
        },
      },
      stream: (request) => streamChat(context, request, { signal }),
    });
    selectModel(model.id);
    for (let count = 0; count < 4; count++) {
      await session.send('word '.repeat(800), []);
      await session.waitUntilSettled();
      expect(listAnswers().at(-1)?.result.failure).toBeUndefined();
    }
    expect(countContextTokens()).toBe(2_000);
    // The server refuses only the third request, because the agent then knows the context size.
    expect(listSentBodies(connection.server, '/chat/completions')).toHaveLength(5);
  },
);
