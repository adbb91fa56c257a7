import { expect, test, vi } from 'vitest';
import { scriptedService } from '../../../test/support/scripted-transport.ts';
import type { Host } from '../../host.ts';
import { SearchWebTool } from './web-tools.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

test('the search tool fails if the service has no search endpoint, and sends no chat request instead', async () => {
  const { context, requests } = scriptedService({ status: 404, body: ['{"error":"Not found"}'] });
  const host = { service: context } as unknown as Host;
  const call = await new SearchWebTool(host).plan({ query: 'tides' });
  await expect(call.run(new AbortController().signal)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'failed',
  });
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/api/v1/augment/search']);
});
