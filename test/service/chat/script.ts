import { isRecord, type Json, type JsonRecord } from '../../../src/base/json.ts';
import type { ChatBody } from './body.ts';
import { getLastUserText } from './messages.ts';
import type { AnswerFragment } from './split-answer.ts';
import { tokenizeText } from './tokens.ts';

/**
 * Scripted reply, sent unchanged. Scripts form a queue, and each chat request takes the first script that matches it. A
 * conversation with tool calls needs one script per request.
 */
export interface Script extends ScriptMatch {
  /** Number of requests that the script answers. Default: 1. */
  readonly times?: number;
  readonly steps: readonly ScriptStep[];
  /**
   * Finish reason, sent unchanged. Default: `tool_calls` if a step contains a call, otherwise `stop`. If null, the
   * reply contains no finish reason.
   */
  readonly finishReason?: string | null;
  /** Web search results, sent unchanged. Can be any JSON values. The reply is charged for one search. */
  readonly citations?: readonly Json[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens?: number;
  };
}

/** Conditions of a script. A request must meet all conditions that are set. */
export interface ScriptMatch {
  /** Model name as written in the request. */
  readonly model?: string;
  /** Id or name of a tool call whose result follows the last assistant message. */
  readonly afterResultOf?: string;
  /** Text that the last user message must contain. */
  readonly userMessage?: string;
  /** True if the request must contain tools, false if it must not. */
  readonly withTools?: boolean;
}

export type ScriptStep =
  | { readonly content: string }
  | { readonly reasoning: string }
  /**
   * Tool call delta. Fields are sent unchanged, so a test can use values of invalid types. Absent fields are omitted.
   */
  | { readonly toolCall: ToolCallDelta }
  /** Several tool call deltas in one chunk. */
  | { readonly toolCalls: readonly ToolCallDelta[] }
  /** Complete tool call at the next unused index. Id and name are sent first, then the arguments in small deltas. */
  | { readonly call: ScriptedCall }
  /** The `delta` of a chunk, sent unchanged. */
  | { readonly delta: Json }
  /** Bytes of the stream, sent unchanged. Can be invalid JSON, such as `data: {"index":NaN}\n\n`. */
  | { readonly raw: string }
  /** Pauses the reply for this number of milliseconds. */
  | { readonly wait: number }
  /** Pauses the reply until the test releases this name with {@link Scripts.releasePause}. */
  | { readonly hold: string }
  /** Ends the stream with this error object as its last event. */
  | { readonly error: JsonRecord }
  /** Ends the stream without `[DONE]`. `end` closes the connection normally, `reset` resets it. */
  | { readonly cut: 'end' | 'reset' };

export interface ToolCallDelta {
  readonly index?: Json;
  readonly id?: Json;
  /** Type of the call. Default: `function` if the delta has an id. */
  readonly type?: Json;
  readonly name?: Json;
  readonly arguments?: Json;
}

export interface ScriptedCall {
  readonly name: string;
  /** Arguments of the call. A string is sent unchanged, another value as JSON text. */
  readonly arguments: Json;
  /** Id of the call. Default: `call_1`, `call_2`, and so on. */
  readonly id?: string;
}

const stepKinds = [
  'content',
  'reasoning',
  'toolCall',
  'toolCalls',
  'call',
  'delta',
  'raw',
  'wait',
  'hold',
  'error',
  'cut',
];

/**
 * Checks that the value is a valid script. Otherwise, a typo in a test would cause an empty answer instead of an error.
 * @throws TypeError if the script is invalid
 */
export function requireScript(value: unknown): asserts value is Script {
  const steps = isRecord(value) ? value['steps'] : undefined;
  if (!Array.isArray(steps)) throw new TypeError('A script needs steps');
  for (const step of steps as unknown[]) {
    const keys = isRecord(step) ? Object.keys(step) : [];
    if (keys.length === 1 && stepKinds.includes(keys[0]!)) continue;
    throw new TypeError(`Not a step of a script: ${JSON.stringify(step).slice(0, 200)}`);
  }
}

/** Queue of scripted replies, and the state of the named pauses at which replies wait for `releasePause`. */
export class Scripts {
  #queue: { readonly script: Script; remainingCount: number }[] = [];
  #hasFreeForm = false;
  readonly #releasedNames = new Set<string>();
  readonly #resumeCallbacks = new Map<string, (() => void)[]>();

  /** Total number of requests that the queued scripts can still answer. */
  get remainingReplyCount(): number {
    return this.#queue.reduce((sum, { remainingCount }) => sum + remainingCount, 0);
  }

  /**
   * True after a test added a script with a finish reason, citations or deltas. These are sent unchanged, so they can
   * violate the specification.
   */
  get hasFreeFormScripts(): boolean {
    return this.#hasFreeForm;
  }

  reset(): void {
    this.#hasFreeForm = false;
    this.#queue = [];
    for (const name of this.#resumeCallbacks.keys()) this.releasePause(name);
    this.#releasedNames.clear();
  }

  addScript(script: Script): void {
    this.#hasFreeForm ||= isFreeForm(script);
    this.#queue.push({ script, remainingCount: script.times ?? 1 });
  }

  /**
   * Returns the first script that matches the request, and counts one use of it. Returns undefined if no script
   * matches.
   */
  takeMatchingScript(body: ChatBody): Script | undefined {
    const entry = this.#queue.find(({ script }) => matchesScript(script, body));
    if (entry === undefined) return undefined;
    entry.remainingCount -= 1;
    if (entry.remainingCount <= 0)
      this.#queue = this.#queue.filter((queuedEntry) => queuedEntry !== entry);
    return entry.script;
  }

  /** Continues all replies that wait at a pause with this name. Later replies do not pause at this name. */
  releasePause(name: string): void {
    this.#releasedNames.add(name);
    for (const resume of this.#resumeCallbacks.get(name) ?? []) resume();
    this.#resumeCallbacks.delete(name);
  }

  /** Resolves when {@link releasePause} is called with this name, or when the signal aborts. */
  async waitForRelease(name: string, signal: AbortSignal): Promise<void> {
    if (this.#releasedNames.has(name) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#resumeCallbacks.set(name, [...(this.#resumeCallbacks.get(name) ?? []), resolve]);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

const freeFormStepKinds = ['toolCall', 'toolCalls', 'delta', 'raw'];

/**
 * Checks whether a script sets a finish reason, citations or deltas. These are sent unchanged, so they can violate the
 * specification.
 */
const isFreeForm = ({ steps, finishReason, citations }: Script): boolean =>
  finishReason !== undefined ||
  citations !== undefined ||
  steps.some((step) => freeFormStepKinds.some((kind) => kind in step));

function matchesScript(
  { model, afterResultOf, userMessage, withTools }: ScriptMatch,
  body: ChatBody,
): boolean {
  if (model !== undefined && model !== body.model) return false;
  if (withTools !== undefined && withTools !== Boolean(body.tools?.length)) return false;
  if (userMessage !== undefined && !getLastUserText(body).includes(userMessage)) return false;
  return afterResultOf === undefined || getNewResultIds(body).has(afterResultOf);
}

/** Returns ids and names of the calls whose results follow the last assistant message. */
function getNewResultIds({ messages }: ChatBody): ReadonlySet<string> {
  const answerIndex = messages.findLastIndex(({ role }) => role === 'assistant');
  const lastAnswer = messages[answerIndex];
  if (lastAnswer?.role !== 'assistant') return new Set();
  const answeredIds = new Set(
    messages
      .slice(answerIndex)
      .flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])),
  );
  const calls = (lastAnswer.tool_calls ?? []).filter(({ id }) => answeredIds.has(id));
  return new Set(calls.flatMap((call) => [call.id, call.function.name]));
}

/** Converts the steps of a script to fragments of an answer. Assigns indexes to complete tool calls. */
export class ScriptPlayer {
  #nextIndex = 0;

  /** Returns the fragments of a step. Returns an empty list for a step that sends nothing. */
  createFragments(step: ScriptStep): readonly AnswerFragment[] {
    if ('content' in step) return [{ kind: 'content', text: step.content }];
    if ('reasoning' in step) return [{ kind: 'reasoning', text: step.reasoning }];
    if ('toolCall' in step)
      return [this.#createDeltaFragment({ tool_calls: [toToolCallDelta(step.toolCall)] })];
    if ('toolCalls' in step)
      return [this.#createDeltaFragment({ tool_calls: step.toolCalls.map(toToolCallDelta) })];
    if ('call' in step) return this.#createCallFragments(step.call);
    if ('delta' in step) return [this.#createDeltaFragment(step.delta)];
    return 'raw' in step ? [{ kind: 'raw', text: step.raw }] : [];
  }

  #createDeltaFragment(delta: Json): AnswerFragment {
    return { kind: 'delta', delta };
  }

  #createCallFragments({ name, arguments: args, id }: ScriptedCall): AnswerFragment[] {
    const index = this.#nextIndex++;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const argumentFragments = tokenizeText(text).map(
      (token) => ({ kind: 'tool-call', index, arguments: token }) as const,
    );
    const firstFragment = {
      kind: 'tool-call',
      index,
      id: id ?? `call_${index + 1}`,
      name,
    } as const;
    return [{ ...firstFragment, arguments: '' }, ...argumentFragments];
  }
}

function toToolCallDelta({ index, id, type, name, arguments: args }: ToolCallDelta): Json {
  const kind = type ?? (id === undefined ? undefined : 'function');
  return {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    ...(kind !== undefined && { type: kind }),
    function: {
      ...(name !== undefined && { name }),
      ...(args !== undefined && { arguments: args }),
    },
  };
}

const callStepKinds = ['toolCall', 'toolCalls', 'call'] as const;

/** Returns the finish reason of a scripted reply; null if the script omits it. */
export function getFinishReason({ finishReason, steps }: Script): string | null {
  if (finishReason !== undefined) return finishReason;
  return steps.some((step) => callStepKinds.some((kind) => kind in step)) ? 'tool_calls' : 'stop';
}
