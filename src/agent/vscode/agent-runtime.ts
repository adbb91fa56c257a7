import { platform } from 'node:os';
import * as vscode from 'vscode';
import { Agent, type AgentPorts } from '../agent.ts';
import { validateSchema } from '../arguments.ts';
import { createCommandParser } from '../commands/vscode/grammar-parser.ts';
import { agentInstructions, fileInstructions, type InstructionFile } from '../instructions.ts';
import { PendingRequests } from '../permissions/approval.ts';
import { Grants } from '../permissions/grants.ts';
import { PermissionRules } from '../permissions/permission-rules.ts';
import { RequestBuilder } from '../request-builder.ts';
import { type Mode, type Tool, toolSet } from '../tool.ts';
import { createAskUserTool } from '../tools/ask-user-tool.ts';
import { createWorkspaceTools, type WorkspaceTools } from '../tools/vscode/workspace-tools.ts';
import type { TurnLimits } from '../turn-budget.ts';
import { configureTools, ToolChoice } from './configure-tools.ts';
import { ContributedTools, languageModelTools } from './external-tools.ts';
import type { ToolMaker } from './tool-source.ts';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { defined } from '../../base/json.ts';
import { MediaFiles, mediaFolder } from '../../conversation/vscode/media-files.ts';
import type { Host } from '../../host.ts';
import { maxImagesPerMessage } from '../../models/vscode/model-view.ts';
import { setting, type UserSetting } from '../../platform/settings.ts';
import { workspaceName } from '../../platform/window.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import { createChatCompletion } from '../../service/chat/chat.ts';

/** What one turn may use before it asks. User settings only: a workspace cannot raise them. */
export const turnLimits = (): TurnLimits => ({
  requests: limit('inferenceService.agent.maxRequests'),
  calls: limit('inferenceService.agent.maxToolCalls'),
  tokens: limit('inferenceService.agent.maxTokens'),
  cost: limit('inferenceService.agent.maxCost'),
});

/** Whether commands of the built-in list, which only read, run without asking. */
export const readingCommandsAllowed = (): boolean =>
  setting('inferenceService.agent.allowReadingCommands');

const limit = (name: Extract<UserSetting, `inferenceService.agent.max${string}`>): number =>
  Math.max(0, setting(name));

export interface AgentRuntimeOptions {
  readonly mode: () => Mode;
  /** Of other features, in the order in which a request lists them. */
  readonly tools: readonly ToolMaker[];
  /** The files of the workspace that go with a request now. */
  readonly instructions: () => Promise<readonly InstructionFile[]>;
}

/** Everything that agents share: tools, rules, what turns changed. Loaded with the first draft. */
export class AgentRuntime implements Disposable {
  readonly #host: Host;
  readonly #options: AgentRuntimeOptions;
  readonly #owned = new DisposableStore();
  readonly #choice: ToolChoice;
  readonly #grants: Grants;
  readonly #workspace: WorkspaceTools;
  readonly #contributed = this.#owned.add(new ContributedTools(vscode.extensions));
  /** Lists the tools of other features that can be used now. */
  readonly #others: readonly (() => readonly Tool[])[];
  readonly #rules: PermissionRules;
  readonly #requests: RequestBuilder;

  constructor(host: Host, options: AgentRuntimeOptions) {
    this.#host = host;
    this.#options = options;
    const { globalState } = host.context;
    this.#choice = new ToolChoice(globalState);
    // Grants of one workspace do not count in another.
    const key = `agent.grants.${workspaceName()}`;
    this.#grants = new Grants({
      get: () => globalState.get(key),
      set: (value) => globalState.update(key, value),
    });
    this.#workspace = this.#owned.add(createWorkspaceTools(host));
    const { paths, changes, shell } = this.#workspace;
    const ports = { paths, changes: changes.turns };
    this.#others = options.tools.map((make) => make(ports));
    this.#rules = new PermissionRules({
      grants: this.#grants,
      facts: async (path) => (await paths.resolve(path)).facts,
      parser: createCommandParser(
        vscode.Uri.joinPath(host.context.extensionUri, 'dist', 'host').fsPath,
      ),
      shell: () => shell,
      reading: readingCommandsAllowed,
    });
    const media = new MediaFiles(mediaFolder(host.context).fsPath);
    this.#requests = new RequestBuilder({
      complete: (request, options) => createChatCompletion(this.#host.service, request, options),
      readMedia: async (file) => toBase64(await media.get(file)),
    });
  }

  /** What turns changed in files, to be reviewed and undone. */
  get changes(): WorkspaceTools['changes'] {
    return this.#workspace.changes;
  }

  createAgent(pending: PendingRequests, onUse: AgentPorts['onUse']): Agent {
    return new Agent(this.#ports(pending, onUse));
  }

  async configureTools(): Promise<void> {
    // Only listed: nobody is asked through this one.
    const tools = this.#tools(new PendingRequests(() => ''));
    await configureTools({
      tools,
      choice: this.#choice,
      grants: this.#grants,
      given: (chosen) => [...this.#given(chosen, new Set()).values()],
    });
  }

  /** The conversation was deleted. */
  async remove(conversationId: string): Promise<void> {
    this.#grants.forgetConversation(conversationId);
    this.#workspace.forget(conversationId);
    await this.changes.turns.remove(conversationId);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #ports(pending: PendingRequests, onUse: AgentPorts['onUse']): AgentPorts {
    const { models, log } = this.#host;
    return {
      clock: systemClock,
      validate: validateSchema,
      pending,
      permissions: this.#rules,
      logError: (what, error) => log.error(what, error),
      requests: this.#requests,
      model: (id) => {
        const model = models.find(id);
        return {
          tools:
            model !== undefined &&
            model.capabilities.supportsFunctionCalling &&
            !shouldEncryptChats(model),
          vision: model?.capabilities.supportsVision ?? false,
          ...(model === undefined
            ? {}
            : defined({ name: model.name, pictures: maxImagesPerMessage(model) ?? undefined })),
          ...(model?.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
          ...(model?.maxCompletionTokens === undefined
            ? {}
            : { maxCompletionTokens: model.maxCompletionTokens }),
        };
      },
      tools: () => Promise.resolve(this.#toolSet(pending)),
      instructions: async (tools) => [
        ...agentInstructions(tools, {
          folders: (vscode.workspace.workspaceFolders ?? []).map(({ name }) => name),
          platform: platform(),
          shell: this.#workspace.shell,
        }),
        ...fileInstructions(await this.#options.instructions()),
      ],
      limits: turnLimits,
      onUse,
    };
  }

  #toolSet(pending: PendingRequests): ReadonlyMap<string, Tool> {
    const tools = this.#tools(pending);
    return this.#given(tools, this.#choice.off(tools));
  }

  /** None in a workspace that is not trusted, whatever the mode. */
  #given(tools: readonly Tool[], off: ReadonlySet<string>): ReadonlyMap<string, Tool> {
    if (!vscode.workspace.isTrusted) return new Map();
    return toolSet(tools, { mode: this.#options.mode(), off });
  }

  #tools(pending: PendingRequests): readonly Tool[] {
    return [
      ...this.#workspace.tools,
      createAskUserTool(pending),
      ...this.#others.flatMap((list) => list()),
      ...languageModelTools(this.#contributed.names),
    ];
  }
}

const toBase64 = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
