import { readArguments, type ValidateSchema } from './arguments.ts';
import { type ApprovalPorts, notRun, refusalOf } from './permissions/approval.ts';
import {
  cleanLine,
  cleanOutput,
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
const graceMs = 900;

/** What the model is told of a call that was stopped while it ran. */
export const cancelled = 'Stopped by the person while it ran. It may be done in part.';

/**
 * The end of `work`; soon after `signal` fired it is over for us, whatever the tool still does.
 * @throws ToolError `stopped` then, or what the work throws
 */
export async function endsSoon<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  let cancelTimer: () => void = () => {};
  let leave: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    leave = () => {
      cancelTimer = clock.after(graceMs, () => reject(new ToolError('stopped', cancelled)));
    };
  });
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, stopped]);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', leave);
  }
}

export interface CallRunnerPorts extends ApprovalPorts {
  readonly clock: Clock;
  readonly validate: ValidateSchema;
  /** Told of errors that are not the tool's own words. */
  readonly logError: (what: string, error: unknown) => void;
}

/** At most so many calls that only read run beside one another. */
const maxConcurrent = 8;

/** Runs the calls of one answer: those that only read beside one another, all others alone and in order. */
export class CallRunner {
  readonly #ports: CallRunnerPorts;
  readonly #cancellers = new Map<string, AbortController>();
  /** How often a call with the same name and arguments failed in the turn `#failuresOf`. */
  readonly #failures = new Map<string, number>();
  #failuresOf = '';

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
    { tools, offered, vision, mayRun, spent }: RunOptions,
  ): Promise<boolean> {
    const calls = answer.result.toolCalls ?? [];
    const cutOff =
      answer.result.finishReason === 'length' || answer.result.finishReason === 'content_filter';
    const job = (call: RequestedCall): Job => ({
      turn,
      answerId: answer.id,
      call: cutOff ? { ...call, problem: call.problem ?? cutOffProblem } : call,
      tool: tools.get(call.function.name),
      offered,
      vision,
      spent,
    });
    let goesOn = true;
    for (const group of groups(calls.map(job))) {
      goesOn &&= turn.signal.aborted || (await mayRun(group.length));
      if (goesOn) await Promise.all(group.map((each) => this.#runJob(each)));
      else for (const each of group) this.#leaveOut(each);
    }
    return goesOn;
  }

  #leaveOut({ turn, answerId, call, tool }: Job): void {
    turn.putRun(answerId, {
      callId: call.id,
      status: 'not-run',
      verb: '',
      target: cleanLine(call.function.name),
      readOnly: tool?.kind === 'read',
      output: overBudget,
      startedAt: this.#ports.clock.now(),
    });
  }

  /** Stops one call that runs or waits. The turn goes on. */
  cancel(answerId: string, callId: string): void {
    this.#cancellers.get(keyOf(answerId, callId))?.abort();
  }

  async #runJob(job: Job): Promise<void> {
    const { clock } = this.#ports;
    const { turn, answerId, call, tool } = job;
    const put = (run: ToolRun): void => turn.putRun(answerId, run);
    let run: ToolRun = {
      callId: call.id,
      status: 'running',
      verb: '',
      target: cleanLine(call.function.name),
      readOnly: tool?.kind === 'read',
      output: '',
      startedAt: clock.now(),
    };
    const canceller = new AbortController();
    const signal = AbortSignal.any([turn.signal, canceller.signal]);
    if (turn.signal.aborted) {
      put(asEnded(turn, { ...run, status: 'not-run', output: notRun }));
      return;
    }
    const key = keyOf(answerId, call.id);
    this.#cancellers.set(key, canceller);
    try {
      run = await this.#perform({ ...job, signal, run, put });
    } catch (error) {
      run = this.#failed(job, { ...run, ...lastOf(turn, answerId, call.id) }, error, signal);
    } finally {
      this.#cancellers.delete(key);
    }
    put(asEnded(turn, { ...run, durationMs: Math.max(0, clock.now() - run.startedAt) }));
  }

  /** @throws ToolError, or anything when the tool has a fault */
  async #perform(job: Job & Running): Promise<ToolRun> {
    const { clock } = this.#ports;
    const { turn, call, tool, signal, put } = job;
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
    const plan = await endsSoon(tool.plan(args, context), signal, clock);
    const planned: ToolRun = {
      ...job.run,
      verb: plan.verb,
      target: cleanLine(plan.target),
      ...(plan.uri === undefined ? {} : { uri: plan.uri }),
    };
    const refusal = await refusalOf(
      { context, call, tool, plan, onWait: () => put({ ...planned, status: 'waiting' }) },
      this.#ports,
    );
    if (refusal !== undefined) return { ...planned, ...refusal };
    if (!(await job.offered()).has(tool.name)) {
      throw new ToolError('unknown-tool', 'The person has switched this tool off.');
    }
    // What it took to decide is not what it takes.
    const running: ToolRun = { ...planned, status: 'running', startedAt: clock.now() };
    put(running);
    const result = await endsSoon(tool.run(args, context), signal, clock);
    if (result.cost !== undefined) job.spent(result.cost);
    // What a stopped tool still tells of what it did is kept.
    const status = signal.aborted ? 'cancelled' : result.failed === true ? 'failed' : 'done';
    return { ...running, ...doneWith(plan, result), status };
  }

  /** How often this very call has failed in the turn, with this time. */
  #countFailure({ turn, call }: Job): number {
    if (this.#failuresOf !== turn.turnId) this.#failures.clear();
    this.#failuresOf = turn.turnId;
    const key = JSON.stringify([call.function.name, call.function.arguments]);
    const times = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, times);
    return times;
  }

  #failed(job: Job, run: ToolRun, error: unknown, signal: AbortSignal): ToolRun {
    if (isClosing(job.turn.signal)) return interruptRun(run);
    if (signal.aborted) {
      // What never began needs no second look.
      const status = run.status === 'waiting' ? 'not-run' : 'cancelled';
      return { ...run, status, output: status === 'not-run' ? notRun : cancelled };
    }
    if (!(error instanceof ToolError))
      this.#ports.logError(`The tool ${job.call.function.name}`, error);
    const words =
      error instanceof ToolError
        ? error.message
        : 'The tool failed. The log of the extension says more.';
    const times = this.#countFailure(job);
    const again = times > 1 ? `\nThis very call has failed ${times} times: do something else.` : '';
    return { ...run, status: 'failed', output: cleanOutput(words) + again };
  }
}

export interface RunOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The names of those that the person still offers: the mode may change while an answer is worked on. */
  readonly offered: () => Promise<ReadonlyMap<string, Tool>>;
  /** Whether the model takes pictures. */
  readonly vision: boolean;
  /** Asked before calls run together; how many they are. */
  readonly mayRun: (count: number) => Promise<boolean>;
  /** Told what a call cost by itself. */
  readonly spent: (cost: Cost) => void;
}

interface Job {
  readonly turn: AgentTurn;
  readonly answerId: string;
  readonly call: RequestedCall;
  readonly tool: Tool | undefined;
  readonly offered: RunOptions['offered'];
  readonly vision: boolean;
  readonly spent: RunOptions['spent'];
}

interface Running {
  readonly signal: AbortSignal;
  readonly run: ToolRun;
  readonly put: (run: ToolRun) => void;
}

const cutOffProblem =
  'The answer was cut off, so this call may not be whole. Nothing was run. Write shorter calls, or fewer at once.';
const overBudget = 'Not run: the person ended the turn because its budget was used up.';

/** The window ends a turn with a failure of its own; a person's Stop names none. */
const isClosing = ({ reason }: AbortSignal): boolean =>
  reason instanceof ServiceError && reason.failure.code === 'interrupted';

/** Says of what was cut that it was not the person who did it. */
function asEnded({ signal }: AgentTurn, run: ToolRun): ToolRun {
  const wasCut = run.status === 'cancelled' || run.status === 'not-run';
  return wasCut && isClosing(signal) ? { ...run, interrupted: true } : run;
}

/** Neighbours that only read are one group; anything else is one alone. */
function groups(jobs: readonly Job[]): Job[][] {
  const all: Job[][] = [];
  for (const job of jobs) {
    const last = all.at(-1);
    const joins =
      job.tool?.kind === 'read' && last?.[0]?.tool?.kind === 'read' && last.length < maxConcurrent;
    if (joins) last.push(job);
    else all.push([job]);
  }
  return all;
}

function doneWith(plan: ToolPlan, result: ToolResult): Partial<ToolRun> {
  return {
    verb: plan.done,
    ...(result.target === undefined ? {} : { target: cleanLine(result.target) }),
    output: cleanOutput(result.output),
    ...(result.images === undefined || result.images.length === 0 ? {} : { images: result.images }),
  };
}

/** What was last told of the call. */
function lastOf({ conversation }: AgentTurn, answerId: string, callId: string): Partial<ToolRun> {
  const answer = conversation.find(answerId);
  return answer?.role === 'assistant'
    ? (answer.toolRuns.find((run) => run.callId === callId) ?? {})
    : {};
}

const keyOf = (answerId: string, callId: string): string => `${answerId} ${callId}`;
