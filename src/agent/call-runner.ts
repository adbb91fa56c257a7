import { readArguments, type ValidateSchema } from './arguments.ts';
import { type ApprovalPorts, notRunOutput, checkPermission } from './permissions/approval.ts';
import {
  sanitizeLine,
  sanitizeOutput,
  type Tool,
  type ToolContext,
  type ToolPlan,
  type ToolResult,
} from './tool.ts';
import type { AgentTurn } from './turn-agent.ts';
import type { Clock } from '../base/clock.ts';
import type { Answer, RequestedCall } from '../conversation/conversation.ts';
import { interruptRun, type ToolRun } from '../conversation/tool-run.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { ServiceError } from '../service/http/failure.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** What a tool has to end after it was stopped, in milliseconds. */
const stopGraceMs = 900;

/** What the model is told of a call that was stopped while it ran. */
export const cancelledOutput = 'Stopped by the person while it ran. It may be done in part.';

/**
 * The end of `work`; soon after `signal` fired it is over for us, whatever the tool still does.
 * @throws ToolError `stopped` then, or what the work throws
 */
export async function abandonAfterStop<T>(
  work: Promise<T>,
  signal: AbortSignal,
  clock: Clock,
): Promise<T> {
  let cancelTimer: () => void = () => {};
  let startGracePeriod: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    startGracePeriod = () => {
      cancelTimer = clock.after(stopGraceMs, () =>
        reject(new ToolError('stopped', cancelledOutput)),
      );
    };
  });
  signal.addEventListener('abort', startGracePeriod, { once: true });
  if (signal.aborted) startGracePeriod();
  try {
    return await Promise.race([work, stopped]);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', startGracePeriod);
  }
}

export interface CallRunnerPorts extends ApprovalPorts {
  readonly clock: Clock;
  readonly validate: ValidateSchema;
  /** Told of errors that are not the tool's own words. */
  readonly logError: (message: string, error: unknown) => void;
}

/** At most so many calls that only read run beside one another. */
const maxConcurrentReads = 8;

/** Runs the calls of one answer: those that only read beside one another, all others alone and in order. */
export class CallRunner {
  readonly #ports: CallRunnerPorts;
  readonly #cancellers = new Map<string, AbortController>();
  /** How often a call with the same name and arguments failed in the turn `#failuresOf`. */
  readonly #failures = new Map<string, number>();
  #failuresTurnId = '';

  constructor(ports: CallRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Every call has a run that is over in the end.
   * @returns false when `mayRun` said no before all were run
   * @throws what `mayRun` throws; calls without a run were then not begun
   */
  async run(
    turn: AgentTurn,
    answer: Answer,
    { tools, enabledTools, vision, canRun, onCost }: RunOptions,
  ): Promise<boolean> {
    const calls = answer.result.toolCalls ?? [];
    const isTruncated =
      answer.result.finishReason === 'length' || answer.result.finishReason === 'content_filter';
    const toJob = (call: RequestedCall): Job => ({
      turn,
      answerId: answer.id,
      call: isTruncated ? { ...call, problem: call.problem ?? truncatedProblem } : call,
      tool: tools.get(call.function.name),
      enabledTools,
      vision,
      onCost,
    });
    let canContinue = true;
    for (const group of groupCalls(calls.map(toJob))) {
      canContinue &&= turn.signal.aborted || (await canRun(group.length));
      if (canContinue) await Promise.all(group.map((job) => this.#runCall(job)));
      else for (const job of group) this.#skip(job);
    }
    return canContinue;
  }

  #skip({ turn, answerId, call, tool }: Job): void {
    turn.putRun(answerId, {
      callId: call.id,
      status: 'not-run',
      verb: '',
      target: sanitizeLine(call.function.name),
      readOnly: tool?.kind === 'read',
      output: overBudgetOutput,
      startedAt: this.#ports.clock.now(),
    });
  }

  /** Stops one call that runs or waits. The turn goes on. */
  cancel(answerId: string, callId: string): void {
    this.#cancellers.get(callKey(answerId, callId))?.abort();
  }

  async #runCall(job: Job): Promise<void> {
    const { clock } = this.#ports;
    const { turn, answerId, call, tool } = job;
    const update = (run: ToolRun): void => turn.putRun(answerId, run);
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
      update(withInterruption(turn, { ...run, status: 'not-run', output: notRunOutput }));
      return;
    }
    const key = callKey(answerId, call.id);
    this.#cancellers.set(key, canceller);
    try {
      run = await this.#execute({ ...job, signal, run, update });
    } catch (error) {
      run = this.#failedRun(job, { ...run, ...storedRun(turn, answerId, call.id) }, error, signal);
    } finally {
      this.#cancellers.delete(key);
    }
    update(
      withInterruption(turn, { ...run, durationMs: Math.max(0, clock.now() - run.startedAt) }),
    );
  }

  /** @throws ToolError, or anything when the tool has a fault */
  async #execute(job: Job & Running): Promise<ToolRun> {
    const { clock } = this.#ports;
    const { turn, call, tool, signal, update } = job;
    if (call.problem !== undefined) throw new ToolError('bad-arguments', call.problem);
    if (tool === undefined) {
      throw new ToolError('unknown-tool', `There is no tool called ${call.function.name}.`);
    }
    const args = readArguments(call.function.arguments, tool.parameters, this.#ports.validate);
    const context: ToolContext = {
      conversationId: turn.conversation.id,
      turnId: turn.turnId,
      messageId: job.answerId,
      callId: call.id,
      signal,
      vision: job.vision,
    };
    const plan = await abandonAfterStop(tool.plan(args, context), signal, clock);
    const planned: ToolRun = {
      ...job.run,
      verb: plan.verb,
      target: sanitizeLine(plan.target),
      ...(plan.uri === undefined ? {} : { uri: plan.uri }),
    };
    const refusal = await checkPermission(
      { context, call, tool, plan, onWait: () => update({ ...planned, status: 'waiting' }) },
      this.#ports,
    );
    if (refusal !== undefined) return { ...planned, ...refusal };
    if (!(await job.enabledTools()).has(tool.name)) {
      throw new ToolError('unknown-tool', 'The person has switched this tool off.');
    }
    // What it took to decide is not what it takes.
    const running: ToolRun = { ...planned, status: 'running', startedAt: clock.now() };
    update(running);
    const result = await abandonAfterStop(tool.run(args, context), signal, clock);
    if (result.cost !== undefined) job.onCost(result.cost);
    // What a stopped tool still tells of what it did is kept.
    const status = signal.aborted ? 'cancelled' : result.failed === true ? 'failed' : 'done';
    return { ...running, ...completedFields(plan, result), status };
  }

  /** How often this very call has failed in the turn, with this time. */
  #countFailure({ turn, call }: Job): number {
    if (this.#failuresTurnId !== turn.turnId) this.#failures.clear();
    this.#failuresTurnId = turn.turnId;
    const key = JSON.stringify([call.function.name, call.function.arguments]);
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    return count;
  }

  #failedRun(job: Job, run: ToolRun, error: unknown, signal: AbortSignal): ToolRun {
    if (isClosing(job.turn.signal)) return interruptRun(run);
    if (signal.aborted) {
      // What never began needs no second look.
      const status = run.status === 'waiting' ? 'not-run' : 'cancelled';
      return { ...run, status, output: status === 'not-run' ? notRunOutput : cancelledOutput };
    }
    if (!(error instanceof ToolError))
      this.#ports.logError(`The tool ${job.call.function.name}`, error);
    const message =
      error instanceof ToolError
        ? error.message
        : 'The tool failed. The log of the extension says more.';
    const failureCount = this.#countFailure(job);
    const repeatNote =
      failureCount > 1
        ? `\nThis very call has failed ${failureCount} times: do something else.`
        : '';
    return { ...run, status: 'failed', output: sanitizeOutput(message) + repeatNote };
  }
}

export interface RunOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The names of those that the person still offers: the mode may change while an answer is worked on. */
  readonly enabledTools: () => Promise<ReadonlyMap<string, Tool>>;
  /** Whether the model takes pictures. */
  readonly vision: boolean;
  /** Asked before calls run together; how many they are. */
  readonly canRun: (count: number) => Promise<boolean>;
  /** Told what a call cost by itself. */
  readonly onCost: (cost: Cost) => void;
}

interface Job {
  readonly turn: AgentTurn;
  readonly answerId: string;
  readonly call: RequestedCall;
  readonly tool: Tool | undefined;
  readonly enabledTools: RunOptions['enabledTools'];
  readonly vision: boolean;
  readonly onCost: RunOptions['onCost'];
}

interface Running {
  readonly signal: AbortSignal;
  readonly run: ToolRun;
  readonly update: (run: ToolRun) => void;
}

const truncatedProblem =
  'The answer was cut off, so this call may not be whole. Nothing was run. Write shorter calls, or fewer at once.';
const overBudgetOutput = 'Not run: the person ended the turn because its budget was used up.';

/** The window ends a turn with a failure of its own; a person's Stop names none. */
const isClosing = ({ reason }: AbortSignal): boolean =>
  reason instanceof ServiceError && reason.failure.code === 'interrupted';

/** Says of what was cut that it was not the person who did it. */
function withInterruption({ signal }: AgentTurn, run: ToolRun): ToolRun {
  const wasStopped = run.status === 'cancelled' || run.status === 'not-run';
  return wasStopped && isClosing(signal) ? { ...run, interrupted: true } : run;
}

/** Neighbours that only read are one group; anything else is one alone. */
function groupCalls(jobs: readonly Job[]): Job[][] {
  const groups: Job[][] = [];
  for (const job of jobs) {
    const last = groups.at(-1);
    const canJoin =
      job.tool?.kind === 'read' &&
      last?.[0]?.tool?.kind === 'read' &&
      last.length < maxConcurrentReads;
    if (canJoin) last.push(job);
    else groups.push([job]);
  }
  return groups;
}

function completedFields(plan: ToolPlan, result: ToolResult): Partial<ToolRun> {
  return {
    verb: plan.pastVerb,
    ...(result.target === undefined ? {} : { target: sanitizeLine(result.target) }),
    output: sanitizeOutput(result.output),
    ...(result.images === undefined || result.images.length === 0 ? {} : { images: result.images }),
  };
}

/** What was last told of the call. */
function storedRun(
  { conversation }: AgentTurn,
  answerId: string,
  callId: string,
): Partial<ToolRun> {
  const answer = conversation.find(answerId);
  return answer?.role === 'assistant'
    ? (answer.toolRuns.find((run) => run.callId === callId) ?? {})
    : {};
}

const callKey = (answerId: string, callId: string): string => `${answerId} ${callId}`;
