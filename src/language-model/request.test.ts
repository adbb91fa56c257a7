import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../test/support/deployment-context.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import { toRequestOptions } from './request.ts';

vi.mock('vscode', () => ({}));

test.each([
  [
    { seed: 7, temperature: 0.5 },
    { seed: 7, temperature: 0.5 },
  ],
  [{ seed: 0 }, {}],
  [{ seed: 1.5, max_tokens: 0, top_p: 2 }, {}],
  [{ max_tokens: 100 }, { max_completion_tokens: 100 }],
])('converts the options %j of another extension to %j', async (modelOptions, expected) => {
  const options = toRequestOptions({ modelOptions, isRequired: false });
  expect(options).toEqual(expected);
  for (const shape of ['minimal', 'full'] as const) {
    await using server = await startStrictDeployment({ shape });
    const { signal } = new AbortController();
    const request = { model: 'maple-70b', messages: [{ role: 'user', content: 'Hi' }], ...options };
    const batches = await Array.fromAsync(streamChat(server.context, request as never, { signal }));
    expect(batches.flat().at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
  }
});
