import type { Answer } from '../chat/conversation.ts';
import type { AgentTurn, TurnAgent } from '../chat/turn-agent.ts';
import type { ChatRequest } from '../service/chat-types.ts';
import { CallRunner, type CallRunnerPorts } from './call-runner.ts';
import type { ModelLimits } from './context-limit.ts';
import { RequestBuilder, type RequestBuilderPorts, type RequestParts } from './request-builder.ts';
import type { Tool } from './tool.ts';
import { TurnBudget, type TurnLimits, type TurnUse } from './turn-budget.ts';

export interface AgentModel extends ModelLimits {
  /** Whether the model calls tools; one that does not gets none. */
  readonly tools: boolean;
  readonly vision: boolean;
}

export interface AgentPorts extends CallRunnerPorts, RequestBuilderPorts {
  readonly model: (id: string) => AgentModel;
  /** The tools the model gets now, by name; empty where it may have none. */
  readonly tools: () => Promise<ReadonlyMap<string, Tool>>;
  /** What the model is told of the workspace and its tools. */
  readonly instructions: (tools: ReadonlyMap<string, Tool>) => Promise<readonly string[]>;
  readonly limits: () => TurnLimits;
  /** Told after each answer what the turn has used. */
  readonly onUse: (use: TurnUse) => void;
}

export const goOnChoice = 'Continue';
export const stopChoice = 'Stop';

/** The agent of one conversation. */
export class Agent implements TurnAgent {
  readonly #ports: AgentPorts;
  readonly #runner: CallRunner;
  readonly #requests: RequestBuilder;
  #budget: { readonly turnId: string; readonly budget: TurnBudget } | undefined;
  /** What the model was given with its last request: a call of anything else is unknown. */
  #tools: ReadonlyMap<string, Tool> = new Map();

  constructor(ports: AgentPorts, requests = new RequestBuilder(ports)) {
    this.#ports = ports;
    this.#runner = new CallRunner(ports);
    this.#requests = requests;
  }

  async request(turn: AgentTurn, endId: string): Promise<ChatRequest> {
    return this.#requests.build(await this.#parts(turn, endId));
  }

  async makeRoom(turn: AgentTurn, endId: string): Promise<boolean> {
    return this.#requests.makeRoom(await this.#parts(turn, endId));
  }

  answered({ conversation, turnId, modelId }: AgentTurn, { result }: Answer): void {
    const budget = this.#budgetOf(turnId);
    budget.countAnswer(result);
    this.#ports.onUse(budget.use);
    if (result.usage !== undefined) this.#requests.learn(conversation.id, modelId, result.usage);
  }

  async runCalls(turn: AgentTurn, answer: Answer): Promise<boolean> {
    const { vision } = this.#ports.model(turn.modelId);
    await this.#runner.run(turn, answer, this.#tools, vision);
    return !turn.signal.aborted && (await this.#mayGoOn(turn, answer));
  }

  /** Stops one call that runs or waits. The turn goes on. */
  cancelCall(answerId: string, callId: string): void {
    this.#runner.cancel(answerId, callId);
  }

  async #mayGoOn(turn: AgentTurn, answer: Answer): Promise<boolean> {
    const budget = this.#budgetOf(turn.turnId);
    const { exhausted } = budget;
    if (exhausted === undefined) return true;
    const choice = await this.#ports.pending.ask(
      {
        messageId: answer.id,
        callId: null,
        text: `${exhausted} Continue?`,
        choices: [goOnChoice, stopChoice],
        freeText: false,
      },
      turn.signal,
    );
    if (choice !== goOnChoice) return false;
    budget.extend();
    this.#ports.onUse(budget.use);
    return true;
  }

  #budgetOf(turnId: string): TurnBudget {
    if (this.#budget?.turnId !== turnId) {
      this.#budget = { turnId, budget: new TurnBudget(this.#ports.limits()) };
    }
    return this.#budget.budget;
  }

  async #parts(turn: AgentTurn, endId: string): Promise<RequestParts> {
    const { conversation, modelId, signal } = turn;
    const model = this.#ports.model(modelId);
    this.#tools = model.tools ? await this.#ports.tools() : new Map();
    return {
      conversation,
      endId,
      modelId,
      limits: model,
      instructions: await this.#ports.instructions(this.#tools),
      tools: [...this.#tools.values()],
      signal,
      setSummary: (id, text) => turn.setSummary(id, text),
    };
  }
}
