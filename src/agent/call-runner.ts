import { readArguments, type ValidateSchema } from './arguments.ts';
import { type ApprovalPorts, notRunOutput, checkPermission } from './permissions/approval.ts';
import {
  sanitizeLine,
  sanitizeOutput,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts';
import type { AgentTurn, DelegatingCall } from './turn-agent.ts';
import type { Clock } from '../base/clock.ts';
import type { Answer, RequestedCall } from '../conversation/conversation.ts';
import type { PermissionLevel } from '../conversation/protocol.ts';
import { type DelegatedTurn, interruptRun, type ToolRun } from '../conversation/tool-run.ts';
import { unwrapCall } from '../conversation/wrapped-call.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { ServiceError } from '../service/http/failure.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Milliseconds that a tool has to end after the user stops it. */
const stopGraceMs = 900;

/** Output that the model receives for a call that was stopped while it ran. */
export const canceledOutput = 'Stopped by the user while it ran. It may be done in part.';

/**
 * Waits for an operation of a tool. Stops waiting within a second after `signal` fires, even if the operation
 * continues.
 * @throws ToolError `stopped` if the operation has not ended by then
 * @throws the error of the operation if the operation fails
 */
export async function waitForOperation<T>(
  pendingOperation: Promise<T>,
  signal: AbortSignal,
  clock: Clock,
): Promise<T> {
  let cancelTimer: () => void = () => {};
  let startGracePeriod: () => void = () => {};
  const stopTimeoutPromise = new Promise<never>((_, reject) => {
    startGracePeriod = () => {
      cancelTimer = clock.after(stopGraceMs, () =>
        reject(new ToolError('stopped', canceledOutput)),
      );
    };
  });
  signal.addEventListener('abort', startGracePeriod, { once: true });
  if (signal.aborted) startGracePeriod();
  try {
    return await Promise.race([pendingOperation, stopTimeoutPromise]);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', startGracePeriod);
  }
}

export interface CallRunnerPorts extends ApprovalPorts {
  readonly clock: Clock;
  readonly validate: ValidateSchema;
  /** Logs errors other than `ToolError`. */
  readonly logError: (message: string, error: unknown) => void;
}

/** Maximum number of read-only calls that run concurrently. */
const maxConcurrentReads = 8;

/** Runs the calls of one answer: adjacent read-only calls concurrently, all others one by one in order. */
export class CallRunner {
  readonly #ports: CallRunnerPorts;
  readonly #cancellers = new Map<string, AbortController>();
  /** Number of failures in the turn `#failuresTurnId`, by tool name and arguments. */
  readonly #failureCounts = new Map<string, number>();
  #failuresTurnId = '';

  constructor(ports: CallRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Runs all calls of an answer and stores the result of each call.
   * @returns false if `findObstacle` returned a reason not to run a call. That call and all later calls are then stored
   *   as not run.
   * @throws if `findObstacle` throws. The remaining calls then do not start.
   */
  async runCalls(
    turn: AgentTurn,
    answer: Answer,
    { tools, findObstacle, ...options }: RunOptions,
  ): Promise<boolean> {
    const calls = answer.result.toolCalls ?? [];
    const isTruncated =
      answer.result.finishReason === 'length' || answer.result.finishReason === 'content_filter';
    const toJob = (requestedCall: RequestedCall): CallJob => {
      // Every later step uses only the inner call, so that a call through the discovery tool gets
      // the checks of a direct call.
      const call = unwrapCall(requestedCall);
      return {
        turn,
        answerId: answer.id,
        call: isTruncated ? { ...call, problem: call.problem ?? truncatedCallProblem } : call,
        tool: tools.get(call.function.name),
        ...options,
      };
    };
    let obstacle: string | undefined;
    for (const group of groupCalls(calls.map(toJob))) {
      obstacle ??= turn.signal.aborted ? undefined : await findObstacle(group.length);
      if (obstacle === undefined) await Promise.all(group.map((job) => this.#runCall(job)));
      else for (const job of group) this.#skipCall(job, obstacle);
    }
    return obstacle === undefined;
  }

  #skipCall({ turn, answerId, call, tool }: CallJob, output: string): void {
    turn.putRun(answerId, {
      callId: call.id,
      status: 'not-run',
      verb: '',
      target: sanitizeLine(call.function.name),
      readOnly: tool?.kind === 'read',
      output,
      startedAt: this.#ports.clock.now(),
    });
  }

  /** Stops one running or waiting call. The turn continues. */
  stopCall(answerId: string, callId: string): void {
    this.#cancellers.get(createCallKey(answerId, callId))?.abort();
  }

  async #runCall(job: CallJob): Promise<void> {
    const { clock } = this.#ports;
    const { turn, answerId, call, tool } = job;
    const updateRun = (run: ToolRun): void => turn.putRun(answerId, run);
    let run: ToolRun = {
      callId: call.id,
      status: 'running',
      verb: '',
      target: sanitizeLine(call.function.name),
      readOnly: tool?.kind === 'read',
      output: '',
      startedAt: clock.now(),
    };
    const canceller = new AbortController();
    const signal = AbortSignal.any([turn.signal, canceller.signal]);
    if (turn.signal.aborted) {
      updateRun(markRunInterrupted(turn, { ...run, status: 'not-run', output: notRunOutput }));
      return;
    }
    const key = createCallKey(answerId, call.id);
    this.#cancellers.set(key, canceller);
    try {
      run = await this.#executeCall({ ...job, signal, run, onRunChange: updateRun });
    } catch (error) {
      run = this.#createFailedRun(
        job,
        { ...run, ...findStoredRun(turn, answerId, call.id) },
        error,
        signal,
      );
    } finally {
      this.#cancellers.delete(key);
    }
    updateRun(
      markRunInterrupted(turn, { ...run, durationMs: Math.max(0, clock.now() - run.startedAt) }),
    );
  }

  /**
   * Checks the permission of one call and runs it.
   * @throws ToolError if the call is invalid or fails
   * @throws any other error if the tool has a bug
   */
  async #executeCall(job: CallJob & RunningCall): Promise<ToolRun> {
    const { clock } = this.#ports;
    const { turn, answerId, call, tool, signal, onRunChange, delegate } = job;
    if (call.problem !== undefined) throw new ToolError('bad-arguments', call.problem);
    if (tool === undefined) {
      throw new ToolError('unknown-tool', `There is no tool called ${call.function.name}.`);
    }
    const args = readArguments(call.function.arguments, tool.parameters, this.#ports.validate);
    let currentRun: ToolRun = job.run;
    const onProgress = (delegatedTurn: DelegatedTurn): void => {
      currentRun = { ...currentRun, delegated: delegatedTurn };
      turn.showRun?.(answerId, currentRun);
    };
    const visibleCall = turn.delegatingCall ?? { answerId, callId: call.id };
    const context: ToolContext = {
      conversationId: turn.conversation.id,
      turnId: turn.turnId,
      messageId: visibleCall.answerId,
      callId: visibleCall.callId,
      signal,
      supportsVision: job.supportsVision,
      todos: {
        list: turn.conversation.todoList,
        isKnownToModel: job.isTodoListKnownToModel(),
        write: (list) => turn.setTodos?.(list),
      },
      ...(delegate && {
        delegate: (task) => delegate({ task, signal, answerId, callId: call.id, onProgress }),
      }),
    };
    const plan = await waitForOperation(tool.plan(args, context), signal, clock);
    const plannedRun: ToolRun = {
      ...job.run,
      verb: plan.verb,
      target: sanitizeLine(plan.target),
      ...(plan.uri === undefined ? {} : { uri: plan.uri }),
    };
    // Every turn of a chat stores a level before it starts.
    const getCurrentLevel = (): PermissionLevel =>
      turn.getPermissionLevel?.() ?? turn.conversation.permissionLevel ?? 'ask';
    const plannedCall = {
      ...{ context, call, tool, plan },
      getLevel: getCurrentLevel,
      onWait: () => onRunChange({ ...plannedRun, status: 'waiting' }),
      isInterrupted: () => turn.isInterrupted?.() === true,
    } as const;
    let level: PermissionLevel | undefined;
    let isApproved: true | undefined;
    do {
      const result = await checkPermission(plannedCall, this.#ports);
      if (result.refusal !== undefined) return { ...plannedRun, ...result.refusal };
      level = result.level;
      isApproved ??= result.isApproved;
      if (!(await job.getEnabledTools()).has(tool.name)) {
        throw new ToolError('unknown-tool', 'The user has disabled this tool.');
      }
      // The user can change the level while the tools are listed. An approved call is not asked about again.
    } while (level !== undefined && level !== getCurrentLevel());
    // Restarts the time measurement: planning and approval do not count as run time.
    currentRun = { ...plannedRun, status: 'running', startedAt: clock.now() };
    onRunChange(currentRun);
    const runContext = { ...context, ...(isApproved && { isApproved }) };
    const result = await waitForOperation(tool.run(args, runContext), signal, clock);
    if (result.cost !== undefined) job.onCost(result.cost);
    // Stores the output of a stopped tool, because the output may list completed changes.
    const status = signal.aborted ? 'cancelled' : result.hasFailed === true ? 'failed' : 'done';
    return { ...currentRun, ...createCompletedFields(result), status };
  }

  /** Counts a failed call. Returns how often a call with the same tool and arguments has failed in this turn. */
  #countFailure({ turn, call }: CallJob): number {
    if (this.#failuresTurnId !== turn.turnId) this.#failureCounts.clear();
    this.#failuresTurnId = turn.turnId;
    const key = JSON.stringify([call.function.name, call.function.arguments]);
    const count = (this.#failureCounts.get(key) ?? 0) + 1;
    this.#failureCounts.set(key, count);
    return count;
  }

  #createFailedRun(job: CallJob, run: ToolRun, error: unknown, signal: AbortSignal): ToolRun {
    if (isAbortedByClosingWindow(job.turn.signal)) return interruptRun(run);
    if (signal.aborted) {
      // Tells the model that a call was never started, so that the model need not check for
      // effects.
      const status = run.status === 'waiting' ? 'not-run' : 'cancelled';
      return { ...run, status, output: status === 'not-run' ? notRunOutput : canceledOutput };
    }
    if (!(error instanceof ToolError))
      this.#ports.logError(`Could not run the tool ${job.call.function.name}`, error);
    const message =
      error instanceof ToolError ? error.message : 'The tool failed. Try another approach.';
    const failureCount = this.#countFailure(job);
    const repeatNote =
      failureCount > 1
        ? `\nThe same call has failed ${failureCount} times. Try another approach.`
        : '';
    return { ...run, status: 'failed', output: sanitizeOutput(message) + repeatNote };
  }
}

export interface RunOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /**
   * Returns the tools that are enabled when the function is called, by name. They differ from `tools` if the user
   * changes the mode while the calls of an answer run.
   */
  readonly getEnabledTools: () => Promise<ReadonlyMap<string, Tool>>;
  readonly supportsVision: boolean;
  /**
   * Called before each group of calls. Returns undefined if the next `count` calls may run. Otherwise, returns the
   * output to store for these calls, with the reason for the model.
   */
  readonly findObstacle: (count: number) => Promise<string | undefined>;
  /** Returns false if the user edited the todo list after the model last received it. */
  readonly isTodoListKnownToModel: () => boolean;
  /** Called with the cost of a tool call. The cost does not include model requests. */
  readonly onCost: (cost: Cost) => void;
  /** Gives a task to another model. Absent inside a delegated task. */
  readonly delegate?: (call: DelegatedCall) => Promise<string>;
}

/** Call of the tool that gives a task to another model. */
export interface DelegatedCall extends DelegatingCall {
  readonly task: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DelegatedTurn) => void;
}

interface CallJob extends Omit<RunOptions, 'tools' | 'findObstacle'> {
  readonly turn: AgentTurn;
  readonly answerId: string;
  readonly call: RequestedCall;
  readonly tool: Tool | undefined;
}

interface RunningCall {
  readonly signal: AbortSignal;
  readonly run: ToolRun;
  readonly onRunChange: (run: ToolRun) => void;
}

const truncatedCallProblem =
  'The answer was cut off, so this call may not be whole. Nothing was run. Write shorter calls, or fewer at once.';

/**
 * Checks whether a turn was aborted because its window closes. The abort signal then has a `ServiceError` as its
 * reason.
 */
const isAbortedByClosingWindow = ({ reason }: AbortSignal): boolean =>
  reason instanceof ServiceError && reason.failure.code === 'interrupted';

/** Marks the run of a call as interrupted if the closing window stopped it. Returns any other run unchanged. */
function markRunInterrupted({ signal }: AgentTurn, run: ToolRun): ToolRun {
  const wasStopped = run.status === 'cancelled' || run.status === 'not-run';
  return wasStopped && isAbortedByClosingWindow(signal) ? { ...run, interrupted: true } : run;
}

/** Groups adjacent read-only calls. Every other call is a group of its own. */
function groupCalls(jobs: readonly CallJob[]): CallJob[][] {
  const groups: CallJob[][] = [];
  for (const job of jobs) {
    const lastGroup = groups.at(-1);
    const canJoin =
      job.tool?.kind === 'read' &&
      lastGroup?.[0]?.tool?.kind === 'read' &&
      lastGroup.length < maxConcurrentReads;
    if (canJoin) lastGroup.push(job);
    else groups.push([job]);
  }
  return groups;
}

function createCompletedFields(result: ToolResult): Partial<ToolRun> {
  return {
    ...(result.target === undefined ? {} : { target: sanitizeLine(result.target) }),
    output: sanitizeOutput(result.output),
    ...(result.images === undefined || result.images.length === 0 ? {} : { images: result.images }),
  };
}

/** Returns the last stored run of a call; an empty object if no run is stored. */
function findStoredRun(
  { conversation }: AgentTurn,
  answerId: string,
  callId: string,
): Partial<ToolRun> {
  const answer = conversation.findMessage(answerId);
  return answer?.role === 'assistant'
    ? (answer.toolRuns.find((run) => run.callId === callId) ?? {})
    : {};
}

const createCallKey = (answerId: string, callId: string): string => `${answerId} ${callId}`;
