import { platform } from 'node:os';
import * as vscode from 'vscode';
import { Agent, type AgentPorts } from '../agent.ts';
import { validateSchema } from '../arguments.ts';
import type { CodeBlock } from '../answer/apply-block.ts';
import { createAgentInstructions } from '../chat-instructions.ts';
import { PendingRequests } from '../permissions/approval.ts';
import { Grants } from '../permissions/grants.ts';
import { PermissionRules } from '../permissions/permission-rules.ts';
import { RequestBuilder } from '../request-builder.ts';
import { type Tool, selectTools } from '../tool.ts';
import { createAskUserTool } from '../tools/ask-user-tool.ts';
import { createSkillTool } from '../agent-files.ts';
import { chooseDelegateModel, createDelegateTool } from '../tools/delegate-tool.ts';
import { createTodoTool } from '../tools/todo-tool.ts';
import { createWorkspaceTools, type WorkspaceTools } from '../tools/vscode/workspace-tools.ts';
import type { TurnLimits } from '../turn-budget.ts';
import type { Skill } from '../agent-files.ts';
import type { ChangeRecorder } from '../changes/vscode/change-recorder.ts';
import { configureTools, ToolSelection } from './configure-tools.ts';
import { ContributedTools, createLanguageModelTools } from './external-tools.ts';
import type { AgentFiles } from './read-agent-files.ts';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { createId } from '../../base/ids.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Mode } from '../../conversation/protocol.ts';
import { MediaFiles, getMediaFolder } from '../../conversation/vscode/media-files.ts';
import type { Host } from '../../host.ts';
import { getMaxImagesPerMessage } from '../../models/vscode/model-view.ts';
import { getSetting, type UserSetting } from '../../platform/settings.ts';
import { getWorkspaceId } from '../../platform/window.ts';
import {
  protectsAtLeastAsWell,
  shouldEncryptChats,
} from '../../privacy/vscode/privacy-settings.ts';
import type { Model } from '../../service/model-types.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import type { PathResolver } from '../../workspace/vscode/paths.ts';
import { createChatCompletion } from '../../service/chat/chat.ts';
import type { ProtectionTerms } from '../../service/chat/protection.ts';
import { ServiceError } from '../../service/http/failure.ts';

/** Dependencies of the tools that other features provide. */
export interface ToolPorts {
  readonly paths: PathResolver;
  readonly changes: ChangeRecorder;
}

/** Creates the tools of a feature. The returned function lists the tools that are available at the time of the call. */
export type ToolFactory = (ports: ToolPorts) => () => readonly Tool[];

/**
 * Loads the code that creates a feature's tools. Called when an agent is first needed, for example when the user starts
 * to type a message, and again only if loading failed.
 */
export type ToolFactoryLoader = () => Promise<ToolFactory>;

/**
 * Reads the limits of one turn from the user settings. Ignores workspace settings, so that a workspace cannot raise the
 * limits.
 */
export const readTurnLimits = (): TurnLimits => ({
  requests: readTurnLimit('inferenceService.agent.maxRequests'),
  calls: readTurnLimit('inferenceService.agent.maxToolCalls'),
  tokens: readTurnLimit('inferenceService.agent.maxTokens'),
  cost: readTurnLimit('inferenceService.agent.maxCost'),
});

/** Checks whether the user settings allow commands on the built-in list of read-only commands without approval. */
export const areReadOnlyCommandsAllowed = (): boolean =>
  getSetting('inferenceService.agent.allowReadingCommands');

const readTurnLimit = (name: Extract<UserSetting, `inferenceService.agent.max${string}`>): number =>
  Math.max(0, getSetting(name));

const confirmedEditsKey = 'agent.confirmedEdits';

export interface AgentRuntimeOptions {
  /** Returns the mode for a chat in which the user has chosen no mode. */
  readonly getMode: () => Mode;
  /** Factories of the tools that other features provide, in the order in which requests contain the tools. */
  readonly tools: readonly ToolFactory[];
  /** Returns the instructions, skills and custom agents that currently apply. */
  readonly readAgentFiles: () => Promise<AgentFiles>;
  /** Makes `readAgentFiles` reread files that changed without a file event. */
  readonly refreshAgentFiles: () => Promise<void>;
}

/**
 * Objects that all agents share: tools, permission rules and recorded changes. Loaded when an agent is first needed,
 * for example when the user starts to type a message.
 */
export class AgentRuntime implements Disposable {
  readonly #host: Host;
  readonly #options: AgentRuntimeOptions;
  readonly #disposables = new DisposableStore();
  readonly #toolSelection: ToolSelection;
  readonly #grants: Grants;
  readonly #workspace: WorkspaceTools;
  readonly #contributedTools = this.#disposables.add(new ContributedTools(vscode.extensions));
  /** Functions that list the currently available tools of other features of this extension. */
  readonly #toolListers: readonly (() => readonly Tool[])[];
  readonly #rules: PermissionRules;
  readonly #requestBuilder: RequestBuilder;

  constructor(host: Host, options: AgentRuntimeOptions) {
    this.#host = host;
    this.#options = options;
    const { globalState, workspaceState } = host.context;
    this.#toolSelection = new ToolSelection(globalState);
    // Grants of one workspace do not apply in another workspace.
    const key = `agent.grants.${getWorkspaceId()}`;
    this.#grants = new Grants({
      get: () => globalState.get(key),
      set: (value) => globalState.update(key, value),
    });
    this.#workspace = this.#disposables.add(createWorkspaceTools(host));
    const { paths, changes, commandFiles, parser, shell } = this.#workspace;
    const toolPorts = { paths, changes: changes.turns };
    this.#toolListers = options.tools.map((createTools) => createTools(toolPorts));
    this.#rules = new PermissionRules({
      grants: this.#grants,
      inspectPath: async (path) => (await paths.resolvePath(path)).facts,
      parser,
      commandFiles,
      listUnreviewedEdits: () => changes.turns.listUnreviewedEdits(),
      confirmedEditStore: {
        get: () => workspaceState.get(confirmedEditsKey),
        set: (value) => workspaceState.update(confirmedEditsKey, value),
      },
      getShell: () => shell,
      isReadOnlyAllowed: areReadOnlyCommandsAllowed,
    });
    const media = new MediaFiles(getMediaFolder(host.context).fsPath);
    this.#requestBuilder = new RequestBuilder({
      requestCompletion: (request, options) =>
        createChatCompletion(this.#host.service, request, options),
      readMedia: async (file) => toBase64(await media.get(file)),
    });
  }

  /** Recorded file changes of turns, which the user can review and undo. */
  get changes(): WorkspaceTools['changes'] {
    return this.#workspace.changes;
  }

  createAgent(pendingRequests: PendingRequests, onUsage: AgentPorts['onUsage']): Agent {
    return new Agent(this.#createPorts(pendingRequests, onUsage));
  }

  async configureTools(): Promise<void> {
    // Never prompts the user, because the tools are only listed.
    const { skills } = await this.#options.readAgentFiles();
    const tools = this.#createTools(new PendingRequests(() => ''), skills);
    await configureTools({
      tools,
      selection: this.#toolSelection,
      grants: this.#grants,
      selectTools: (chosenTools) => [
        ...this.#selectTools(chosenTools, this.#options.getMode(), new Set()).values(),
      ],
    });
  }

  /**
   * Applies a code block of an answer to a file.
   * @param terms Data protection required for a request that contains the code.
   * @returns the reason why nothing was changed; undefined after a change, if the user canceled, and if a notification
   *   shows the reason
   */
  async applyCode(
    block: CodeBlock,
    conversation: Pick<Conversation, 'id' | 'findModel'>,
    terms: ProtectionTerms,
  ): Promise<string | undefined> {
    const { paths, changes, tools } = this.#workspace;
    const { account, models, service } = this.#host;
    const { applyCode, showApplyFailure } = await import('./apply-code.ts');
    const failure = await applyCode(block, conversation.id, {
      paths,
      changes: changes.turns,
      permissions: this.#rules,
      log: this.#host.log,
      editTool: tools.find(({ name }) => name === 'edit_file'),
      model: {
        selectModel: async () => {
          const selectedModel = await requireSelectedModel(models, undefined, conversation);
          return { ...models.find(selectedModel.id), ...selectedModel };
        },
        complete: async (request, signal) => {
          const { profile } = account;
          try {
            const completion = await createChatCompletion(service, request, { signal, ...terms });
            account.reportOutcome(completion.info, profile);
            return completion;
          } catch (error) {
            if (error instanceof ServiceError && error.failure.code !== 'stopped')
              account.reportOutcome(error.failure, profile);
            throw error;
          }
        },
      },
    });
    return showApplyFailure(failure);
  }

  /** Deletes the data of a conversation's agent. */
  async removeConversationData(conversationId: string): Promise<void> {
    this.#grants.forgetConversation(conversationId);
    this.#workspace.forget(conversationId);
    await this.changes.turns.removeConversationData(conversationId);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #createPorts(pendingRequests: PendingRequests, onUsage: AgentPorts['onUsage']): AgentPorts {
    const { models, log } = this.#host;
    return {
      clock: systemClock,
      validate: validateSchema,
      pendingRequests,
      permissions: this.#rules,
      logError: (message, error) => log.error(message, error),
      requestBuilder: this.#requestBuilder,
      getModel: (id) => {
        const model = models.find(id);
        return {
          supportsTools:
            model !== undefined &&
            model.capabilities.supportsFunctionCalling !== false &&
            !shouldEncryptChats(model),
          supportsVision: model !== undefined && model.capabilities.supportsVision !== false,
          ...(model === undefined
            ? {}
            : omitUndefined({
                name: model.name,
                maxImages: getMaxImagesPerMessage(model) ?? undefined,
              })),
          ...(model?.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
          ...(model?.maxCompletionTokens === undefined
            ? {}
            : { maxCompletionTokens: model.maxCompletionTokens }),
        };
      },
      loadTools: (mode) => this.#createToolMap(pendingRequests, mode),
      getMode: this.#options.getMode,
      createInstructions: (tools, mode) =>
        createAgentInstructions(tools, {
          mode,
          folders: (vscode.workspace.workspaceFolders ?? []).map(({ name }) => name),
          platform: platform(),
          shell: this.#workspace.shell,
        }),
      refreshFiles: this.#options.refreshAgentFiles,
      readInstructionFiles: async () => (await this.#options.readAgentFiles()).instructions,
      findCustomAgent: async (name) =>
        (await this.#options.readAgentFiles()).agents.find((agent) => agent.name === name),
      getLimits: readTurnLimits,
      getDelegateModel: (id) =>
        chooseDelegateModel(
          models.models,
          getSetting('inferenceService.agent.delegateModel'),
          models.find(id),
          isSuitableReplacement,
        ),
      onUsage,
    };
  }

  async #createToolMap(
    pendingRequests: PendingRequests,
    mode: Mode,
  ): Promise<ReadonlyMap<string, Tool>> {
    const { skills } = await this.#options.readAgentFiles();
    const tools = this.#createTools(pendingRequests, skills);
    return this.#selectTools(tools, mode, this.#toolSelection.listDisabledNames(tools));
  }

  /** Returns the enabled tools that the mode allows; none in an untrusted workspace. */
  #selectTools(
    tools: readonly Tool[],
    mode: Mode,
    disabledNames: ReadonlySet<string>,
  ): ReadonlyMap<string, Tool> {
    if (!vscode.workspace.isTrusted) return new Map();
    return selectTools(tools, { mode, disabledNames });
  }

  #createTools(pendingRequests: PendingRequests, skills: readonly Skill[]): readonly Tool[] {
    const readFileTool = this.#workspace.tools.find(({ name }) => name === 'read_file');
    return [
      ...this.#workspace.tools,
      createAskUserTool(pendingRequests),
      ...this.#toolListers.flatMap((listTools) => listTools()),
      ...(readFileTool === undefined || skills.length === 0
        ? []
        : [createSkillTool(skills, readFileTool)]),
      createTodoTool(createId),
      createDelegateTool(),
      ...createLanguageModelTools(this.#contributedTools.names),
    ];
  }
}

/**
 * Checks whether a model can call tools, and protects the data of a chat at least as well as the model `currentModel`.
 */
const isSuitableReplacement = (model: Model, currentModel: Model): boolean =>
  model.capabilities.supportsFunctionCalling !== false &&
  !shouldEncryptChats(model) &&
  protectsAtLeastAsWell(model, currentModel);

const toBase64 = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
