import * as vscode from 'vscode';
import type { JsonSchema, Tool } from '../tool.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord } from '../../base/json.ts';
import { isToolImageType, type ToolImage } from '../../conversation/tool-run.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/**
 * The tools of other extensions, and through the editor those of the MCP servers that the person configured.
 * @param contributed Names of those that installed extensions declare.
 */
export function languageModelTools(contributed: ReadonlySet<string>): readonly Tool[] {
  return vscode.lm.tools
    .filter(({ name }) => !name.startsWith(ownToolPrefix))
    .map((info) => toTool(info, contributed.has(info.name) || info.name.startsWith(mcpToolPrefix)));
}

/** What we offer to other agents; our own have it already. */
const ownToolPrefix = 'inferenceService_';

/** The editor names the tools of an MCP server with this in front. */
const mcpToolPrefix = 'mcp_';

/** The editor's own are made for its own chat, and cost thousands of tokens: they are there to be switched on. */
function toTool(info: vscode.LanguageModelToolInformation, isInstalled: boolean): Tool {
  return {
    optIn: !isInstalled,
    name: info.name.replaceAll(/[^\w-]/gu, '_').slice(0, 64),
    kind: 'external',
    description: stripHiddenCharacters(info.description).text,
    parameters: (info.inputSchema as JsonSchema | undefined) ?? { type: 'object', properties: {} },
    plan: (args) =>
      Promise.resolve({
        verb: vscode.l10n.t('Use'),
        pastVerb: vscode.l10n.t('Used'),
        target: stripHiddenCharacters(info.name).text,
        resources: [{ type: 'external' }],
        preview: { language: 'json', text: JSON.stringify(args, null, 2), cwd: '', files: [] },
      }),
    async run(args, { signal, vision }) {
      const cancellation = new vscode.CancellationTokenSource();
      const cancel = (): void => cancellation.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        // Without a token of the editor's own chat it confirms by itself where the tool asks for it.
        const options = { input: { ...args }, toolInvocationToken: undefined };
        const { content } = await vscode.lm.invokeTool(info.name, options, cancellation.token);
        return { output: textContent(content), images: vision ? imageContent(content) : [] };
      } catch (error) {
        throw isCancelled(error)
          ? new ToolError('stopped', `${info.name} ${cancelledMessage}`)
          : new ToolError('failed', `${info.name} failed: ${errorMessage(error)}`);
      } finally {
        signal.removeEventListener('abort', cancel);
        cancellation.dispose();
      }
    },
  };
}

function textContent(content: readonly unknown[]): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelDataPart) {
        return part.mimeType.startsWith('text/') || part.mimeType.endsWith('json')
          ? new TextDecoder().decode(part.data)
          : `[${part.mimeType}, ${part.data.length} bytes]`;
      }
      return '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

function imageContent(content: readonly unknown[]): ToolImage[] {
  return content.flatMap((part) => {
    if (!(part instanceof vscode.LanguageModelDataPart)) return [];
    const { mimeType: mediaType, data } = part;
    return isToolImageType(mediaType)
      ? [{ mediaType, data: Buffer.from(data).toString('base64') }]
      : [];
  });
}

/** The tool asked by itself, and the person said no there; or it gave up without saying why. */
const isCancelled = (error: unknown): boolean =>
  error instanceof Error && error.name === 'Canceled';

const cancelledMessage =
  'was cancelled: the person did not confirm it, or it ended by itself. Do not try it again in another way; ask what they would like instead.';

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : '');

/** What the editor knows of its extensions. */
export interface Extensions {
  readonly all: readonly { readonly packageJSON: unknown }[];
  readonly onDidChange: Event<void>;
}

/** The tools that extensions which the person installed declare. All others are the editor's own. */
export class ContributedTools implements Disposable {
  readonly #extensions: Extensions;
  readonly #subscription: Disposable;
  #names: ReadonlySet<string> | undefined;

  constructor(extensions: Extensions) {
    this.#extensions = extensions;
    this.#subscription = extensions.onDidChange(() => (this.#names = undefined));
  }

  /** Read once until extensions come or go: there can be hundreds, and every request asks. */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.#extensions.all.flatMap(contributedToolNames));
    return this.#names;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

function contributedToolNames({ packageJSON }: Extensions['all'][number]): string[] {
  if (!isRecord(packageJSON) || packageJSON['isBuiltin'] === true) return [];
  const { contributes } = packageJSON;
  const tools = isRecord(contributes) ? contributes['languageModelTools'] : undefined;
  if (!Array.isArray(tools)) return [];
  const names = tools.map((tool: unknown) => (isRecord(tool) ? tool['name'] : undefined));
  return names.filter((name) => typeof name === 'string');
}
