import { expect, test, vi } from 'vitest';
import { Uri, workspace } from 'vscode';
import { PendingRequests } from '../../agent/permissions/approval.ts';
import type { Mode } from '../../conversation/protocol.ts';
import { AgentRuntime } from '../../agent/vscode/agent-runtime.ts';
import { createImageTools } from '../../image/vscode/generate-image-tool.ts';
import { streamChat } from '../../service/chat/stream-chat.ts';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { createAgentToolFactory } from './agent-tools.ts';

vi.mock('vscode', () => {
  const folder = { name: 'shop', uri: { scheme: 'file', path: '/shop', fsPath: '/shop' } };
  const register = () => ({ dispose: () => {} });
  const observable = { onDidChange: register, onDidCreate: register, onDidDelete: register };
  return {
    l10n: { t: (text: unknown) => text },
    Uri: { joinPath: () => folder.uri, file: () => folder.uri },
    Disposable: Object,
    EventEmitter: Object,
    ThemeColor: Object,
    ThemeIcon: Object,
    OverviewRulerLane: {},
    FileType: {},
    SymbolKind: {},
    env: { appRoot: '/app' },
    lm: { tools: [] },
    extensions: { all: [], ...observable },
    languages: { registerCodeLensProvider: register },
    commands: { executeCommand: () => Promise.resolve() },
    window: {
      createTextEditorDecorationType: register,
      onDidChangeVisibleTextEditors: register,
      onDidChangeActiveTextEditor: register,
      onDidChangeWindowState: register,
      onDidStartTerminalShellExecution: register,
      onDidCloseTerminal: register,
      visibleTextEditors: [],
    },
    workspace: {
      onDidChangeConfiguration: register,
      isTrusted: true,
      workspaceFolders: [folder],
      textDocuments: [],
      getConfiguration: () => ({ inspect: () => undefined, get: () => undefined }),
      onDidOpenTextDocument: register,
      onDidCloseTextDocument: register,
      onDidChangeTextDocument: register,
      onDidGrantWorkspaceTrust: register,
      onDidChangeWorkspaceFolders: register,
      registerTextDocumentContentProvider: register,
    },
  };
});

/**
 * Skill with texts that are as short as possible. The texts of a skill are not a fixed part of a request, because
 * users write them.
 */
const skill = { name: 'a', description: 'B', path: '.agents/skills/a/SKILL.md', label: 'a' };

/** Returns the system prompt and the tools in the body of a request. They are the same in every request of a chat. */
async function getFixedParts(mode: Mode): Promise<{ system: string; tools: readonly object[] }> {
  const model = { id: 'model-1', name: 'Model One', type: 'text', capabilities: {} };
  const imageModels = ['image', 'inpaint', 'upscale'].map((type) => ({ ...model, id: type, type }));
  const state = { get: () => undefined, update: () => Promise.resolve() };
  const host = {
    context: {
      globalState: state,
      workspaceState: state,
      globalStorageUri: Uri.file('/storage'),
      extensionUri: Uri.file('/extension'),
    },
    log: { error: () => {}, warn: () => {} },
    models: { models: [model, ...imageModels], find: () => model },
    service: {},
  } as never;
  const runtime = new AgentRuntime(host, {
    getMode: () => mode,
    tools: [createImageTools(host, {} as never), createAgentToolFactory(host)],
    readAgentFiles: () =>
      Promise.resolve({ instructions: [], skills: [skill], agents: [], skippedFiles: [] }),
    refreshAgentFiles: () => Promise.resolve(),
  });
  const agent = runtime.createAgent(new PendingRequests(() => ''), () => {});
  const conversation = createConversation(
    createUserMessage('q1', null),
    createTextAnswer('a1', 'q1'),
    createUserMessage('q2', 'a1'),
  );
  const { signal } = new AbortController();
  const request = await agent.buildRequest(
    {
      conversation,
      turnId: 'q2',
      modelId: 'model-1',
      signal,
      putRun: () => {},
      setInstructions: () => {},
      setSummary: () => {},
    },
    'q2',
  );
  const { context, requests } = createScriptedService({ status: 400 });
  for await (const batch of streamChat(context, request, { signal })) void batch;
  const body = JSON.parse(String(requests[0]?.body)) as {
    messages: { content: string }[];
    tools: object[];
  };
  return { system: body.messages[0]?.content ?? '', tools: body.tools };
}

test.each([
  ['agent', 12_000],
  ['ask', 4_800],
  ['plan', 4_800],
] as const)(
  'the system prompt and tools of a request in mode "%s" have at most %d characters',
  async (mode, maxLength) => {
    expect(workspace.workspaceFolders).toHaveLength(1);
    const { system, tools } = await getFixedParts(mode);
    expect(system.length + JSON.stringify(tools).length).toBeLessThanOrEqual(maxLength);
  },
);
