import * as vscode from 'vscode';
import { createReadTools } from '../agent/tools/vscode/workspace-tools.ts';
import { isReadable } from '../agent/tools/vscode/ports.ts';
import type { Tool, ToolArguments, ToolContext } from '../agent/tool.ts';
import { isRecord, omitUndefined } from '../base/json.ts';
import { createId } from '../base/ids.ts';
import type { Host } from '../host.ts';
import type { Lazy } from '../base/lazy.ts';
import type { ImageRuntime } from '../image/vscode/image-runtime.ts';
import { confirmConsent } from '../platform/notifications.ts';
import { getSetting } from '../platform/settings.ts';
import { ToolError } from '../workspace/tool-error.ts';
import { TextDigests } from '../workspace/vscode/file-text.ts';
import { WorkspacePaths } from '../workspace/vscode/paths.ts';
import { type McpServer, type ServedTool, startMcpServer } from './mcp-server.ts';
import type { NativeToolName } from './registration.ts';
import type { NativeTool } from './tools/native-tool.ts';
import { createNativeTools } from './tools/native-tools.ts';

type ToolImages = Pick<Lazy<Pick<ImageRuntime, 'tool'>>, 'get'>;

/**
 * Starts the MCP server with the tools of this window. Clients of the server never receive an API key of the user.
 */
export function startToolServer(host: Host, images: ToolImages): Promise<McpServer> {
  const tools = [
    ...createServiceTools(host),
    createImageTool(host, images),
    ...createCodebaseTools(host),
  ];
  return startMcpServer({
    listTools: () => (vscode.workspace.isTrusted ? tools : []),
    confirmCall: async ({ question = '', detail }) =>
      confirmConsent(host, { question, detail }, vscode.l10n.t('Allow Once')),
    getMaxCost: () => getSetting('inferenceService.agent.maxCost'),
    log: host.log,
  });
}

/**
 * Prefix of the tool names in the extension's manifest. The tools of the MCP server have the same names without this
 * prefix.
 */
const manifestPrefix = 'inferenceService_';

/**
 * Returns the definition of a tool from the manifest, so that MCP clients receive the same texts as VS Code's chat.
 * Only the name of the tool differs.
 */
function findToolDefinition({ context }: Host, name: string): ServedTool['definition'] {
  const manifest: unknown = context.extension.packageJSON;
  const contributes = isRecord(manifest) ? manifest['contributes'] : undefined;
  const listedTools = isRecord(contributes) ? contributes['languageModelTools'] : undefined;
  const entries: readonly unknown[] = Array.isArray(listedTools) ? listedTools : [];
  const entry = entries
    .filter((item) => isRecord(item))
    .find((item) => item['name'] === `${manifestPrefix}${name}`);
  const description = entry?.['modelDescription'];
  return {
    name,
    ...(typeof description === 'string'
      ? { description: description.replaceAll(manifestPrefix, '') }
      : {}),
    inputSchema: entry?.['inputSchema'] as ServedTool['definition']['inputSchema'],
    // Clients show their own question before calls that change something. The server shows the question about the price.
    annotations: { readOnlyHint: readOnlyNames.has(name), destructiveHint: false },
  };
}

const readOnlyNames: ReadonlySet<string> = new Set<NativeToolName>([
  'describeImage',
  'readPage',
  'searchWeb',
]);

function createServiceTools(host: Host): readonly ServedTool[] {
  const entries = Object.entries(createNativeTools(host)) as [NativeToolName, NativeTool][];
  return entries.map(([name, tool]) => ({
    definition: findToolDefinition(host, name),
    plan: async (input) => {
      if (host.models.models.length === 0) await host.models.refresh();
      const call = await tool.plan(input);
      const { question, detail, expectedCost } = call;
      return omitUndefined({
        question,
        detail,
        expectedCost,
        run: (signal: AbortSignal) => call.run(signal),
      });
    },
  }));
}

const createImageTool = (host: Host, images: ToolImages): ServedTool => ({
  definition: findToolDefinition(host, 'generateImage'),
  plan: async (input) => {
    const call = await convertCancellation(async () => (await images.get()).tool.planCall(input));
    return {
      ...call,
      run: (signal) => convertCancellation(() => withCancellationToken(signal, call.run)),
    };
  },
});

/**
 * Runs an operation, and converts a `CancellationError` of the operation to a `ToolError`.
 * @throws ToolError if the operation was canceled
 */
async function convertCancellation<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) throw error;
    throw new ToolError('stopped', 'The call was canceled.');
  }
}

async function withCancellationToken<T>(
  signal: AbortSignal,
  run: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await run(source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

const codebaseToolNames = new Set(['find_files', 'search_text', 'find_symbols']);

/** Creates tools that search the workspace. These tools reject every call that needs the user's approval. */
function createCodebaseTools(host: Host): readonly ServedTool[] {
  const paths = new WorkspacePaths({
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => vscode.workspace.isTrusted,
    forbiddenFolders: [vscode.Uri.joinPath(host.context.globalStorageUri, '..')],
  });
  return createReadTools({ paths, versions: new TextDigests(), log: host.log })
    .filter(({ name }) => codebaseToolNames.has(name))
    .map((tool) => ({
      definition: {
        name: tool.name,
        description: tool.description,
        inputSchema: tool.parameters as ServedTool['definition']['inputSchema'],
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      plan: async (input) => {
        const args = input as ToolArguments;
        await requireReadablePaths(tool, args, paths);
        return {
          detail: '',
          run: async (signal) => {
            const { output } = await tool.run(args, createToolContext(signal));
            return { text: output };
          },
        };
      },
    }));
}

async function requireReadablePaths(
  tool: Tool,
  args: ToolArguments,
  paths: WorkspacePaths,
): Promise<void> {
  const { resources } = await tool.plan(args, createToolContext(new AbortController().signal));
  for (const resource of resources) {
    const isAllowed =
      resource.type === 'path' &&
      resource.access === 'read' &&
      isReadable(await paths.resolvePath(resource.path));
    if (!isAllowed)
      throw new ToolError('refused-path', 'This path needs the approval of the user.');
  }
}

function createToolContext(signal: AbortSignal): ToolContext {
  const id = createId();
  return {
    conversationId: id,
    turnId: id,
    messageId: id,
    callId: id,
    signal,
    supportsVision: false,
  };
}
