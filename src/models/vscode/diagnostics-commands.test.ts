import { beforeEach, expect, test, vi } from 'vitest';
import type { Model } from '../../service/model-types.ts';
import { copyDiagnostics, reportIssue } from './diagnostics-commands.ts';

const { executeCommand, writeText, showMessage } = vi.hoisted(() => ({
  executeCommand: vi.fn<(command: string, options: { issueBody: string }) => Promise<void>>(),
  writeText: vi.fn<(text: string) => Promise<void>>(),
  showMessage: vi.fn<(message: string) => Promise<undefined>>(),
}));

vi.mock('vscode', () => ({
  version: '1.110.0',
  commands: { executeCommand },
  env: { appHost: 'desktop', clipboard: { writeText } },
  l10n: { t: (text: string) => text },
}));
vi.mock('./selected-model.ts', () => ({
  findSelectedModel: ({ chatModel }: { chatModel?: Model }) => chatModel,
}));
vi.mock('../../platform/notifications.ts', () => ({
  showInformation: showMessage,
  showStatusMessage: () => {},
}));

const host = {
  account: {
    key: { kind: 'none' },
    profile: { id: 'default', baseUrl: 'https://service.test/api/v1', vendorPrefix: 'service' },
    readStoredKey: async () => undefined,
    connection: { facts: { word: 'acme' } },
    recentOutcomes: [],
  },
  models: {},
  context: { extension: { id: 'publisher.name', packageJSON: { version: '1.2.3' } } },
} as unknown as Parameters<typeof reportIssue>[0];

beforeEach(() => {
  for (const mock of [executeCommand, writeText, showMessage]) mock.mockReset();
});

test('reportIssue opens the issue reporter with the diagnostics', async () => {
  await reportIssue(host);
  expect(executeCommand).toHaveBeenCalledWith('workbench.action.openIssueReporter', {
    extensionId: 'publisher.name',
    issueBody: expect.stringContaining('word: `acme`'),
  });
  expect(writeText).not.toHaveBeenCalled();
});

test('reportIssue copies the diagnostics and shows a notice if the issue reporter does not open', async () => {
  executeCommand.mockRejectedValue(new Error('This extension has no URL for issues.'));
  await reportIssue(host);
  expect(writeText).toHaveBeenCalledWith(expect.stringContaining('word: `acme`'));
  expect(showMessage).toHaveBeenCalledWith(expect.stringContaining('on the clipboard'));
});

test('copyDiagnostics copies the vendor prefix, capabilities with their origin, statuses and versions, but no stored key', async () => {
  const [key, managementKey] = ['canary-inference-key', 'canary-management-key'];
  const chatModel: Pick<Model, 'id' | 'capabilities' | 'origins'> = {
    id: `model-${key}-${managementKey}`,
    capabilities: { supportsFunctionCalling: true },
    origins: { tools: '/props' },
  };
  const account = {
    ...host.account,
    key: { kind: 'usable', key, source: 'secret' },
    readStoredKey: async () => managementKey,
    recentOutcomes: [{ time: 0, status: 503, code: 'overloaded' }],
  };
  await copyDiagnostics({ ...host, account, models: { chatModel } } as unknown as typeof host);
  const text = writeText.mock.lastCall?.[0] ?? '';
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      '- Inference Service: 1.2.3',
      '- VS Code: 1.110.0',
      '- key: usable',
      '- word: `acme`',
      '- tools: yes (/props)',
      '- recent: 00:00:00 503 overloaded',
    ]),
  );
  expect(text).toContain('- model: ');
  expect(text).not.toContain('canary');
});
