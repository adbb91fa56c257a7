import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../agent.ts';
import { PendingRequests } from '../permissions/approval.ts';
import type { TurnUsage } from '../turn-budget.ts';
import { type Mode, modes } from '../../conversation/protocol.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../../host.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import type { AgentRuntime, AgentRuntimeOptions, ToolFactoryLoader } from './agent-runtime.ts';
import { type CheckpointFiles, openCheckpoints } from '../changes/vscode/checkpoint-files.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';
import type { AgentFiles, FileStates } from './read-agent-files.ts';

const modeKey = 'agent.mode';

/**
 * Agents of all conversations in this window. Tools and their dependencies are loaded when an agent is first needed,
 * for example when the user starts to type a message.
 */
export class Agents implements Disposable {
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeModeEmitter = this.#disposables.add(new Emitter<void>());
  readonly #onDidChangePendingEmitter = this.#disposables.add(new Emitter<string>());
  readonly #agents = new Map<string, ConversationAgent>();
  /** Objects that all agents share, loaded on first use. */
  readonly #runtime: Lazy<AgentRuntime>;
  #instructionWatcher: InstructionWatcher | undefined;

  /**
   * @param loaders Functions that load the tools of other features, in the order in which requests contain the tools.
   * @param load Loads the objects that all agents share. Tests replace this function.
   */
  constructor(
    host: Host,
    loaders: readonly ToolFactoryLoader[],
    load: RuntimeLoader = loadRuntime,
  ) {
    this.#host = host;
    this.#runtime = new Lazy(async () =>
      load(host, {
        getMode: () => this.mode,
        tools: await Promise.all(loaders.map((loadTools) => loadTools())),
        readAgentFiles: () => this.instructionWatcher.files,
        refreshAgentFiles: () => this.instructionWatcher.discardIfChanged(),
      }),
    );
    this.#disposables.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#onDidChangeModeEmitter.fire()),
    );
    this.#disposables.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#onDidChangeModeEmitter.fire()),
    );
  }

  /** Fires when the mode of new chats changes, and when tools become available or unavailable. */
  readonly onDidChangeMode: Event<void> = (listener) =>
    this.#onDidChangeModeEmitter.event(listener);

  /** Fires with the conversation id when an approval request or question starts or stops waiting for the user. */
  readonly onDidChangePending: Event<string> = (listener) =>
    this.#onDidChangePendingEmitter.event(listener);

  /** Mode of new chats in this workspace, which is the mode that the user last chose in any chat. */
  get mode(): Mode {
    const storedMode: unknown = this.#host.context.workspaceState.get(modeKey);
    return modes.find((mode) => mode === storedMode) ?? 'agent';
  }

  async setMode(mode: Mode): Promise<void> {
    await this.#host.context.workspaceState.update(modeKey, mode);
    this.#onDidChangeModeEmitter.fire();
  }

  /** Instructions, skills and custom agents in files. The files are watched from the first access on. */
  get instructionWatcher(): InstructionWatcher {
    this.#instructionWatcher ??= this.#disposables.add(new InstructionWatcher());
    return this.#instructionWatcher;
  }

  /** Returns a message with the reason why requests to a model contain no tools; undefined if they contain tools. */
  getToolsOffReason(model: Model | undefined): string | undefined {
    if (!vscode.workspace.isTrusted) {
      return vscode.l10n.t('Trust this workspace first.');
    }
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
      return vscode.l10n.t('Open a folder first.');
    }
    if (model !== undefined && shouldEncryptChats(model)) {
      return vscode.l10n.t(
        'Chats with {0} are encrypted end to end, and tools do not go with that.',
        model.name,
      );
    }
    if (model !== undefined && model.capabilities.supportsFunctionCalling === false) {
      return vscode.l10n.t(
        '{0} cannot call tools. Choose another model to act in the workspace.',
        model.name,
      );
    }
    return undefined;
  }

  getConversationAgent(conversationId: string): ConversationAgent {
    const existingAgent = this.#agents.get(conversationId);
    if (existingAgent !== undefined) return existingAgent;
    const agent = new ConversationAgent(() => this.getRuntime());
    this.#agents.set(conversationId, agent);
    agent.pendingRequests.onDidChange(() => this.#onDidChangePendingEmitter.fire(conversationId));
    return agent;
  }

  /**
   * Deletes the data of a conversation. For a day, `restoreConversationData` can undo the deletion of recorded changes.
   * If the tools are not loaded, only the recorded changes on disk exist and are deleted.
   */
  async removeConversationData(conversationId: string): Promise<void> {
    this.#agents.delete(conversationId);
    const runtime = await this.#runtime.getIfCreated();
    await (runtime ?? this.#openCheckpoints()).removeConversationData(conversationId);
  }

  async restoreConversationData(conversationId: string): Promise<void> {
    const runtime = await this.#runtime.getIfCreated();
    await (runtime?.changes.turns ?? this.#openCheckpoints()).restoreConversationData(
      conversationId,
    );
  }

  /** Deletes the recorded changes of removed conversations permanently. */
  async removeDeleted(): Promise<void> {
    await this.#openCheckpoints().deleteOrphans();
  }

  /** Resolves after all recorded changes are on disk. */
  async close(): Promise<void> {
    await (await this.#runtime.getIfCreated())?.changes.turns.waitForWrites();
  }

  /**
   * Loads the objects that all agents share.
   * @throws if loading fails; the next call tries again
   */
  getRuntime(): Promise<AgentRuntime> {
    return this.#runtime.get();
  }

  dispose(): void {
    this.#disposables.dispose();
    void this.#runtime.getIfCreated().then((runtime) => runtime?.dispose());
  }

  #openCheckpoints(): CheckpointFiles {
    return openCheckpoints(this.#host.context.globalStorageUri.fsPath);
  }
}

type RuntimeLoader = (host: Host, options: AgentRuntimeOptions) => Promise<AgentRuntime>;

async function loadRuntime(host: Host, options: AgentRuntimeOptions): Promise<AgentRuntime> {
  const { AgentRuntime } = await import('./agent-runtime.ts');
  return new AgentRuntime(host, options);
}

/**
 * Agent of one conversation. The agent is loaded together with the tools. Pending requests and usage are available
 * before the agent is loaded.
 */
export class ConversationAgent {
  readonly pendingRequests = new PendingRequests(() => randomBytes(18).toString('base64url'));
  readonly #onDidChangeUsageEmitter = new Emitter<void>();
  readonly #agent: Lazy<Agent>;
  #usage: TurnUsage | undefined;

  constructor(getRuntime: () => Promise<AgentRuntime>) {
    this.#agent = new Lazy(async () =>
      (await getRuntime()).createAgent(this.pendingRequests, (usage) => {
        this.#usage = usage;
        this.#onDidChangeUsageEmitter.fire();
      }),
    );
  }

  readonly onDidChangeUsage: Event<void> = (listener) =>
    this.#onDidChangeUsageEmitter.event(listener);

  /** Usage of the last turn; undefined until the first answer in this window. */
  get usage(): TurnUsage | undefined {
    return this.#usage;
  }

  /**
   * Loads the agent and its tools.
   * @throws if loading fails; the next call tries again
   */
  loadAgent(): Promise<Agent> {
    return this.#agent.get();
  }

  /** Returns the agent if {@link loadAgent} has succeeded; otherwise undefined. Never rejects. */
  getAgentIfLoaded(): Promise<Agent | undefined> {
    return this.#agent.getIfCreated();
  }
}

/** Globs of all files that contain instructions, skills or custom agents, in any folder. */
const agentFileGlobs = [
  '**/{AGENTS,CLAUDE}.md',
  '**/.github/copilot-instructions.md',
  '**/.github/instructions/*.instructions.md',
  '**/{.github,.agents,.claude}/skills/*/SKILL.md',
  '**/{.github,.claude}/agents/*.md',
];

const agentFilePathPattern =
  /\/(?:AGENTS|CLAUDE|SKILL|copilot-instructions)\.md$|\.instructions\.md$|\/agents\/[^/]+\.md$/u;

/**
 * Caches the instructions, skills and custom agents of the workspace until one of their files changes or a different
 * file becomes visible.
 */
export class InstructionWatcher implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  #lastRead: { filesPromise: Promise<AgentFiles>; statesPromise: Promise<FileStates> } | undefined;
  #visiblePath = getVisiblePath();

  constructor() {
    const invalidate = (): void => this.#invalidateFiles();
    for (const glob of agentFileGlobs) {
      const watcher = this.#disposables.add(vscode.workspace.createFileSystemWatcher(glob));
      this.#disposables.add(watcher.onDidCreate(invalidate));
      this.#disposables.add(watcher.onDidChange(invalidate));
      this.#disposables.add(watcher.onDidDelete(invalidate));
    }
    // Also observes save events, because they fire earlier than the file watcher.
    this.#disposables.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (agentFilePathPattern.test(uri.path)) invalidate();
      }),
    );
    const checkVisiblePath = (): void => this.#checkVisiblePath();
    this.#disposables.add(vscode.window.onDidChangeActiveTextEditor(checkVisiblePath));
    this.#disposables.add(vscode.window.onDidChangeVisibleTextEditors(checkVisiblePath));
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(invalidate));
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(invalidate));
  }

  /** Fires when instructions, skills or custom agents may have changed. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /**
   * Instructions, skills and custom agents that currently apply. The promise stays the same until `onDidChange` fires,
   * and never rejects.
   */
  get files(): Promise<AgentFiles> {
    this.#lastRead ??= readAllAgentFiles();
    return this.#lastRead.filesPromise;
  }

  /**
   * Discards the cached content if one of the files changed without a file event. Call this before each request; it
   * reads only file metadata. Never rejects.
   */
  async discardIfChanged(): Promise<void> {
    const lastRead = this.#lastRead;
    const haveChanged = await (await lastRead?.statesPromise)?.haveChanged();
    if (haveChanged === true && this.#lastRead === lastRead) this.#invalidateFiles();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #invalidateFiles(): void {
    this.#lastRead = undefined;
    this.#onDidChangeEmitter.fire();
  }

  /** Discards the cached content if a different file is visible, because other instructions may then apply. */
  #checkVisiblePath(): void {
    const path = getVisiblePath();
    if (path === this.#visiblePath) return;
    this.#visiblePath = path;
    this.#invalidateFiles();
  }
}

function readAllAgentFiles(): {
  filesPromise: Promise<AgentFiles>;
  statesPromise: Promise<FileStates>;
} {
  const readPromise = readAgentFilesAndStates();
  return {
    filesPromise: readPromise.then(({ files }) => files),
    statesPromise: readPromise.then(({ states }) => states),
  };
}

async function readAgentFilesAndStates(): Promise<{ files: AgentFiles; states: FileStates }> {
  const { FileStates, getHomeFolder, readAgentFiles } = await import('./read-agent-files.ts');
  const states = new FileStates();
  const context = {
    folders: vscode.workspace.workspaceFolders ?? [],
    isTrusted: vscode.workspace.isTrusted,
    visibleFile: findActiveOrVisibleEditor()?.document.uri,
    homeFolder: getHomeFolder(),
  };
  return { files: await readAgentFiles(context, states), states };
}

const getVisiblePath = (): string => findActiveOrVisibleEditor()?.document.uri.toString() ?? '';
