import * as l10n from '@vscode/l10n';
import { omitUndefined } from '../base/json.ts';
import type {
  Answer,
  Conversation,
  InstructionFile,
  TodoList,
} from '../conversation/conversation.ts';
import type { Mode } from '../conversation/protocol.ts';
import { findImageFailure } from '../conversation/media.ts';
import type { AgentTurn, TurnAgent } from './turn-agent.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import { type CustomAgent, narrowTools } from './agent-files.ts';
import type { QuestionRequest } from './permissions/approval.ts';
import { CallRunner, type CallRunnerPorts, type DelegatedCall } from './call-runner.ts';
import {
  formatInstructionFiles,
  selectStartInstructions,
  storeInstructions,
} from './chat-instructions.ts';
import type { ContextView } from './context-view.ts';
import type { ModelLimits } from './context-limit.ts';
import { selectToolsToSend, addDiscoveryTool } from './deferred-tools.ts';
import type { RequestBuilder, RequestParts } from './request-builder.ts';
import type { Tool } from './tool.ts';
import { createTaskMessage, delegateToolName } from './tools/delegate-tool.ts';
import { TurnBudget, type TurnLimits, type TurnUsage } from './turn-budget.ts';
import { ToolError } from '../workspace/tool-error.ts';

export interface AgentModel extends ModelLimits {
  /** False if the model is known to not support tool calls. Requests to such a model contain no tools. */
  readonly supportsTools: boolean;
  /** False if the model is known to not accept images. */
  readonly supportsVision: boolean;
  /** Display name; absent for a model that the catalog does not contain. */
  readonly name?: string;
  /** Maximum number of images per message; absent if the catalog lists no limit. */
  readonly maxImages?: number;
}

export interface AgentPorts extends CallRunnerPorts {
  /** Request builder that all agents of a window share, so that a limit detected in one chat applies to every chat. */
  readonly requestBuilder: RequestBuilder;
  readonly getModel: (id: string) => AgentModel;
  /** Returns the mode for a chat in which the user has chosen no mode. */
  readonly getMode?: () => Mode;
  /** Returns the tools that the model may currently call, by name; empty if tools are disabled. */
  readonly loadTools: (mode: Mode) => Promise<ReadonlyMap<string, Tool>>;
  /** Returns the system instructions for the mode and its tools. */
  readonly createInstructions: (tools: ReadonlyMap<string, Tool>, mode: Mode) => readonly string[];
  /** Makes `readInstructionFiles` and `findCustomAgent` reread files that changed without a file event. */
  readonly refreshFiles?: () => Promise<void>;
  /** Returns the instruction files that currently apply to the workspace. */
  readonly readInstructionFiles: () => Promise<readonly InstructionFile[]>;
  /** Returns the custom agent of the workspace with this name; undefined if none exists. */
  readonly findCustomAgent?: (name: string) => Promise<CustomAgent | undefined>;
  readonly getLimits: () => TurnLimits;
  /**
   * Returns the model for delegated tasks of a chat with the model `id`. If this function is absent or returns
   * undefined, the model of the chat runs these tasks.
   */
  readonly getDelegateModel?: (id: string) => Answer['model'] | undefined;
  /**
   * Turn that delegated the task of this agent. The agent uses the budget of that turn. Absent for the agent of a chat.
   */
  readonly delegator?: Delegator;
  /** Called after each answer with the usage of the turn so far. */
  readonly onUsage: (usage: TurnUsage) => void;
}

interface Delegator {
  readonly budget: TurnBudget;
  /**
   * Asks the user whether to continue the turn, and shows the reason that `findReason` returns. If `findReason` returns
   * undefined, returns true without asking. Returns true if the turn may continue.
   */
  readonly confirmContinue: (findReason: () => string | undefined) => Promise<boolean>;
}

/**
 * Tool call in whose row the chat asks whether the turn may exceed its budget, and the signal that withdraws this
 * question.
 */
interface BudgetQuestion extends Pick<QuestionRequest, 'messageId' | 'callId'> {
  readonly signal: AbortSignal;
}

const overBudgetOutput = 'Not run: the user ended the turn because its budget was used up.';
const interruptedOutput = 'Not run: the user sent the message below first.';

export const getContinueLabel = (): string => l10n.t('Continue');
export const getStopLabel = (): string => l10n.t('Stop');

/**
 * Runs the agent of one conversation: builds requests, runs tool calls, and asks the user whether to continue when a
 * turn reaches a limit of its budget.
 */
export class Agent implements TurnAgent {
  readonly #ports: AgentPorts;
  readonly #runner: CallRunner;
  #budget: { readonly turn: AgentTurn; readonly budget: TurnBudget } | undefined;
  /**
   * Resolves when no question about the turn budget waits for an answer. Concurrent delegated tasks ask their questions
   * one after another.
   */
  #lastQuestionPromise: Promise<unknown> = Promise.resolve();
  /**
   * Tools that the model can call in its answer to the last request, including deferred tools. A call of any other tool
   * fails as unknown.
   */
  #tools: ReadonlyMap<string, Tool> = new Map();
  /** Todo list of the conversation when the last request was built. */
  #sentTodos: TodoList | undefined;

  constructor(ports: AgentPorts) {
    this.#ports = ports;
    this.#runner = new CallRunner(ports);
  }

  /**
   * Builds the next request of the turn, which continues after message `endId`.
   * @throws ServiceError if the model cannot accept the images, or the turn was stopped
   */
  async buildRequest(turn: AgentTurn, endId: string): Promise<ChatRequest> {
    const { maxImages, name = turn.modelId } = this.#ports.getModel(turn.modelId);
    const imageFailure = findImageFailure(
      turn.conversation.listPath(endId),
      omitUndefined({ name, maxImages }),
    );
    if (imageFailure !== undefined) throw new ServiceError(imageFailure);
    return this.#ports.requestBuilder.buildRequest(await this.#createRequestParts(turn, endId));
  }

  async lowerSizeLimits(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean> {
    return this.#ports.requestBuilder.lowerSizeLimits(
      await this.#createRequestParts(turn, endId),
      failure,
    );
  }

  async compactConversation(turn: AgentTurn, endId: string): Promise<boolean> {
    return this.#ports.requestBuilder.compact(await this.#createRequestParts(turn, endId));
  }

  /** Estimates the tokens of the instructions and tools that every request contains. */
  async estimateBaseTokens(conversation: Conversation, modelId: string): Promise<number> {
    const tools = await this.#selectTools(conversation, modelId);
    const files = await this.#ports.readInstructionFiles();
    return this.#ports.requestBuilder.estimateBaseTokens({
      modelId,
      limits: this.#ports.getModel(modelId),
      instructions: [
        ...this.#ports.createInstructions(tools, this.#getMode(conversation)),
        ...selectStartInstructions(conversation, files),
        ...formatInstructionFiles(await this.#readAgentInstructions(conversation)),
      ],
      tools: selectToolsToSend(tools),
    });
  }

  /**
   * Returns the estimated tokens of each part of the conversation's next request, and of its largest items. Changes
   * neither the conversation nor a running turn.
   * @param connection Base URL of the service that receives the request.
   */
  async inspectContext(
    conversation: Conversation,
    modelId: string,
    connection: string | undefined,
  ): Promise<ContextView> {
    const tools = await this.#selectTools(conversation, modelId);
    const files = await this.#ports.readInstructionFiles();
    const instructionFiles = [
      ...(conversation.findInstructionFiles(null) ?? files),
      ...(await this.#readAgentInstructions(conversation)),
    ];
    const model = this.#ports.getModel(modelId);
    const requestParts = {
      conversation,
      endId: conversation.head?.id ?? '',
      modelId,
      limits: model,
      supportsVision: model.supportsVision,
      instructions: [
        ...this.#ports.createInstructions(tools, this.#getMode(conversation)),
        ...formatInstructionFiles(instructionFiles),
      ],
      tools: selectToolsToSend(tools),
      getBaseUrl: () => connection,
    };
    return this.#ports.requestBuilder.describeContext(requestParts, instructionFiles);
  }

  recordUsage(turn: AgentTurn, { result }: Pick<Answer, 'result'>): void {
    const { conversation, modelId } = turn;
    const lastRequest = result.lastRequest ?? result;
    const budget = this.#getBudget(turn);
    budget.countRequest(lastRequest);
    this.#ports.onUsage(budget.usage);
    if (lastRequest.usage !== undefined) {
      this.#ports.requestBuilder.recordUsage(conversation, modelId, lastRequest.usage);
    }
  }

  canSendRequest(turn: AgentTurn): boolean {
    return this.#getBudget(turn).exhaustedReason === undefined;
  }

  async runCalls(turn: AgentTurn, answer: Answer): Promise<boolean> {
    const { supportsVision } = this.#ports.getModel(turn.modelId);
    const budget = this.#getBudget(turn);
    const questionContext = { messageId: answer.id, callId: null, signal: turn.signal };
    const hasRunAll = await this.#runner.runCalls(turn, answer, {
      tools: this.#tools,
      getEnabledTools: async () => addDiscoveryTool(await this.#narrowTools(turn.conversation)),
      supportsVision,
      findObstacle: async (count) => {
        if (turn.isInterrupted?.() === true) return interruptedOutput;
        const isAllowed = await this.#confirmContinue(budget, questionContext, () =>
          budget.findExhaustedCallsReason(count),
        );
        if (isAllowed) budget.countCalls(count);
        return isAllowed ? undefined : overBudgetOutput;
      },
      isTodoListKnownToModel: () => {
        const { todoList } = turn.conversation;
        return !todoList.isEditedByUser || todoList === this.#sentTodos;
      },
      onCost: (cost) => {
        budget.countCost(cost);
        this.#ports.onUsage(budget.usage);
      },
      ...(turn.runDelegatedTurn && {
        delegate: (call: DelegatedCall) => this.#delegateTask(turn, call),
      }),
    });
    const hasEnded = !hasRunAll || turn.signal.aborted || turn.isInterrupted?.() === true;
    return (
      !hasEnded && this.#confirmContinue(budget, questionContext, () => budget.exhaustedReason)
    );
  }

  withdrawRequests(): void {
    this.#ports.pendingRequests.withdraw();
  }

  /** Stops one running or waiting call. The turn continues. */
  cancelCall(answerId: string, callId: string): void {
    this.#runner.stopCall(answerId, callId);
  }

  /**
   * Runs a delegated task with another agent, which can use only read-only tools. The other agent is subject to the
   * permission rules and the budget of this turn.
   * @returns the report that the other agent's model wrote
   * @throws ToolError if the model wrote no report
   */
  async #delegateTask(turn: AgentTurn, call: DelegatedCall): Promise<string> {
    const budget = this.#getBudget(turn);
    const { signal, answerId, callId } = call;
    const confirmContinue: Delegator['confirmContinue'] = (findReason) =>
      this.#confirmContinue(budget, { messageId: answerId, callId, signal }, findReason);
    if (!(await confirmContinue(() => budget.exhaustedReason)))
      throw new ToolError('stopped', overBudgetOutput);
    const { modelId } = turn;
    const { name = modelId } = this.#ports.getModel(modelId);
    const result = await turn.runDelegatedTurn?.({
      model: this.#ports.getDelegateModel?.(modelId) ?? { id: modelId, name },
      text: createTaskMessage(call.task),
      agent: new Agent({
        ...this.#ports,
        getMode: () => 'ask',
        loadTools: async () => removeDelegateTool(await this.#ports.loadTools('ask')),
        delegator: { budget, confirmContinue },
      }),
      call: { answerId, callId },
      signal,
      onProgress: call.onProgress,
    });
    if (result?.failure !== undefined) throw new ToolError('failed', result.failure.message);
    if (budget.isDeclined && !result?.text) throw new ToolError('stopped', overBudgetOutput);
    if (!result?.text) throw new ToolError('failed', 'The model wrote no report.');
    return result.text;
  }

  /**
   * Calls `findReason` for a reason to stop. If it returns one, shows the reason to the user and asks whether to
   * continue the turn. Returns true if the turn may continue. Asks one question at a time. After the user has declined
   * to continue, asks no more questions.
   */
  #confirmContinue(
    budget: TurnBudget,
    question: BudgetQuestion,
    findReason: () => string | undefined,
  ): Promise<boolean> {
    if (this.#ports.delegator !== undefined)
      return this.#ports.delegator.confirmContinue(findReason);
    const answer = this.#lastQuestionPromise.then(() =>
      this.#askToContinue(budget, question, findReason()),
    );
    this.#lastQuestionPromise = answer.catch(() => {});
    return answer;
  }

  async #askToContinue(
    budget: TurnBudget,
    { signal, ...call }: BudgetQuestion,
    exhaustedReason: string | undefined,
  ): Promise<boolean> {
    if (exhaustedReason === undefined) return true;
    if (budget.isDeclined) return false;
    const continueLabel = getContinueLabel();
    const choice = await this.#ports.pendingRequests.askQuestion(
      {
        ...call,
        text: l10n.t('{0} Continue?', exhaustedReason),
        choices: [continueLabel, getStopLabel()],
        freeText: false,
      },
      signal,
    );
    budget.isDeclined = choice === getStopLabel();
    if (choice !== continueLabel) return false;
    budget.extendLimits();
    this.#ports.onUsage(budget.usage);
    return true;
  }

  /** Returns the budget of the turn. Each message, retry or continuation by the user starts with a new budget. */
  #getBudget(turn: AgentTurn): TurnBudget {
    if (this.#ports.delegator !== undefined) return this.#ports.delegator.budget;
    if (this.#budget?.turn !== turn) {
      this.#budget = { turn, budget: new TurnBudget(this.#ports.getLimits()) };
    }
    return this.#budget.budget;
  }

  async #createRequestParts(turn: AgentTurn, endId: string): Promise<RequestParts> {
    const { conversation, modelId, signal } = turn;
    // Waits for the model list, which the lines below read.
    const parameters = (await turn.getParameters?.()) ?? {};
    const model = this.#ports.getModel(modelId);
    await this.#ports.refreshFiles?.();
    this.#tools = await this.#selectTools(conversation, modelId);
    storeInstructions(turn, endId, await this.#ports.readInstructionFiles());
    this.#sentTodos = conversation.todoList;
    return {
      conversation,
      endId,
      modelId,
      limits: model,
      supportsVision: model.supportsVision,
      instructions: [
        ...this.#ports.createInstructions(this.#tools, this.#getMode(conversation)),
        ...selectStartInstructions(conversation),
        ...formatInstructionFiles(await this.#readAgentInstructions(conversation)),
      ],
      tools: selectToolsToSend(this.#tools),
      parameters,
      signal,
      getBaseUrl: () => turn.getBaseUrl?.(),
      getProtectionTerms: () => turn.getProtectionTerms?.(modelId) ?? {},
      onCompletion: (completion) => this.#getBudget(turn).countRequest(completion),
      setSummary: (id, text) => turn.setSummary(id, text),
    };
  }

  async #selectTools(
    conversation: Conversation,
    modelId: string,
  ): Promise<ReadonlyMap<string, Tool>> {
    // A persona gets no tools, because a third party wrote its instructions.
    const canUseTools =
      this.#ports.getModel(modelId).supportsTools &&
      conversation.options['character'] === undefined;
    return canUseTools ? addDiscoveryTool(await this.#narrowTools(conversation)) : new Map();
  }

  /** Returns the tools that the conversation's custom agent may use; none if that agent no longer exists. */
  async #narrowTools(conversation: Conversation): Promise<ReadonlyMap<string, Tool>> {
    const tools = await this.#ports.loadTools(this.#getMode(conversation));
    if (getCustomAgentName(conversation) === undefined) return tools;
    const agent = await this.#findCustomAgent(conversation);
    return agent === undefined ? new Map() : narrowTools(tools, agent);
  }

  #getMode({ mode }: Conversation): Mode {
    return mode ?? this.#ports.getMode?.() ?? 'agent';
  }

  async #readAgentInstructions(conversation: Conversation): Promise<readonly InstructionFile[]> {
    const agent = await this.#findCustomAgent(conversation);
    return agent === undefined ? [] : [{ label: agent.label, text: agent.instructions }];
  }

  async #findCustomAgent(conversation: Conversation): Promise<CustomAgent | undefined> {
    const name = getCustomAgentName(conversation);
    return name === undefined ? undefined : this.#ports.findCustomAgent?.(name);
  }
}

/** Returns the tools without the delegate tool, because a delegated task must not delegate again. */
const removeDelegateTool = (tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> =>
  new Map([...tools].filter(([name]) => name !== delegateToolName));

/** Returns the name of the custom agent that the user chose for a conversation; undefined if the user chose none. */
const getCustomAgentName = ({ options: { agent } }: Conversation): string | undefined =>
  typeof agent === 'string' && agent !== '' ? agent : undefined;
