import { isRecord, type Json, type JsonRecord } from '../../../src/base/json.ts';
import type { ChatBody } from './body.ts';
import { lastUserText } from './messages.ts';
import type { AnswerFragment } from './split-answer.ts';
import { tokenize } from './tokens.ts';

/**
 * What the next fitting chat request is answered with, word for word. Scripts wait in a queue: a request takes the
 * first that fits it, so the rounds of an agent are scripts one after the other.
 */
export interface Script extends ScriptMatch {
  /** Answers this many requests; 1 when absent. */
  readonly times?: number;
  readonly steps: readonly ScriptStep[];
  /**
   * `tool_calls` when a step has a call, else `stop`, when absent. Any text is sent as it is; `null` ends the reply
   * without saying why, as a connection does that was cut.
   */
  readonly finishReason?: string | null;
  /** What the web is said to have told, whatever its shape; one search is billed. */
  readonly citations?: readonly Json[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens?: number;
  };
}

/** All that is given must fit. */
export interface ScriptMatch {
  /** As the request names it. */
  readonly model?: string;
  /** The id or the name of a call whose result came with this request: it stands after the last answer. */
  readonly afterResultOf?: string;
  /** A part of the last message in the role of the user. */
  readonly userSays?: string;
  /** Whether tools were sent. */
  readonly withTools?: boolean;
}

export type ScriptStep =
  | { readonly content: string }
  | { readonly reasoning: string }
  /** A piece of a call. Every part is sent as it is, of whatever type; what is absent is not sent. */
  | { readonly toolCall: ToolCallDelta }
  /** Several pieces in one delta. */
  | { readonly toolCalls: readonly ToolCallDelta[] }
  /** A whole call as models write one: id and name, then the arguments in small pieces. Its index is the next. */
  | { readonly call: ScriptedCall }
  /** A delta as it is, with whatever it holds. */
  | { readonly delta: Json }
  /** Bytes of the stream as they are, also such as are no JSON, e.g. `data: {"index":NaN}\n\n`. */
  | { readonly raw: string }
  /** Milliseconds. */
  | { readonly wait: number }
  /** Nothing more is sent until this name is released. */
  | { readonly hold: string }
  /** Ends the stream with this object as its error. */
  | { readonly error: JsonRecord }
  /** The stream ends here without `[DONE]`: `end` as if that were all, `reset` with its connection. */
  | { readonly cut: 'end' | 'reset' };

export interface ToolCallDelta {
  readonly index?: Json;
  readonly id?: Json;
  /** `function` beside an id when absent. */
  readonly type?: Json;
  readonly name?: Json;
  readonly arguments?: Json;
}

export interface ScriptedCall {
  readonly name: string;
  /** JSON text, or the value it says. */
  readonly arguments: Json;
  /** `call_1`, `call_2`, … when absent. */
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

/** @throws TypeError for what is no script, so that a slip in a test is not taken for a silent model */
export function requireScript(value: unknown): asserts value is Script {
  const steps = isRecord(value) ? value['steps'] : undefined;
  if (!Array.isArray(steps)) throw new TypeError('A script needs steps');
  for (const step of steps as unknown[]) {
    const keys = isRecord(step) ? Object.keys(step) : [];
    if (keys.length === 1 && stepKinds.includes(keys[0]!)) continue;
    throw new TypeError(`Not a step of a script: ${JSON.stringify(step).slice(0, 200)}`);
  }
}

/** The scripted replies still to give, and the names that hold them. */
export class Scripts {
  #queue: { readonly script: Script; left: number }[] = [];
  readonly #released = new Set<string>();
  readonly #held = new Map<string, (() => void)[]>();

  /** How many replies are still to be given. */
  get remaining(): number {
    return this.#queue.reduce((sum, { left }) => sum + left, 0);
  }

  reset(): void {
    this.#queue = [];
    for (const name of this.#held.keys()) this.release(name);
    this.#released.clear();
  }

  add(script: Script): void {
    this.#queue.push({ script, left: script.times ?? 1 });
  }

  /** The first script that fits the request, which uses it up once. */
  take(body: ChatBody): Script | undefined {
    const entry = this.#queue.find(({ script }) => matchesScript(script, body));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queue = this.#queue.filter((each) => each !== entry);
    return entry.script;
  }

  /** Lets everything held under the name go on, now and later. */
  release(name: string): void {
    this.#released.add(name);
    for (const resume of this.#held.get(name) ?? []) resume();
    this.#held.delete(name);
  }

  /** Resolves when the name is released or the signal aborted. */
  async waitForRelease(name: string, signal: AbortSignal): Promise<void> {
    if (this.#released.has(name) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#held.set(name, [...(this.#held.get(name) ?? []), resolve]);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

function matchesScript(
  { model, afterResultOf, userSays, withTools }: ScriptMatch,
  body: ChatBody,
): boolean {
  if (model !== undefined && model !== body.model) return false;
  if (withTools !== undefined && withTools !== Boolean(body.tools?.length)) return false;
  if (userSays !== undefined && !lastUserText(body).includes(userSays)) return false;
  return afterResultOf === undefined || newResultIds(body).has(afterResultOf);
}

/** Ids and names of the calls that were answered since the last answer of the model. */
function newResultIds({ messages }: ChatBody): ReadonlySet<string> {
  const start = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[start];
  if (last?.role !== 'assistant') return new Set();
  const answered = new Set(
    messages.slice(start).flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : [])),
  );
  const calls = (last.tool_calls ?? []).filter(({ id }) => answered.has(id));
  return new Set(calls.flatMap((call) => [call.id, call.function.name]));
}

/** Says the pieces of a script's steps in turn; counts the calls it says whole. */
export class ScriptPlayer {
  #nextIndex = 0;

  /** None for a step that says nothing. */
  fragmentsOf(step: ScriptStep): readonly AnswerFragment[] {
    if ('content' in step) return [{ kind: 'content', text: step.content }];
    if ('reasoning' in step) return [{ kind: 'reasoning', text: step.reasoning }];
    if ('toolCall' in step) return [this.#delta({ tool_calls: [toToolCallDelta(step.toolCall)] })];
    if ('toolCalls' in step)
      return [this.#delta({ tool_calls: step.toolCalls.map(toToolCallDelta) })];
    if ('call' in step) return this.#callFragments(step.call);
    if ('delta' in step) return [this.#delta(step.delta)];
    return 'raw' in step ? [{ kind: 'raw', text: step.raw }] : [];
  }

  #delta(delta: Json): AnswerFragment {
    return { kind: 'delta', delta };
  }

  #callFragments({ name, arguments: args, id }: ScriptedCall): AnswerFragment[] {
    const index = this.#nextIndex++;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const pieces = tokenize(text).map(
      (part) => ({ kind: 'tool-call', index, arguments: part }) as const,
    );
    const first = { kind: 'tool-call', index, id: id ?? `call_${index + 1}`, name } as const;
    return [{ ...first, arguments: '' }, ...pieces];
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

const callSteps = ['toolCall', 'toolCalls', 'call'] as const;

/** `null` for a reply that ends without a reason. */
export function finishReasonOf({ finishReason, steps }: Script): string | null {
  if (finishReason !== undefined) return finishReason;
  return steps.some((step) => callSteps.some((kind) => kind in step)) ? 'tool_calls' : 'stop';
}
