import { expect, test, vi } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../test/support/deployment-context.ts';
import packageJSON from '../package.json' with { type: 'json' };
import { testConnectionAndShow } from './account/vscode/connection-test.ts';
import { showFailure, toShownFailure } from './account/vscode/show-failure.ts';
import { commands } from './commands.ts';
import type { Host } from './host.ts';
import { registerCommands } from './platform/commands.ts';
import { streamChat } from './service/chat/stream-chat.ts';
import { createDirectTransport } from './service/http/direct-transport.ts';
import type { ServiceFailure } from './service/http/failure.ts';
import { createWalletItems } from './wallet/vscode/wallet-view.ts';

type CommandHandler = (...args: unknown[]) => unknown;

const editor = vi.hoisted(() => ({
  handlers: new Map<string, (...args: unknown[]) => unknown>(),
  /** Texts that the funding view showed, one for each time that the view opened. */
  shownTexts: [] as string[],
}));

vi.mock('vscode', async () => {
  const chooseShowFunding = async (
    _message: string,
    ...buttons: unknown[]
  ): Promise<string | undefined> => (buttons.includes('Show Funding') ? 'Show Funding' : undefined);
  const subscribe = (): object => ({ dispose: () => {} });
  return {
    ...(await import('../test/support/vscode-stub.ts')),
    ...{ ProgressLocation: { Notification: 15 }, QuickPickItemKind: {}, StatusBarAlignment: {} },
    ...{ ThemeIcon: vi.fn(), ThemeColor: vi.fn(), MarkdownString: vi.fn(), EventEmitter: vi.fn() },
    commands: {
      registerCommand: (id: string, run: CommandHandler) => {
        editor.handlers.set(id, run);
        return { dispose: () => {} };
      },
      executeCommand: async (id: string, ...args: unknown[]) => editor.handlers.get(id)?.(...args),
    },
    workspace: { getConfiguration: () => ({ inspect: () => ({}), get: () => undefined }) },
    window: {
      ...{ showErrorMessage: chooseShowFunding, showInformationMessage: chooseShowFunding },
      showWarningMessage: async (_question: string, { detail }: { detail: string }) => {
        editor.shownTexts.push(detail);
      },
      withProgress: (_options: unknown, run: CommandHandler) =>
        run({ report: () => {} }, { onCancellationRequested: subscribe }),
    },
  };
});

const { signal } = new AbortController();

/** Returns a host whose API key has no balance. */
function createHost(server: DeploymentConnection): Host {
  const key = server.deployment.keys.noBalance;
  const service = server.connect(key);
  const globalState = { get: () => undefined, update: async () => {}, keys: () => [] };
  const account = {
    ...{
      service,
      management: service,
      state: globalState,
      balance: {},
      view: {},
      connection: server.connection,
    },
    ...{ key: { kind: 'usable', key, source: 'environment' }, reportOutcome: () => {} },
    getEndpoint: service.getEndpoint,
    profile: { id: 'default', baseUrl: server.deployment.baseUrl, vendorPrefix: 'service' },
    transports: { kind: 'direct', openTransport: async () => createDirectTransport() },
  };
  return { account, service, context: { globalState } } as unknown as Host;
}

async function createChatFailure({ service }: Host): Promise<ServiceFailure> {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  for await (const events of streamChat(service, { model: 'maple-70b', messages }, { signal })) {
    const lastEvent = events.at(-1);
    if (lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed')
      return lastEvent.outcome.failure;
  }
  throw new Error('The service answered.');
}

const accountAddress = '0x0000000000000000000000000000000000000001';
const chain = {
  ...{ id: 31_337, name: 'Test', rpcUrls: [], symbol: 'ETH', decimals: 18 },
  ...{ token: accountAddress, staking: accountAddress, usdc: accountAddress },
} as unknown as Parameters<typeof createWalletItems>[0]['chain'];

const runCommand = async (command: string | undefined): Promise<unknown> =>
  editor.handlers.get(command ?? '')?.();

test.each<[name: string, open: (host: Host) => Promise<unknown>]>([
  [
    'the failure message of a 402 reply',
    async (host) => {
      const failure = await createChatFailure(host);
      expect(failure.status).toBe(402);
      await showFailure(toShownFailure(failure));
    },
  ],
  ['the result of Test Connection', ({ account }) => testConnectionAndShow(account)],
  [
    'the wallet',
    ({ account: { key } }) => {
      const items = createWalletItems({
        ...{ chain, key, state: { kind: 'loading' } },
        account: { kind: 'browser', address: accountAddress },
      });
      return runCommand(items.find(({ label }) => label.includes('Show Funding'))?.action);
    },
  ],
])('the user can open the funding view from %s', async (_name, open) => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const host = createHost(server);
  editor.handlers.clear();
  editor.shownTexts.length = 0;
  registerCommands(
    { context: { extension: { packageJSON } }, log: { error: vi.fn() } } as never,
    { host } as never,
    async () => commands,
  );
  await open(host);
  await vi.waitFor(() => expect(editor.shownTexts).toHaveLength(1));
  expect(editor.shownTexts[0]).toContain('at least 0.1 staked DIEM');
});
