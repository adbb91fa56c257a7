import * as vscode from 'vscode';
import { countContextTokens, findLastUsage } from '../../conversation/summary.ts';
import { unwrapCall } from '../../conversation/wrapped-call.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { ChatSession } from '../chat-session.ts';
import { maxTodos, type TodoChange } from '../../agent/tools/todo-tool.ts';
import type { Mode } from '../../conversation/protocol.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { ChatState } from '../protocol/view-state.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import type { TurnChanges } from '../../agent/changes/vscode/turn-changes.ts';
import type { ChangesView } from '../../agent/protocol.ts';
import type { AgentFiles } from '../../agent/vscode/read-agent-files.ts';
import type { Agents, ConversationAgent } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { Log } from '../../platform/log.ts';
import { showInformation } from '../../platform/notifications.ts';
import { onDidChangeSettings, getSetting } from '../../platform/settings.ts';
import {
  findSelectedModel,
  getChatSelection,
  getSelectedModel,
  type SelectionState,
} from '../../models/vscode/selected-model.ts';
import { getActiveBaseUrl } from './chats.ts';
import type { PageHandlers } from './open-chat.ts';
import { type ChatWithAgents, decideTurn, restoreToMessage } from './decide-turn.ts';
import type { EditsNotice } from '../../agent/vscode/edits-notice.ts';
import { cleanToolText, createPendingView } from './message-view.ts';

/** Types of the page messages that {@link AgentMessages} handles. */
export const agentMessageTypes = [
  'tool-output-request',
  'tool-open',
  'tool-cancel',
  'approval-answer',
  'question-answer',
  'mode-select',
  'todo-change',
  'context-view-request',
  'context-remove',
  'permissions-select',
  'edits-notice-answer',
  'changes-open',
  'changes-decide',
  'message-restore',
] as const;

type AgentMessage = Extract<WebviewMessage, { type: (typeof agentMessageTypes)[number] }>;

/** Fields of the chat page's state that {@link AgentMessages} provides. */
export type AgentState = Pick<
  ChatState,
  | 'mode'
  | 'permissionLevel'
  | 'toolsOff'
  | 'editsNotice'
  | 'pending'
  | 'changes'
  | 'instructions'
  | 'context'
  | 'baseTokens'
  | 'turnUse'
>;

interface AgentMessagesOptions {
  readonly host: Host;
  readonly agents: Agents;
  readonly session: ChatSession;
  readonly editsNotice: EditsNotice;
  readonly post: (message: HostMessage) => void;
}

/** Connects the agent of a conversation to the page: posts the agent's state and handles messages such as approvals. */
export class AgentMessages implements Disposable {
  readonly #options: AgentMessagesOptions;
  readonly #disposables = new DisposableStore();
  readonly #agent: ConversationAgent;
  readonly #changes: ChatChanges;
  #instructions: AgentState['instructions'] = [];
  #baseTokens: AgentState['baseTokens'] = null;
  #tokenCountPromise: Promise<number> | undefined;
  #isDisposed = false;

  constructor(options: AgentMessagesOptions) {
    this.#options = options;
    const { agents, session, host, editsNotice, post } = options;
    this.#agent = agents.getConversationAgent(session.conversation.id);
    this.#disposables.add(
      this.#agent.pendingRequests.onDidChange(() => {
        post({
          type: 'pending-change',
          pending: this.#agent.pendingRequests.items.map(createPendingView),
        });
      }),
    );
    this.#disposables.add(
      this.#agent.onDidChangeUsage(() =>
        post({ type: 'turn-use-change', turnUse: this.#getTurnUse() }),
      ),
    );
    this.#disposables.add(
      editsNotice.onDidChange(() =>
        post({ type: 'edits-notice-change', isShown: editsNotice.isDue }),
      ),
    );
    // A chat without a stored level follows the setting until its first turn.
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.agent.permissions'], () => this.#postPermissions()),
    );
    this.#disposables.add(agents.onDidChangeMode(() => this.#postMode()));
    this.#disposables.add(host.models.onDidChange(() => this.#postMode()));
    this.#disposables.add(
      agents.instructionWatcher.onDidChange(() => void this.loadInstructions()),
    );
    this.#disposables.add(
      session.onDidChange((event) => {
        if (event.type === 'turn-event' && event.event.type === 'turn-end') this.#postContext();
        if (event.type === 'options-change') {
          this.#postMode();
          void this.loadInstructions();
        }
        if (event.type === 'mode-change' || event.type === 'model-change') this.#postMode();
        if (event.type === 'permissions-change') this.#postPermissions();
      }),
    );
    this.#changes = this.#disposables.add(
      new ChatChanges({
        agents,
        session,
        log: host.log,
        onChange: (changes) => post({ type: 'changes-put', changes }),
      }),
    );
    void this.loadInstructions();
  }

  get state(): AgentState {
    return {
      mode: getChatMode(this.#options),
      permissionLevel: this.#permissionLevel,
      toolsOff: this.#getToolsOffReason() ?? null,
      editsNotice: this.#options.editsNotice.isDue,
      pending: this.#agent.pendingRequests.items.map(createPendingView),
      changes: [...this.#changes.turnChanges],
      instructions: this.#instructions,
      context: this.#getContext(),
      baseTokens: this.#baseTokens,
      turnUse: this.#getTurnUse(),
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#disposables.dispose();
  }

  async loadInstructions(): Promise<void> {
    const { instructionWatcher } = this.#options.agents;
    const filesPromise = instructionWatcher.files;
    const files = await filesPromise;
    // If the files changed while they were read, a newer call reads them again.
    if (this.#isDisposed || instructionWatcher.files !== filesPromise) return;
    const { agent: chosenName } = this.#options.session.conversation.options;
    const instructionViews = createInstructionViews(files, chosenName);
    if (JSON.stringify(instructionViews) === JSON.stringify(this.#instructions)) return;
    this.#instructions = instructionViews;
    this.#options.post({ type: 'instructions-change', instructions: instructionViews });
    this.#recountBaseTokens();
  }

  /**
   * Counts the tokens of the system prompt and the tools, and posts the number to the page. The first call loads the
   * agent.
   */
  async countBaseTokens(): Promise<void> {
    const { session, host } = this.#options;
    const countPromise = this.#agent
      .loadAgent()
      .then((agent) =>
        agent.estimateBaseTokens(session.conversation, getSelectedModel(this.#selection).id),
      );
    this.#tokenCountPromise = countPromise;
    try {
      const tokens = await countPromise;
      if (
        this.#isDisposed ||
        this.#tokenCountPromise !== countPromise ||
        tokens === this.#baseTokens
      )
        return;
      this.#baseTokens = tokens;
      this.#postContext();
    } catch (error) {
      if (this.#isDisposed || this.#tokenCountPromise !== countPromise || this.#baseTokens !== null)
        return;
      host.log.error('Could not count the tokens of a request', error);
      // With 0 base tokens, the page shows its estimate for the draft and the attachments.
      this.#baseTokens = 0;
      this.#postContext();
    }
  }

  /**
   * Repeats {@link countBaseTokens} after a change that can affect the number. Does nothing before the first count.
   */
  #recountBaseTokens(): void {
    if (this.#tokenCountPromise !== undefined) void this.countBaseTokens();
  }

  readonly handlers: PageHandlers<AgentMessage['type']> = {
    'tool-output-request': (message) => this.#postOutput(message),
    'tool-open': (message) => this.#openFile(message),
    'tool-cancel': async ({ messageId, callId }) =>
      (await this.#agent.getAgentIfLoaded())?.cancelCall(messageId, callId),
    'approval-answer': ({ id, answer, reason }) =>
      this.#agent.pendingRequests.answerApproval(
        id,
        answer === 'deny' ? { answer, reason } : { answer },
      ),
    'question-answer': ({ id, text }) => this.#agent.pendingRequests.answerQuestion(id, text),
    'edits-notice-answer': ({ answer }) => {
      const { editsNotice, session } = this.#options;
      return answer === 'close'
        ? editsNotice.close()
        : editsNotice.changeLevel((level) => session.setPermissionLevel(level));
    },
    'mode-select': ({ mode }) => selectMode(this.#options, mode),
    'todo-change': ({ id, action, text }) =>
      changeTodos(this.#options.session, { id, action, text }),
    'context-view-request': () => this.#postContextView(),
    'context-remove': async ({ messageId, item, isRemoved }) => {
      await this.#options.session.setRemoved(messageId, item, isRemoved);
      return this.#postContextView();
    },
    'permissions-select': ({ level }) => this.#options.session.setPermissionLevel(level),
    'changes-open': async ({ turnId, index }) => {
      const { changes } = await this.#options.agents.getRuntime();
      const { id: conversationId } = this.#options.session.conversation;
      return changes.previousContentProvider.open({ conversationId, turnId }, index);
    },
    'changes-decide': ({ turnId, decision }) => decideTurn(this.#options, turnId, decision),
    'message-restore': ({ messageId }) => this.#restoreMessage(messageId),
  };

  /**
   * Restores the files and the chat to their state before a user message, and puts the text of the message into the
   * composer. Returns a notice for the user, if any.
   */
  async #restoreMessage(messageId: string): Promise<string | undefined> {
    const { session, post } = this.#options;
    const message = session.conversation.findMessage(messageId);
    const outcome = await restoreToMessage(this.#options, messageId);
    if (outcome.isRestored && message !== undefined) {
      post({ type: 'draft-set', text: message.text, replace: false });
      // The button that had the focus is gone.
      post({ type: 'composer-focus' });
    }
    return outcome.notice;
  }

  #postOutput({ messageId, callId }: { messageId: string; callId: string }): void {
    const { call, run } = this.#findCall(messageId, callId);
    if (call === undefined) return;
    this.#options.post({
      type: 'tool-output',
      messageId,
      callId,
      arguments: cleanToolText(unwrapCall(call).function.arguments),
      output: cleanToolText(run?.output ?? call.problem ?? ''),
    });
  }

  async #openFile({
    messageId,
    callId,
  }: Extract<AgentMessage, { type: 'tool-open' }>): Promise<string | undefined> {
    const { run } = this.#findCall(messageId, callId);
    if (run?.uri === undefined) return undefined;
    const uri = vscode.Uri.parse(run.uri, true);
    // The model chose this path, so the file is opened only if it is in the workspace.
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) {
      return vscode.l10n.t('This file is outside the workspace, so it is not opened from here.');
    }
    await vscode.commands.executeCommand('vscode.open', uri, getSelectionOptions(run.target));
    return undefined;
  }

  #findCall(messageId: string, callId: string) {
    const answer = this.#options.session.conversation.findMessage(messageId);
    if (answer?.role !== 'assistant') return {};
    return {
      call: answer.result.toolCalls?.find(({ id }) => id === callId),
      run: answer.toolRuns.find((toolRun) => toolRun.callId === callId),
    };
  }

  #postContext(): void {
    this.#options.post({
      type: 'context-change',
      context: this.#getContext(),
      baseTokens: this.#baseTokens,
    });
  }

  async #postContextView(): Promise<undefined> {
    const { session, host, post } = this.#options;
    const { conversation } = session;
    const agent = await this.#agent.loadAgent();
    const modelId = getSelectedModel(this.#selection).id;
    const connection = getActiveBaseUrl(host.account);
    const { parts, items } = await agent.inspectContext(conversation, modelId, connection);
    if (this.#isDisposed) return;
    post({
      type: 'context-view',
      limitTokens: this.#getContext()?.limitTokens ?? null,
      cachedTokens: findLastUsage(conversation)?.cachedTokens ?? 0,
      parts,
      items: items.map((item) => ({ ...item })),
    });
  }

  #getContext(): AgentState['context'] {
    const limitTokens = findSelectedModel(this.#selection)?.contextTokens;
    const usedTokens = countContextTokens(this.#options.session.conversation);
    return limitTokens === undefined || usedTokens === undefined
      ? null
      : { usedTokens: Math.round(usedTokens), limitTokens: Math.round(limitTokens) };
  }

  #getTurnUse(): AgentState['turnUse'] {
    const { usage } = this.#agent;
    if (usage === undefined) return null;
    const { requests, maxRequests, tokens, usd, diem } = usage;
    return {
      requests,
      maxRequests: Math.round(maxRequests),
      tokens: Math.round(tokens),
      costUsd: usd > 0 ? usd : null,
      costDiem: diem > 0 ? diem : null,
    };
  }

  #getToolsOffReason(): string | undefined {
    const { agents, session } = this.#options;
    const toolsOffReason = agents.getToolsOffReason(findSelectedModel(this.#selection));
    // A persona answers only in unencrypted chats, so an encrypted chat keeps its tools.
    if (toolsOffReason !== undefined || session.conversation.options['character'] === undefined)
      return toolsOffReason;
    return vscode.l10n.t('Tools are off while a persona answers.');
  }

  get #selection(): SelectionState {
    const { host, session } = this.#options;
    return getChatSelection(host.models, session.conversation);
  }

  get #permissionLevel(): AgentState['permissionLevel'] {
    const { permissionLevel } = this.#options.session.conversation;
    return permissionLevel ?? getSetting('inferenceService.agent.permissions');
  }

  #postPermissions(): void {
    const { post } = this.#options;
    post({ type: 'permissions-change', permissionLevel: this.#permissionLevel });
  }

  #postMode(): void {
    const { post } = this.#options;
    post({
      type: 'mode-change',
      mode: getChatMode(this.#options),
      toolsOff: this.#getToolsOffReason() ?? null,
    });
    this.#postContext();
    this.#recountBaseTokens();
  }
}

/**
 * Returns the editor selection for a target such as `src/app.ts:10-20`: the start of line 10. Returns an empty object
 * for a target without line numbers.
 */
function getSelectionOptions(target: string): vscode.TextDocumentShowOptions {
  const line = Number(/:(\d+)(?:-\d+)?$/u.exec(target)?.[1] ?? 0) - 1;
  return line < 0 ? {} : { selection: new vscode.Range(line, 0, line, 0) };
}

/** Returns the mode of a chat. A chat from an earlier version uses the mode of new chats until its first turn. */
export const getChatMode = ({ agents, session }: ChatWithAgents): Mode =>
  session.conversation.mode ?? agents.mode;

/** Sets the mode of a chat, and of the chats that the user creates later. */
export async function selectMode({ agents, session }: ChatWithAgents, mode: Mode): Promise<void> {
  await Promise.all([session.setMode(mode), agents.setMode(mode)]);
}

/** Applies the user's change to the todo list. If the change deleted all items, offers to restore the list. */
export async function changeTodos(
  session: Pick<ChatSession, 'changeTodos' | 'conversation' | 'setTodos'>,
  change: TodoChange,
): Promise<void> {
  const { todoList } = session.conversation;
  await session.changeTodos(change);
  if (change.action !== 'clear' || todoList.items.length === 0) return;
  const undoLabel = vscode.l10n.t('Undo');
  const message = vscode.l10n.t('Deleted “{0}”.', vscode.l10n.t('Todos'));
  if ((await showInformation(message, undoLabel)) !== undoLabel) return;
  // The model may have written new todos before the user chooses to restore the list.
  const newItems = session.conversation.todoList.items;
  const newTexts = new Set(newItems.map(({ text }) => text));
  const oldItems = todoList.items.filter(({ text }) => !newTexts.has(text));
  const items = [...oldItems, ...newItems].slice(0, maxTodos);
  await session.setTodos({ items, isEditedByUser: true });
}

interface ChatChangesOptions {
  readonly agents: Agents;
  readonly session: ChatSession;
  readonly log: Log;
  /** Reports the file changes of a turn after they are loaded, and after each update. */
  readonly onChange: (changes: ChangesView) => void;
}

/**
 * Provides the file changes of all turns of a chat. Loads nothing before the first tool run, because a chat without
 * tool runs has no file changes.
 */
class ChatChanges implements Disposable {
  readonly #options: ChatChangesOptions;
  readonly #disposables = new DisposableStore();
  #turnChanges: readonly ChangesView[] = [];
  #isReading = false;
  #isDisposed = false;

  constructor(options: ChatChangesOptions) {
    this.#options = options;
    const { session } = options;
    this.#disposables.add(
      session.onDidChange(({ type }) => {
        if (type === 'tool-run') void this.#startReading();
      }),
    );
    if (hasToolRuns(session)) void this.#startReading();
  }

  /** File changes of the chat that are loaded, one entry per turn. */
  get turnChanges(): readonly ChangesView[] {
    return this.#turnChanges;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#disposables.dispose();
  }

  async #startReading(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { agents, log } = this.#options;
    try {
      const { changes } = await agents.getRuntime();
      await this.#readChanges(changes.turns);
    } catch (error) {
      // A failed attempt is repeated at the next tool run.
      this.#isReading = false;
      log.error('Could not read the changes of a chat', error);
    }
  }

  async #readChanges(changes: TurnChanges): Promise<void> {
    const { conversation } = this.#options.session;
    const { id } = conversation;
    this.#disposables.add(
      changes.onDidChange(({ conversationId, turnId }) => {
        if (conversationId === id) this.#updateChanges(changes.createChangesView(id, turnId));
      }),
    );
    await changes.load(id);
    for (const { id: turnId, role } of conversation.listPath()) {
      if (role === 'user') this.#updateChanges(changes.createChangesView(id, turnId));
    }
  }

  /** Stores loaded changes and posts them to the page. Does nothing if the page already shows another chat. */
  #updateChanges(changes: ChangesView | undefined): void {
    if (changes === undefined || this.#isDisposed) return;
    const otherChanges = this.#turnChanges.filter(({ turnId }) => turnId !== changes.turnId);
    this.#turnChanges = [...otherChanges, changes];
    this.#options.onChange(changes);
  }
}

const hasToolRuns = ({ conversation }: ChatSession): boolean =>
  conversation
    .listPath()
    .some((message) => message.role === 'assistant' && message.toolRuns.length > 0);

/**
 * Returns the instruction files, skills and custom agent that every request contains, with their estimated numbers of
 * tokens. Includes malformed files, without a number of tokens.
 */
function createInstructionViews(
  { instructions, skills, agents, skippedFiles }: AgentFiles,
  chosenAgent: unknown,
): AgentState['instructions'] {
  const chosenAgents = agents.filter(({ name }) => name === chosenAgent);
  return [
    ...chosenAgents.map(({ label, instructions: text }) => ({ label, text })),
    ...instructions,
    ...skills.map(({ label, name, description }) => ({ label, text: `${name}: ${description}` })),
  ]
    .map(({ label, text }): AgentState['instructions'][number] => ({
      label: label.slice(0, 300),
      tokens: estimateTokens(text),
    }))
    .concat(
      skippedFiles.map(({ label, line }) => ({
        label: `${label.slice(0, 280)}:${line}`,
        tokens: null,
      })),
    );
}
