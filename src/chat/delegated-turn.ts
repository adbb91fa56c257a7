import type { DelegatedResult, DelegatedTask } from '../agent/turn-agent.ts';
import { omitUndefined } from '../base/json.ts';
import { type Answer, Conversation, type Message } from '../conversation/conversation.ts';
import type { DelegatedTurn, ToolRun, ToolStep } from '../conversation/tool-run.ts';
import { unwrapCall } from '../conversation/wrapped-call.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';
import { addCost, addUsage } from './answer-result.ts';
import { ConversationWriter } from './conversation-writer.ts';
import type { TurnChange, TurnContext, TurnPorts } from './turn-context.ts';

interface RunningTurn {
  run(endId: string, writes: Promise<unknown>): Promise<void>;
  abort(): void;
}

/** Maximum number of tool calls per delegated task that are stored and shown. */
const maxSteps = 200;

/**
 * Runs the turn of a delegated task in a separate conversation, which is not stored. The separate conversation has
 * the id of the chat, so that the permission rules and grants of the chat apply.
 * @param createTurn Creates the turn. Its first answer is `firstAnswer`.
 */
export async function runDelegatedTurn(
  { conversation: chat, ports }: TurnContext,
  { model, text, agent, call, signal, onProgress }: DelegatedTask,
  createTurn: (context: TurnContext, firstAnswer: Answer) => RunningTurn,
): Promise<DelegatedResult> {
  const { id, folder } = chat;
  const startedAt = ports.clock.now();
  const conversation = new Conversation({
    type: 'conversation-start',
    version: 1,
    id,
    at: startedAt,
    folder,
  });
  const writer = new ConversationWriter(conversation, memoryPorts, []);
  const progress = new TaskProgress(model, conversation, onProgress);
  const add = <T extends Message>(message: T): T => {
    conversation.applyRecord({ type: 'message-add', message });
    return message;
  };
  let answerCount = 0;
  const context: TurnContext = {
    conversation,
    writer,
    ports: createPorts(ports, agent),
    emitChange: (change) => progress.handleChange(change),
    addUserMessage: (parentId) => parentId,
    addAnswer: (parentId, answerModel) =>
      add({
        role: 'assistant',
        id: `delegated-${++answerCount}`,
        parentId,
        createdAt: ports.clock.now(),
        model: answerModel,
        text: '',
        reasoning: '',
        status: 'streaming',
        result: {},
        toolRuns: [],
      }),
    delegation: { call, getPermissionLevel: () => chat.permissionLevel },
  };
  const turnId = chat.findTurnStartId(call.answerId) ?? call.answerId;
  const { agent: customAgent, servicePrompt } = chat.options;
  const options = omitUndefined({ agent: customAgent, servicePrompt });
  conversation.applyRecord({ type: 'options-set', options });
  add({ role: 'user', id: turnId, parentId: null, createdAt: startedAt, text, attachments: [] });
  progress.reportProgress();
  const turn = createTurn(context, context.addAnswer(turnId, model));
  const abort = (): void => turn.abort();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  await turn.run(turnId, Promise.resolve());
  signal.removeEventListener('abort', abort);
  return readResult(conversation);
}

const memoryPorts = {
  store: { append: () => Promise.resolve() },
  onStoreFailure: () => {},
};

/**
 * Returns the functions that the turn of a delegated task uses. If the user queues an urgent message, the turn of the
 * task ends, and the turn that started the task continues with this message.
 */
function createPorts(ports: TurnPorts, agent: DelegatedTask['agent']): TurnPorts {
  const {
    images: _images,
    findFallback: _findFallback,
    interruptions,
    createTaskPorts,
    ...sharedPorts
  } = ports;
  return {
    ...sharedPorts,
    ...createTaskPorts?.(),
    loadAgent: () => Promise.resolve(agent),
    ...(interruptions && {
      interruptions: { hasMessage: interruptions.hasMessage, takeMessage: () => undefined },
    }),
  };
}

function readResult(conversation: Conversation): DelegatedResult {
  const answers = conversation.listPath().filter((message) => message.role === 'assistant');
  return {
    text: answers.findLast(({ text }) => text.trim() !== '')?.text.trim() ?? '',
    ...omitUndefined({ failure: answers.at(-1)?.result.failure }),
  };
}

/** Collects the tool calls, the usage and the cost of a delegated task. */
class TaskProgress {
  readonly #model: Answer['model'];
  readonly #conversation: Conversation;
  readonly #onProgress: (progress: DelegatedTurn) => void;
  readonly #steps = new Map<string, ToolStep>();
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #isEstimated = false;

  constructor(
    model: Answer['model'],
    conversation: Conversation,
    onProgress: (progress: DelegatedTurn) => void,
  ) {
    this.#model = model;
    this.#conversation = conversation;
    this.#onProgress = onProgress;
  }

  handleChange(change: TurnChange): void {
    if (change.type === 'tool-run') this.#addStep(change.answerId, change.run);
    else if (change.type === 'turn-event' && change.event.type === 'turn-end') {
      const { usage, cost, costEstimated } = change.event.result;
      this.#usage = addUsage(this.#usage, usage);
      this.#cost = addCost(this.#cost, cost);
      this.#isEstimated ||= costEstimated === true;
    } else return;
    this.reportProgress();
  }

  reportProgress(): void {
    const steps = [...this.#steps.values()];
    const costEstimated = this.#isEstimated ? (true as const) : undefined;
    this.#onProgress({
      model: this.#model.name,
      modelId: this.#model.id,
      steps,
      ...omitUndefined({ usage: this.#usage, cost: this.#cost, costEstimated }),
    });
  }

  #addStep(answerId: string, run: ToolRun): void {
    const answer = this.#conversation.findMessage(answerId);
    const calls = answer?.role === 'assistant' ? answer.result.toolCalls : undefined;
    const call = calls?.find(({ id }) => id === run.callId);
    const key = `${answerId} ${run.callId}`;
    if (call === undefined || (this.#steps.size >= maxSteps && !this.#steps.has(key))) return;
    const { callId, status, verb, target, startedAt, durationMs } = run;
    const { name } = unwrapCall(call).function;
    this.#steps.set(key, {
      ...{ callId, name, status, verb, target, startedAt },
      ...omitUndefined({ durationMs }),
    });
  }
}
