import type { JsonRecord } from '../../../src/base/json.ts';
import type { FinishReason, Piece } from './pieces.ts';

/** What the next fitting chat request is answered with, word for word. */
export interface Script {
  /** Only a request of this model (as the request names it); any when absent. */
  readonly model?: string;
  /** Answers this many requests; 1 when absent. */
  readonly times?: number;
  readonly steps: readonly ScriptStep[];
  /** `tool_calls` when a step has one, else `stop`, when absent. */
  readonly finishReason?: FinishReason;
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens?: number;
  };
}

export type ScriptStep =
  | { readonly content: string }
  | { readonly reasoning: string }
  | {
      readonly toolCall: {
        readonly index: number;
        readonly id?: string;
        readonly name?: string;
        readonly arguments: string;
      };
    }
  /** Milliseconds. */
  | { readonly wait: number }
  /** Nothing more is sent until this name is released. */
  | { readonly hold: string }
  /** Ends the stream with this object as its error. */
  | { readonly error: JsonRecord };

/** The scripted replies still to give, and the names that hold them. */
export class Scripts {
  #waiting: { readonly script: Script; left: number }[] = [];
  readonly #released = new Set<string>();
  readonly #held = new Map<string, (() => void)[]>();

  reset(): void {
    this.#waiting = [];
    for (const name of this.#held.keys()) this.release(name);
    this.#released.clear();
  }

  add(script: Script): void {
    this.#waiting.push({ script, left: script.times ?? 1 });
  }

  /** The script for a request of this model, which uses it up once. */
  take(model: string): Script | undefined {
    const entry = this.#waiting.find(({ script }) => (script.model ?? model) === model);
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#waiting = this.#waiting.filter((each) => each !== entry);
    return entry.script;
  }

  /** Lets everything held under the name go on, now and later. */
  release(name: string): void {
    this.#released.add(name);
    for (const resume of this.#held.get(name) ?? []) resume();
    this.#held.delete(name);
  }

  /** Resolves when the name is released or the signal aborted. */
  async held(name: string, signal: AbortSignal): Promise<void> {
    if (this.#released.has(name) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#held.set(name, [...(this.#held.get(name) ?? []), resolve]);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** The piece a step says, when it says one. */
export function pieceOf(step: ScriptStep): Piece | undefined {
  if ('content' in step) return { kind: 'content', text: step.content };
  if ('reasoning' in step) return { kind: 'reasoning', text: step.reasoning };
  if ('toolCall' in step) return { kind: 'tool-call', ...step.toolCall };
  return undefined;
}

export const finishOf = ({ finishReason, steps }: Script): FinishReason =>
  finishReason ?? (steps.some((step) => 'toolCall' in step) ? 'tool_calls' : 'stop');
