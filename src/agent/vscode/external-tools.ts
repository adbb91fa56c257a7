import * as vscode from 'vscode';
import type { JsonSchema, Tool } from '../tool.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord } from '../../base/json.ts';
import { isToolImageType, type ToolImage } from '../../conversation/tool-run.ts';
import { isDataPart } from '../../platform/newer-vscode.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/**
 * Returns the tools of other extensions and of the MCP servers that the user configured in VS Code. Omits the tools that
 * this extension provides to other agents, because its own agent has the same tools under other names.
 * @param contributedNames Names of the tools that installed extensions declare.
 */
export function createLanguageModelTools(contributedNames: ReadonlySet<string>): readonly Tool[] {
  const { tools } = vscode.lm;
  const ownNames = new Set([
    ...tools.map(({ name }) => name).filter((name) => name.startsWith(ownToolPrefix)),
    ...['find_files', 'search_text', 'find_symbols'].map((name) => `${ownToolPrefix}${name}`),
  ]);
  return tools
    .filter(({ name }) => !ownNames.has(name.replace(ownServerPrefixPattern, ownToolPrefix)))
    .map((info) =>
      toAgentTool(info, contributedNames.has(info.name) || info.name.startsWith(mcpToolPrefix)),
    );
}

/** Name prefix of the tools that this extension provides to agents of other extensions. */
const ownToolPrefix = 'inferenceService_';

/**
 * Matches the name prefix that VS Code adds to the tools of this extension's MCP server, such as `mcp_inference_ser_`.
 * The prefix contains a number if another server already uses the prefix without a number.
 */
const ownServerPrefixPattern = /^mcp_inference[_-]s(?:er|e\d|\d\d)_/u;

/** Name prefix that VS Code adds to the tools of MCP servers. */
const mcpToolPrefix = 'mcp_';

/**
 * Converts a tool that VS Code lists to a tool of the agent. Tools that are built into VS Code are disabled by default,
 * because they are designed for VS Code's chat and use thousands of tokens.
 */
function toAgentTool(info: vscode.LanguageModelToolInformation, isInstalled: boolean): Tool {
  return {
    isOptIn: !isInstalled,
    name: info.name.replaceAll(/[^\w-]/gu, '_').slice(0, 64),
    kind: 'external',
    description: stripHiddenCharacters(info.description).text,
    parameters: (info.inputSchema as JsonSchema | undefined) ?? { type: 'object', properties: {} },
    plan: (args) =>
      Promise.resolve({
        verb: vscode.l10n.t('Use'),
        target: stripHiddenCharacters(info.name).text,
        resources: [{ type: 'external' }],
        preview: { language: 'json', text: JSON.stringify(args, null, 2), cwd: '', files: [] },
      }),
    async run(args, { signal, supportsVision }) {
      const cancellation = new vscode.CancellationTokenSource();
      const cancel = (): void => cancellation.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        // Only a chat of VS Code has an invocation token. Without a token, VS Code itself confirms
        // the call if the tool requires it.
        const options = { input: { ...args }, toolInvocationToken: undefined };
        const { content } = await vscode.lm.invokeTool(info.name, options, cancellation.token);
        return {
          output: getTextContent(content),
          images: supportsVision ? getImageContent(content) : [],
        };
      } catch (error) {
        throw isCancellationError(error)
          ? new ToolError('stopped', `${info.name} ${canceledMessage}`)
          : new ToolError('failed', `${info.name} failed: ${getErrorMessage(error)}`);
      } finally {
        signal.removeEventListener('abort', cancel);
        cancellation.dispose();
      }
    },
  };
}

function getTextContent(content: readonly unknown[]): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (isDataPart(part)) {
        return part.mimeType.startsWith('text/') || part.mimeType.endsWith('json')
          ? new TextDecoder().decode(part.data)
          : `[${part.mimeType}, ${part.data.length} bytes]`;
      }
      return '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

function getImageContent(content: readonly unknown[]): ToolImage[] {
  return content.flatMap((part) => {
    if (!isDataPart(part)) return [];
    const { mimeType: mediaType, data } = part;
    return isToolImageType(mediaType)
      ? [{ mediaType, data: Buffer.from(data).toString('base64') }]
      : [];
  });
}

/**
 * Checks for the error of a tool that was canceled, for example because the user declined the tool's own confirmation.
 */
const isCancellationError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'Canceled';

const canceledMessage =
  'was canceled: the user did not confirm it, or it ended early. Do not try it in another way; ask for an alternative.';

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : '');

/** Part of the VS Code API that lists extensions. Tests replace it. */
export interface Extensions {
  readonly all: readonly { readonly packageJSON: unknown }[];
  readonly onDidChange: Event<void>;
}

/** Provides the names of the tools that installed extensions declare. All other tools are part of VS Code. */
export class ContributedTools implements Disposable {
  readonly #extensions: Extensions;
  readonly #subscription: Disposable;
  #names: ReadonlySet<string> | undefined;

  constructor(extensions: Extensions) {
    this.#extensions = extensions;
    this.#subscription = extensions.onDidChange(() => (this.#names = undefined));
  }

  /**
   * Names of the declared tools. Cached until the extensions change, because every request needs the names and there
   * can be hundreds of them.
   */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.#extensions.all.flatMap(readContributedToolNames));
    return this.#names;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

function readContributedToolNames({ packageJSON }: Extensions['all'][number]): string[] {
  if (!isRecord(packageJSON) || packageJSON['isBuiltin'] === true) return [];
  const { contributes } = packageJSON;
  const tools = isRecord(contributes) ? contributes['languageModelTools'] : undefined;
  if (!Array.isArray(tools)) return [];
  const names = tools.map((tool: unknown) => (isRecord(tool) ? tool['name'] : undefined));
  return names.filter((name) => typeof name === 'string');
}
