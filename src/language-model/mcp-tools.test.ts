import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createScriptedService,
  type ScriptedAnswer,
} from '../../test/support/scripted-transport.ts';
import manifest from '../../package.json' with { type: 'json' };
import { ToolError } from '../workspace/tool-error.ts';
import { startToolServer } from './mcp-tools.ts';

const editor = vi.hoisted(() => ({ maxCost: 0, isTrusted: true }));

vi.mock('vscode', async () => ({
  ...(await import('../../test/support/vscode-stub.ts')),
  CancellationError: class extends Error {},
  CancellationTokenSource: class {
    readonly token = {};
    cancel(): void {}
    dispose(): void {}
  },
  Uri: { joinPath: () => ({}) },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    getConfiguration: () => ({
      inspect: (name: string) =>
        name === 'inferenceService.agent.maxCost'
          ? { globalValue: editor.maxCost, defaultValue: 1 }
          : undefined,
    }),
  },
}));
vi.mock('../agent/tools/vscode/workspace-tools.ts', () => {
  const createFileTool = (name: string) => ({
    name,
    description: 'Finds files.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    plan: ({ path }: { readonly path: string }) =>
      Promise.resolve({ resources: [{ type: 'path', path, access: 'read' }] }),
    run: ({ path }: { readonly path: string }) => Promise.resolve({ output: `Files in ${path}` }),
  });
  const names = ['find_files', 'find_symbols', 'read_file', 'search_text'];
  return { createReadTools: () => names.map(createFileTool) };
});
vi.mock('../workspace/vscode/paths.ts', () => ({
  WorkspacePaths: class {
    resolvePath(path: string) {
      const isInWorkspace = path === 'src';
      const facts = { path, realPath: path, isInWorkspace, isRealPathInWorkspace: isInWorkspace };
      return Promise.resolve({ facts: { ...facts, isLink: false, kind: 'directory' } });
    }
  },
}));
vi.mock('../platform/notifications.ts', () => ({ confirmConsent: () => Promise.resolve(true) }));

interface ImageCall {
  readonly question: string;
  readonly detail: string;
  readonly expectedCost: number;
  readonly run: () => Promise<never>;
}

async function connectClient(answer: ScriptedAnswer, planImage?: () => Promise<ImageCall>) {
  const { context, requests } = createScriptedService(answer);
  const log = { error: vi.fn() };
  const host = {
    service: context,
    models: { models: [{}] },
    account: { profile: {}, reportOutcome: vi.fn() },
    context: { globalStorageUri: {}, extension: { packageJSON: manifest } },
    log,
  };
  const images = { get: () => Promise.resolve({ tool: { planCall: planImage } }) };
  const server = await startToolServer(host as never, images as never);
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(async () => {
    await client.close();
    server.dispose();
  });
  const { url, authorization } = server;
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const callTool = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: input });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  return { client, call: callTool, requests, log };
}

const limitText = 'The cost limit of this window is reached. Nothing was sent.';

test('startToolServer counts the price of searches and pages toward the cost limit', async () => {
  editor.maxCost = 0.025;
  const { call, requests } = await connectClient({ body: ['{"results":[],"content":"Tides"}'] });
  expect(await call('searchWeb', { query: 'tides' })).not.toBe(limitText);
  expect(await call('readPage', { url: 'https://docs.example.com' })).not.toBe(limitText);
  expect(await call('searchWeb', { query: 'tide tables' })).toBe(limitText);
  expect(requests).toHaveLength(2);
});

test('startToolServer does not count the price of a rejected search toward the cost limit', async () => {
  editor.maxCost = 0.015;
  const { call, requests } = await connectClient({
    status: 402,
    body: ['{"error":"Out of funds"}'],
  });
  await call('searchWeb', { query: 'tides' });
  await call('searchWeb', { query: 'tides' });
  expect(requests).toHaveLength(2);
});

test('startToolServer uses tool names without the manifest prefix in all descriptions', async () => {
  const { client } = await connectClient({});
  const { tools } = await client.listTools();
  const description = tools.find(({ name }) => name === 'searchWeb')?.description;
  expect(description).toContain('in full with readPage.');
  expect(JSON.stringify(tools)).not.toContain('inferenceService_');
});

test('startToolServer marks only tools that write nothing as read-only, so that clients request confirmation of the other tools', async () => {
  const { client } = await connectClient({});
  const { tools } = await client.listTools();
  const readOnlyTools = tools.filter(({ annotations }) => annotations?.readOnlyHint);
  expect(readOnlyTools.map(({ name }) => name).toSorted()).toEqual([
    'describeImage',
    'find_files',
    'find_symbols',
    'readPage',
    'searchWeb',
    'search_text',
  ]);
});

test('startToolServer offers exactly the tools that the chat skill in the manifest describes', async () => {
  const { client } = await connectClient({});
  const { tools } = await client.listTools();
  const [skill] = manifest.contributes.chatSkills;
  const text = await readFile(new URL(`../../${skill?.path}`, import.meta.url), 'utf8');
  const describedNames = [...text.matchAll(/`(?<name>\w+)`/gu)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  expect(tools.map(({ name }) => name).toSorted()).toEqual(describedNames.toSorted());
});

test('startToolServer offers no tools in an untrusted workspace', async () => {
  editor.isTrusted = false;
  onTestFinished(() => void (editor.isTrusted = true));
  const { client, call } = await connectClient({});
  expect((await client.listTools()).tools).toEqual([]);
  expect(await call('searchWeb', { query: 'tides' })).toBe('There is no such tool.');
});

test('startToolServer searches only files that need no approval', async () => {
  const { client, call } = await connectClient({});
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('find_files');
  expect(names).not.toContain('read_file');
  expect(await call('find_files', { path: 'src' })).toBe('Files in src');
  expect(await call('find_files', { path: '/etc' })).toBe(
    'This path needs the approval of the user.',
  );
});

test('startToolServer counts the price of a failed image call toward the cost limit if the service may have charged for the call', async () => {
  editor.maxCost = 0.05;
  const planImage = (): Promise<ImageCall> =>
    Promise.resolve({
      question: 'Generate an image for $0.04?',
      detail: 'a fox',
      expectedCost: 0.04,
      run: () => Promise.reject(new ToolError('failed', 'No image was created.')),
    });
  const { call } = await connectClient({}, planImage);
  expect(await call('generateImage', { prompt: 'a fox' })).toBe('No image was created.');
  expect(await call('generateImage', { prompt: 'a fox' })).toBe(limitText);
});

test('startToolServer logs an unexpected error and hides its details from the client', async () => {
  const error = new Error('secret path /home/a');
  const { call, log } = await connectClient({}, () => Promise.reject(error));
  expect(await call('generateImage', { prompt: 'a fox' })).toBe('The tool failed.');
  expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.any(String), error);
});

test('startToolServer reports a canceled image call as canceled', async () => {
  const { CancellationError } = await import('vscode');
  const { call, log } = await connectClient({}, () => Promise.reject(new CancellationError()));
  expect(await call('generateImage', { prompt: 'a fox' })).toBe('The call was canceled.');
  expect(log.error).not.toHaveBeenCalled();
});
