import { toBatches } from './batches.ts';
import { Agent, type AgentModel, type AgentPorts } from '../../src/agent/agent.ts';
import { PendingRequests } from '../../src/agent/permissions/approval.ts';
import type { PermissionLevel } from '../../src/conversation/protocol.ts';
import type { Permission } from '../../src/agent/permissions/permission-rules.ts';
import { allowedVerdict } from '../../src/workspace/verdict.ts';
import { RequestBuilder, type RequestBuilderPorts } from '../../src/agent/request-builder.ts';
import {
  selectTools,
  type Tool,
  type ToolArguments,
  type ToolContext,
  type ToolResult,
} from '../../src/agent/tool.ts';
import type { TurnLimits, TurnUsage } from '../../src/agent/turn-budget.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type ChatPorts, ChatSession, type SessionEvent } from '../../src/chat/chat-session.ts';
import {
  type Answer,
  Conversation,
  type InstructionFile,
} from '../../src/conversation/conversation.ts';
import type {
  ChatEvent,
  ChatRequest,
  ChatRequestMessage,
} from '../../src/service/chat/chat-types.ts';
import { validateSchema } from '../../src/agent/arguments.ts';
import { omitUndefined } from '../../src/base/json.ts';
import { MemoryStore } from './memory-store.ts';

/** Events of one model answer. The fixture appends an end event if the list contains none. */
export type ScriptedAnswer = readonly ChatEvent[];

export interface AgentFixtureOptions {
  readonly tools?: readonly Tool[];
  readonly answers: readonly ScriptedAnswer[];
  readonly model?: Partial<AgentModel>;
  readonly limits?: Partial<TurnLimits>;
  readonly getPermission?: (
    tool: Tool,
    args: unknown,
    level: PermissionLevel,
  ) => Partial<Permission>;
  /** Called each time the agent requests the list of tools, before it receives the list. */
  readonly onListTools?: () => Promise<void>;
  readonly requestCompletion?: RequestBuilderPorts['requestCompletion'];
  readonly instructions?: readonly string[];
  /** Returns the instruction files that the workspace currently contains. */
  readonly getInstructionFiles?: () => readonly InstructionFile[];
  readonly clock?: Clock;
  readonly interruptions?: ChatPorts['interruptions'];
  readonly findFallback?: ChatPorts['findFallback'];
  /** Model that executes delegated tasks. Default: the model of the chat. */
  readonly delegateModel?: Answer['model'];
  /** Streams the answers of a real service in place of `answers`. */
  readonly stream?: (request: ChatRequest) => AsyncIterable<readonly ChatEvent[]>;
}

/** Creates an agent that allows all tool calls, except where `options.permission` returns another decision. */
export function createAgent(
  options: Omit<AgentFixtureOptions, 'answers'>,
  {
    pendingRequests,
    onUsage,
    logError,
    listTools = () => options.tools ?? [],
  }: Pick<AgentPorts, 'pendingRequests' | 'onUsage' | 'logError'> & {
    readonly listTools?: () => readonly Tool[];
  },
): Agent {
  return new Agent({
    clock: options.clock ?? systemClock,
    validate: validateSchema,
    pendingRequests,
    permissions: {
      evaluateCall: (tool, plan, { level }) =>
        Promise.resolve({
          ...allowedVerdict,
          remember: ['conversation'],
          rememberWhat: tool.name,
          grant: undefined,
          editKeys: [],
          ...options.getPermission?.(tool, plan, level),
        }),
      storeGrant: () => Promise.resolve(),
      recordConfirmedEdits: () => {},
    },
    logError,
    requestBuilder: new RequestBuilder({
      requestCompletion:
        options.requestCompletion ?? (() => Promise.resolve({ text: 'A summary.' })),
    }),
    getModel: () => ({ supportsTools: true, supportsVision: false, ...options.model }),
    getDelegateModel: () => options.delegateModel,
    loadTools: async (mode) => {
      await options.onListTools?.();
      return selectTools(listTools(), { mode, disabledNames: new Set() });
    },
    createInstructions: () => options.instructions ?? [],
    readInstructionFiles: () => Promise.resolve(options.getInstructionFiles?.() ?? []),
    onUsage,
    getLimits: () => ({ requests: 0, calls: 0, tokens: 0, cost: 0, ...options.limits }),
  });
}

/** Creates a conversation with an agent and a scripted model. All other objects are those of the extension. */
export function createAgentFixture(options: AgentFixtureOptions) {
  const { clock = systemClock } = options;
  const store = new MemoryStore();
  const requests: ChatRequest[] = [];
  const events: SessionEvent[] = [];
  const loggedErrors: unknown[] = [];
  const usages: TurnUsage[] = [];
  let tools = options.tools ?? [];
  let modelId = 'model-1';
  let idCount = 0;
  const createId = (): string => `id${++idCount}`;
  const pendingRequests = new PendingRequests(createId);
  const agent = createAgent(options, {
    pendingRequests,
    onUsage: (usage) => usages.push(usage),
    logError: (_, error) => loggedErrors.push(error),
    listTools: () => tools,
  });
  const conversationStart = {
    type: 'conversation-start',
    version: 1,
    id: 'c1',
    at: 0,
    folder: null,
  } as const;
  const session = new ChatSession(
    new Conversation(conversationStart),
    {
      store,
      clock,
      createId,
      loadAgent: () => Promise.resolve(agent),
      stream: async (request) => {
        const answer = options.answers[requests.push(request) - 1] ?? [];
        if (options.stream !== undefined) return options.stream(request);
        const hasToolCalls = answer.some(({ type }) => type.startsWith('tool-call'));
        return toBatches([...answer, createEndEvent(hasToolCalls ? 'tool_calls' : 'stop')]);
      },
      ...omitUndefined({
        interruptions: options.interruptions,
        findFallback: options.findFallback,
      }),
      getModel: () => ({ id: modelId, name: 'Model One' }),
      estimateCost: () => undefined,
      reportRequestOutcome: () => {},
      logError: (_, error) => loggedErrors.push(error),
      onStoreFailure: () => {},
    },
    [conversationStart],
  );
  session.onDidChange((event) => events.push(event));
  const listAnswers = (): Answer[] =>
    session.conversation.listPath().filter((message) => message.role === 'assistant');
  return {
    session,
    agent,
    pending: pendingRequests,
    requests,
    events,
    store,
    loggedErrors,
    usages,
    /** Replaces the tools that the model can call. */
    setTools: (newTools: readonly Tool[]): void => void (tools = newTools),
    /** Selects the model that answers later messages. */
    selectModel: (id: string): void => void (modelId = id),
    listAnswers,
    /** Returns all tool runs in the conversation, oldest first. */
    listToolRuns: () => listAnswers().flatMap(({ toolRuns }) => toolRuns),
    /** Returns the texts of the tool messages in the request at `index`. The first request has index 0. */
    listToolMessages: (index: number): string[] =>
      (requests[index]?.messages ?? []).filter(isTool).map(({ content }) => content),
  };
}

const isTool = (
  message: ChatRequestMessage,
): message is Extract<ChatRequestMessage, { role: 'tool' }> => message.role === 'tool';

export const createTextDelta = (text: string): ChatEvent => ({ type: 'text-delta', text });

export const createEndEvent = (
  finishReason: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other',
): ChatEvent => ({ type: 'stream-end', outcome: { kind: 'complete', finishReason } });

/** Creates an event that contains a complete tool call. */
export const createCallEvent = (
  name: string,
  args: unknown = {},
  index = 0,
  id = `t${index}`,
): ChatEvent => ({
  type: 'tool-call-delta',
  index,
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

/** Creates a tool that executes `run`. The tool is read-only unless `overrides` contains another tool kind. */
export function createTool(
  name: string,
  run: (args: ToolArguments, context: ToolContext) => string | Promise<string>,
  overrides: Partial<Tool> = {},
): Tool {
  return {
    name,
    kind: 'read',
    description: name,
    parameters: { type: 'object' },
    plan: () => Promise.resolve({ verb: 'Do', target: name, resources: [] }),
    run: async (args, context): Promise<ToolResult> => ({ output: await run(args, context) }),
    ...overrides,
  };
}
