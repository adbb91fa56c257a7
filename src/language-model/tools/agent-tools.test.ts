import { expect, test, vi } from 'vitest';
import type { Tool, ToolPlan } from '../../agent/tool.ts';
import { createAgentToolFactory } from './agent-tools.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  Uri: { joinPath: () => ({}) },
  workspace: {},
}));

const fakeHost = { context: { globalStorageUri: {} }, service: {} };

/**
 * Returns a function that plans and runs a call of the page reader. The function only plans the call if `mayRun` is
 * false. It resolves to true if the call requires a confirmation.
 */
function createPageReader() {
  const readPageTool = createAgentToolFactory(fakeHost as never)({} as never)().find(
    ({ name }) => name === 'read_page',
  ) as Tool;
  const context = { signal: AbortSignal.abort() } as never;
  return async (url: string, mayRun = true): Promise<boolean> => {
    const args = { url };
    const plan = await readPageTool.plan(args, context);
    // No service runs in this test. The test only counts started calls.
    if (mayRun) await readPageTool.run(args, context).catch(() => {});
    return isConfirmationRequired(plan);
  };
}

const isConfirmationRequired = ({ resources }: ToolPlan): boolean =>
  resources.some(
    (resource) => resource.type === 'external' && resource.ownTool?.shouldAlwaysAsk === true,
  );

test('createAgentToolFactory requires a confirmation for the next page after twenty pages of the same host', async () => {
  const readPage = createPageReader();
  for (let page = 1; page <= 20; page++) {
    expect(await readPage(`https://docs.example.com/${page}`)).toBe(false);
  }
  expect(await readPage('https://docs.example.com/21', false)).toBe(true);
  expect(await readPage('https://other.example.com/1')).toBe(false);
  expect(await readPage('https://docs.example.com/22')).toBe(true);
  for (let page = 1; page <= 20; page++) {
    expect(await readPage(`https://docs.example.com/${page}`)).toBe(false);
  }
  expect(await readPage('https://docs.example.com/23')).toBe(true);
});

test('createAgentToolFactory requires a confirmation for a long URL but not for a short URL', async () => {
  const readPage = createPageReader();
  expect(await readPage(`https://docs.example.com/${'a'.repeat(300)}`)).toBe(true);
  expect(await readPage('https://docs.example.com/a')).toBe(false);
});
