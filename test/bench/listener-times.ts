import * as vscode from 'vscode';
import { Stopwatch } from './stopwatch.ts';

/**
 * Times all listeners for document changes and cursor moves, registered until {@link areAllThere}.
 */
export class ListenerTimes {
  /** Milliseconds per call, by class of the listener. */
  readonly all: Record<string, number[]> = {};
  #sum = 0;
  readonly #undo: (() => void)[] = [];

  constructor() {
    this.#time(vscode.workspace, 'onDidChangeTextDocument');
    this.#time(vscode.window, 'onDidChangeTextEditorSelection');
  }

  /** Returns the milliseconds of all listeners since the last call. */
  takeSum(): number {
    const sum = this.#sum;
    this.#sum = 0;
    return sum;
  }

  /** Ends the timing of newly registered listeners. */
  areAllThere(): void {
    for (const undo of this.#undo) undo();
  }

  #time<Name extends string>(
    owner: Readonly<Record<Name, vscode.Event<unknown>>>,
    name: Name,
  ): void {
    const event = owner[name];
    const timed: vscode.Event<unknown> = (listener, ...rest) => {
      const who = `${name} ${listenerOf(new Error('To see who listens.'))}`;
      const told: typeof listener = (value) => {
        const watch = new Stopwatch();
        listener(value);
        this.#add(who, watch.ms);
      };
      return event(told, ...rest);
    };
    Object.assign(owner, { [name]: timed });
    this.#undo.push(() => Object.assign(owner, { [name]: event }));
  }

  #add(who: string, ms: number): void {
    this.#sum += ms;
    (this.all[who] ??= []).push(ms);
  }
}

function listenerOf({ stack = '' }: Error): string {
  const makers = [...stack.matchAll(/new _?(\w+)/gu)].map(([, name]) => name);
  return makers.slice(0, 2).join(' of ') || 'the probe';
}
