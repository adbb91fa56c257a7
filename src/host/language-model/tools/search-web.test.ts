import { expect, test, vi } from 'vitest';
import { scriptedService } from '../../../../test/support/scripted-transport.ts';
import { readModel } from '../../../service/model-reading.ts';
import type { Model } from '../../../service/model-types.ts';
import type { Host } from '../../host.ts';
import { SearchWebTool } from './search-web.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: 'whenOffered' }) }) },
}));

const searching = (id: string, more: object = {}): Model => {
  const capabilities = { supportsWebSearch: true, ...more };
  const model = readModel({ id, type: 'text', model_spec: { capabilities } });
  if (model === undefined) throw new Error(id);
  return model;
};

test('a model that is talked to encrypted does not search: another one is asked', async () => {
  const sealed = searching('sealed', { supportsE2EE: true });
  const answer = { choices: [{ message: { content: 'High at noon.' }, finish_reason: 'stop' }] };
  const { context, requests } = scriptedService(
    { status: 404, body: ['{"error":"Not found"}'] },
    { body: [JSON.stringify(answer)] },
  );
  const models = { models: [sealed, searching('scout')], chatModel: sealed };
  const host = { models, service: context } as unknown as Host;
  const call = await new SearchWebTool(host).plan({ query: 'tides' });
  await call.run(new AbortController().signal);
  expect(requests.map(({ url }) => url.pathname)).toEqual([
    '/api/v1/augment/search',
    '/api/v1/chat/completions',
  ]);
  expect(JSON.parse(String(requests[1]?.body))).toMatchObject({ model: 'scout' });
});
