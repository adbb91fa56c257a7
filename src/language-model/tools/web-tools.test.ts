import { expect, test, vi } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import type { Host } from '../../host.ts';
import { createNativeTools } from './native-tools.ts';
import { SearchWebTool } from './web-tools.ts';

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...values: unknown[]) =>
      text.replaceAll(/\{(\d)\}/gu, (_, index) => String(values[Number(index)])),
  },
  Uri: { joinPath: () => ({}) },
  workspace: {},
}));

test('SearchWebTool fails if the service has no search endpoint, and sends no chat request instead', async () => {
  const { context, requests } = createScriptedService({
    status: 404,
    body: ['{"error":"Not found"}'],
  });
  const host = { service: context } as unknown as Host;
  const call = await new SearchWebTool(host).plan({ query: 'tides' });
  await expect(call.run(new AbortController().signal)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'failed',
  });
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/api/v1/augment/search']);
});

test.each([
  ['searchWeb', { query: 'tides' }],
  ['readPage', { url: 'https://docs.example.com/tides' }],
] as const)(
  'the web tool %s updates the connection status after a failure',
  async (name, input) => {
    const { context } = createScriptedService({
      status: 402,
      body: ['{"error":"Insufficient balance"}'],
    });
    const profile = { id: 'default' };
    const account = { profile, reportOutcome: vi.fn() };
    const host = { service: context, account, context: { globalStorageUri: {} } };
    const call = await createNativeTools(host as never)[name].plan(input);
    await expect(call.run(new AbortController().signal)).rejects.toMatchObject({
      failure: { code: 'out-of-funds' },
    });
    expect(account.reportOutcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'out-of-funds', status: 402 }),
      profile,
    );
  },
);

test('SearchWebTool removes invisible characters from the query, so that the user can see the whole query', async () => {
  const { context } = createScriptedService({});
  const tool = new SearchWebTool({ service: context } as unknown as Host);
  expect((await tool.plan({ query: 'ti\u{E0041}des\u{202E}' })).detail).toBe('tides');
  await expect(tool.plan({ query: '\u{E0041}' })).rejects.toThrow('query is empty.');
});

test('SearchWebTool does not report a failure if the user stops the call', async () => {
  const { context } = createScriptedService({});
  const account = { profile: {}, reportOutcome: vi.fn() };
  const host = { service: context, account, context: { globalStorageUri: {} } };
  const call = await createNativeTools(host as never).searchWeb.plan({ query: 'tides' });
  await expect(call.run(AbortSignal.abort())).rejects.toMatchObject({
    failure: { code: 'stopped' },
  });
  expect(account.reportOutcome).not.toHaveBeenCalled();
});

test('SearchWebTool shows the price in the consent dialog', async () => {
  const call = await new SearchWebTool({} as Host).plan({ query: 'tides' });
  expect(call.question).toBe('Search the web for $0.01?');
});
