import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../../agent/agent.ts';
import { PendingRequests } from '../../agent/pending.ts';
import type { TurnUse } from '../../agent/turn-budget.ts';
import type { Mode } from '../../agent/tool-set.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Answer } from '../../chat/conversation.ts';
import type { AgentTurn, TurnAgent } from '../../chat/turn-agent.ts';
import type { ChatRequest } from '../../service/chat-types.ts';
import type { ServiceFailure } from '../../service/failure.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../host.ts';
import type { AgentRuntime } from './agent-runtime.ts';

const modeKey = 'agent.mode';

/** The agents of this window's conversations. The tools and all that they need are loaded with the first request. */
export class Agents implements Disposable {
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #modeChanged = this.#owned.add(new Emitter<void>());
  readonly #pendingChanged = this.#owned.add(new Emitter<string>());
  readonly #agents = new Map<string, ConversationAgent>();
  #runtime: Promise<AgentRuntime> | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#modeChanged.fire()));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#modeChanged.fire()));
  }

  /** The mode changed, or whether tools may be used at all. */
  readonly onDidChangeMode: Event<void> = (listener) => this.#modeChanged.event(listener);

  /** Something began or ended to wait for the person in the conversation of this id. */
  readonly onDidChangePending: Event<string> = (listener) => this.#pendingChanged.event(listener);

  get mode(): Mode {
    return this.#host.context.workspaceState.get(modeKey) === 'ask' ? 'ask' : 'agent';
  }

  async setMode(mode: Mode): Promise<void> {
    await this.#host.context.workspaceState.update(modeKey, mode);
    this.#modeChanged.fire();
  }

  /** Why a model gets no tools at all, for the person; undefined when it gets some. */
  toolsOff(model: Model | undefined): string | undefined {
    if (!vscode.workspace.isTrusted) {
      return vscode.l10n.t('Tools are off until you trust this workspace.');
    }
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
      return vscode.l10n.t('Open a folder to let the model act in it.');
    }
    if (model !== undefined && !model.capabilities.supportsFunctionCalling) {
      return vscode.l10n.t(
        '{0} cannot call tools. Choose a model that can to act in the workspace.',
        model.name,
      );
    }
    return undefined;
  }

  of(conversationId: string): ConversationAgent {
    const known = this.#agents.get(conversationId);
    if (known !== undefined) return known;
    const agent = new ConversationAgent(() => this.runtime());
    this.#agents.set(conversationId, agent);
    agent.pending.onDidChange(() => this.#pendingChanged.fire(conversationId));
    return agent;
  }

  /** The conversation was deleted; `restore` brings back within a day what its turns changed. */
  async remove(conversationId: string): Promise<void> {
    this.#agents.delete(conversationId);
    await (await this.runtime()).remove(conversationId);
  }

  async restore(conversationId: string): Promise<void> {
    await (await this.runtime()).changes.restore(conversationId);
  }

  /** Resolves when nothing that a turn changed can be lost any more. */
  async close(): Promise<void> {
    await (await this.#runtime)?.changes.close();
  }

  /** Everything that is loaded on first use. */
  runtime(): Promise<AgentRuntime> {
    this.#runtime ??= import('./agent-runtime.ts').then(({ createAgentRuntime }) =>
      createAgentRuntime(this.#host, { mode: () => this.mode }),
    );
    return this.#runtime;
  }

  dispose(): void {
    this.#owned.dispose();
    void this.#runtime?.then((runtime) => runtime.dispose());
  }
}

/** The agent of one conversation, there before its tools are. */
export class ConversationAgent implements TurnAgent {
  readonly pending = new PendingRequests(() => randomBytes(18).toString('base64url'));
  readonly #runtime: () => Promise<AgentRuntime>;
  readonly #used = new Emitter<void>();
  #agent: Promise<Agent> | undefined;
  #use: TurnUse | undefined;

  constructor(runtime: () => Promise<AgentRuntime>) {
    this.#runtime = runtime;
  }

  readonly onDidUse: Event<void> = (listener) => this.#used.event(listener);

  /** What the last turn has used; undefined before the first answer of this window. */
  get use(): TurnUse | undefined {
    return this.#use;
  }

  async request(turn: AgentTurn, endId: string): Promise<ChatRequest> {
    return (await this.#loaded()).request(turn, endId);
  }

  async makeRoom(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean> {
    return (await this.#loaded()).makeRoom(turn, endId, failure);
  }

  async runCalls(turn: AgentTurn, answer: Answer): Promise<boolean> {
    return (await this.#loaded()).runCalls(turn, answer);
  }

  answered(turn: AgentTurn, answer: Answer): void {
    void this.#agent?.then((agent) => agent.answered(turn, answer));
  }

  cancelCall(answerId: string, callId: string): void {
    void this.#agent?.then((agent) => agent.cancelCall(answerId, callId));
  }

  #loaded(): Promise<Agent> {
    this.#agent ??= this.#runtime().then((runtime) =>
      runtime.createAgent(this.pending, (use) => {
        this.#use = use;
        this.#used.fire();
      }),
    );
    return this.#agent;
  }
}
