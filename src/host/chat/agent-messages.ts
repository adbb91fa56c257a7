import * as vscode from 'vscode';
import { contextUse } from '../../agent/context-use.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { ChatSession } from '../../chat/chat-session.ts';
import { estimateTokens } from '../../chat/token-estimate.ts';
import type { HostMessage } from '../../protocol/host-message.ts';
import type { ChangesView, ChatState } from '../../protocol/view-state.ts';
import type { WebviewMessage } from '../../protocol/webview-message.ts';
import type { Agents, ConversationAgent } from '../agent/agents.ts';
import { readInstructionFiles } from '../agent/instruction-files.ts';
import type { Host } from '../host.ts';
import { cleanToolText, pendingView } from './tool-call-view.ts';

/** What of the page's messages is for the agent. */
export type AgentMessage = Extract<
  WebviewMessage,
  {
    type:
      | 'tool-output-request'
      | 'tool-open'
      | 'tool-cancel'
      | 'approval-answer'
      | 'question-answer'
      | 'mode-select'
      | 'changes-open'
      | 'changes-decide';
  }
>;

type AgentState = Pick<
  ChatState,
  'mode' | 'toolsOff' | 'pending' | 'changes' | 'instructions' | 'context' | 'turnUse'
>;

interface AgentMessagesOptions {
  readonly host: Host;
  readonly agents: Agents;
  readonly session: ChatSession;
  readonly post: (message: HostMessage) => void;
}

/** Tells a page what the agent of its conversation does and waits for, and does what the page asks of it. */
export class AgentMessages implements Disposable {
  readonly #options: AgentMessagesOptions;
  readonly #owned = new DisposableStore();
  readonly #agent: ConversationAgent;
  #instructions: AgentState['instructions'] = [];
  #changes: readonly ChangesView[] = [];
  #follows = false;

  constructor(options: AgentMessagesOptions) {
    this.#options = options;
    const { agents, session, host, post } = options;
    this.#agent = agents.of(session.conversation.id);
    this.#owned.add(
      this.#agent.pending.onDidChange(() => {
        post({ type: 'pending-change', pending: this.#agent.pending.all.map(pendingView) });
      }),
    );
    this.#owned.add(
      this.#agent.onDidUse(() => post({ type: 'turn-use-change', turnUse: this.#turnUse() })),
    );
    this.#owned.add(agents.onDidChangeMode(() => this.#postMode()));
    this.#owned.add(host.models.onDidChange(() => this.#postMode()));
    this.#owned.add(
      vscode.window.onDidChangeActiveTextEditor(() => void this.lookForInstructions()),
    );
    this.#owned.add(
      session.onDidChange((event) => {
        if (event.type === 'turn-event' && event.event.type === 'turn-end') this.#onAnswer();
        else if (event.type === 'message-add') void this.lookForInstructions();
        else if (event.type === 'tool-run') void this.#followChanges();
      }),
    );
    if (this.#hasRuns()) void this.#followChanges();
    void this.lookForInstructions();
  }

  /** What the page gets with its whole state. */
  get state(): AgentState {
    return {
      mode: this.#options.agents.mode,
      toolsOff: this.#toolsOff() ?? null,
      pending: this.#agent.pending.all.map(pendingView),
      changes: [...this.#changes],
      instructions: this.#instructions,
      context: this.#context(),
      turnUse: this.#turnUse(),
    };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async lookForInstructions(): Promise<void> {
    const files = await readInstructionFiles();
    const found = files.map(({ label, text }) => ({
      label: label.slice(0, 300),
      tokens: estimateTokens(text),
    }));
    if (JSON.stringify(found) === JSON.stringify(this.#instructions)) return;
    this.#instructions = found;
    this.#options.post({ type: 'instructions-change', instructions: found });
  }

  /** @returns why it was not done, for the person */
  async handle(message: AgentMessage): Promise<string | undefined> {
    const { pending } = this.#agent;
    switch (message.type) {
      case 'tool-output-request':
        return this.#postOutput(message);
      case 'tool-open':
        return this.#open(message);
      case 'tool-cancel':
        this.#agent.cancelCall(message.messageId, message.callId);
        return undefined;
      case 'approval-answer':
        pending.answerApproval(
          message.id,
          message.answer === 'deny'
            ? { answer: 'deny', reason: message.reason }
            : { answer: message.answer },
        );
        return undefined;
      case 'question-answer':
        pending.answerQuestion(message.id, message.text);
        return undefined;
      case 'mode-select':
        await this.#options.agents.setMode(message.mode);
        return undefined;
      case 'changes-open':
      case 'changes-decide':
        return this.#onChanges(message);
    }
  }

  async #onChanges(
    message: Extract<AgentMessage, { type: 'changes-open' | 'changes-decide' }>,
  ): Promise<string | undefined> {
    const { agents, session } = this.#options;
    const { changes } = await agents.runtime();
    const { id } = session.conversation;
    if (message.type === 'changes-decide') {
      if (this.#isRunning(message.turnId)) {
        return vscode.l10n.t('Stop this turn before you decide about all of its changes.');
      }
      return changes.decide(id, message.turnId, message.decision);
    }
    return changes.open(id, message.turnId, message.index);
  }

  #isRunning(turnId: string): boolean {
    const { streaming, conversation } = this.#options.session;
    return streaming !== undefined && conversation.turnOf(streaming) === turnId;
  }

  #postOutput({ messageId, callId }: { messageId: string; callId: string }): undefined {
    const { call, run } = this.#find(messageId, callId);
    if (call === undefined) return;
    this.#options.post({
      type: 'tool-output',
      messageId,
      callId,
      arguments: cleanToolText(call.function.arguments),
      output: cleanToolText(run?.output ?? call.problem ?? ''),
    });
  }

  async #open({ messageId, callId }: { messageId: string; callId: string }): Promise<undefined> {
    const { run } = this.#find(messageId, callId);
    if (run?.uri === undefined) return;
    const uri = vscode.Uri.parse(run.uri, true);
    // From our own journal, but it was a model that named it: only what lies in the workspace.
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return;
    await vscode.commands.executeCommand('vscode.open', uri, lineOf(run.target));
  }

  #find(messageId: string, callId: string) {
    const answer = this.#options.session.conversation.find(messageId);
    if (answer?.role !== 'assistant') return {};
    return {
      call: answer.result.toolCalls?.find(({ id }) => id === callId),
      run: answer.toolRuns.find((each) => each.callId === callId),
    };
  }

  /** From the first tool on, files may change; the recorder of changes is loaded by then. */
  async #followChanges(): Promise<void> {
    if (this.#follows) return;
    this.#follows = true;
    const { agents, session, host } = this.#options;
    const { id } = session.conversation;
    try {
      const { changes } = await agents.runtime();
      this.#owned.add(
        changes.onDidChange(({ conversationId, turnId }) => {
          if (conversationId === id) this.#putChanges(changes.changesOf(id, turnId));
        }),
      );
      await changes.load(id);
      for (const { id: turnId, role } of session.conversation.path()) {
        if (role === 'user') this.#putChanges(changes.changesOf(id, turnId));
      }
    } catch (error) {
      host.log.error('The changes of a chat could not be read', error);
    }
  }

  #putChanges(changes: ChangesView | undefined): void {
    if (changes === undefined) return;
    const others = this.#changes.filter(({ turnId }) => turnId !== changes.turnId);
    this.#changes = [...others, changes];
    this.#options.post({ type: 'changes-put', changes });
  }

  #hasRuns(): boolean {
    return this.#options.session.conversation
      .path()
      .some((message) => message.role === 'assistant' && message.toolRuns.length > 0);
  }

  #onAnswer(): void {
    this.#options.post({ type: 'context-change', context: this.#context() });
  }

  #context(): AgentState['context'] {
    const limitTokens = this.#options.host.models.chatModel?.contextTokens;
    const usedTokens = contextUse(this.#options.session.conversation);
    return limitTokens === undefined || usedTokens === undefined
      ? null
      : { usedTokens: Math.round(usedTokens), limitTokens: Math.round(limitTokens) };
  }

  #turnUse(): AgentState['turnUse'] {
    const { use } = this.#agent;
    if (use === undefined) return null;
    const { requests, maxRequests, tokens, usd, diem } = use;
    return {
      requests,
      maxRequests: Math.round(maxRequests),
      tokens: Math.round(tokens),
      costUsd: usd > 0 ? usd : null,
      costDiem: diem > 0 ? diem : null,
    };
  }

  #toolsOff(): string | undefined {
    return this.#options.agents.toolsOff(this.#options.host.models.chatModel);
  }

  #postMode(): void {
    const { agents, post } = this.#options;
    post({ type: 'mode-change', mode: agents.mode, toolsOff: this.#toolsOff() ?? null });
    post({ type: 'context-change', context: this.#context() });
  }
}

/** `src/app.ts:10-20` opens at line 10. */
function lineOf(target: string): vscode.TextDocumentShowOptions {
  const line = Number(/:(\d+)(?:-\d+)?$/u.exec(target)?.[1] ?? 0) - 1;
  return line < 0 ? {} : { selection: new vscode.Range(line, 0, line, 0) };
}
