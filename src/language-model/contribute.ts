import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { Lazy } from '../base/lazy.ts';
import type { Contribution } from '../platform/contribution.ts';
import type { Host } from '../host.ts';
import type { ImageRuntime } from '../image/vscode/image-runtime.ts';
import { isUsedInEditor, nativeToolNames } from './registration.ts';

/** Registers models, tools and the chat participant in VS Code. The code that implements them loads on first use. */
export function contributeLanguageModel(host: Host, images: Lazy<ImageRuntime>): Contribution {
  const disposables = new DisposableStore();
  const onDidChangeEmitter = disposables.add(new vscode.EventEmitter<void>());
  const runtime = new Lazy(async () => {
    const { NativeRuntime } = await import('./native-runtime.ts');
    return disposables.add(new NativeRuntime(host, images, onDidChangeEmitter));
  });
  const getProvider = async () => (await runtime.get()).provider;
  disposables.add(
    vscode.lm.registerLanguageModelChatProvider('inferenceService', {
      onDidChangeLanguageModelChatInformation: onDidChangeEmitter.event,
      provideLanguageModelChatInformation: async (...args) =>
        (await getProvider()).provideLanguageModelChatInformation(...args),
      provideLanguageModelChatResponse: async (...args) =>
        (await getProvider()).provideLanguageModelChatResponse(...args),
      provideTokenCount: async (model, text) =>
        (await getProvider()).provideTokenCount(model, text),
    }),
  );
  // VS Code requests models when its model picker opens. Without this event, a user who selected
  // one of the extension's models would see no models after a start.
  if (isUsedInEditor(host.context)) onDidChangeEmitter.fire();
  for (const name of nativeToolNames) {
    disposables.add(
      vscode.lm.registerTool<Record<string, unknown>>(`inferenceService_${name}`, {
        prepareInvocation: async (options) =>
          (await runtime.get()).tools[name].prepareInvocation(options),
        invoke: async (...args) => (await runtime.get()).tools[name].invoke(...args),
      }),
    );
  }
  const server = new Lazy(async () => {
    const { startToolServer } = await import('./mcp-tools.ts');
    return disposables.add(await startToolServer(host, images));
  });
  // VS Code before 1.101 and some editors based on VS Code do not support MCP servers of extensions.
  const { registerMcpServerDefinitionProvider: registerServer } = vscode.lm as Partial<
    typeof vscode.lm
  >;
  if (registerServer !== undefined) {
    // The server has tools only in a trusted workspace.
    const onDidChangeServerEmitter = disposables.add(new vscode.EventEmitter<void>());
    disposables.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => onDidChangeServerEmitter.fire()),
    );
    const { version } = host.context.extension.packageJSON as { readonly version: string };
    disposables.add(
      registerServer('inferenceService.tools', {
        onDidChangeMcpServerDefinitions: onDidChangeServerEmitter.event,
        // The server starts only when VS Code needs it. Until then, its address is a placeholder.
        provideMcpServerDefinitions: () => [
          createServerDefinition(version, 'http://127.0.0.1:1/mcp'),
        ],
        resolveMcpServerDefinition: async () => {
          const { url, authorization } = await server.get();
          return createServerDefinition(version, url, { Authorization: authorization });
        },
      }),
    );
  }
  const participant = disposables.add(
    vscode.chat.createChatParticipant('inferenceService.inference', async (...args) =>
      (await runtime.get()).participant.answer(...args),
    ),
  );
  participant.iconPath = new vscode.ThemeIcon('comment-discussion');
  participant.followupProvider = {
    provideFollowups: async (result) => (await runtime.get()).participant.createFollowUps(result),
  };
  return { dispose: () => disposables.dispose() };
}

const createServerDefinition = (
  version: string,
  url: string,
  headers: Record<string, string> = {},
): vscode.McpHttpServerDefinition =>
  new vscode.McpHttpServerDefinition('Inference Service', vscode.Uri.parse(url), headers, version);
