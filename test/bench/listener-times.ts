import * as vscode from 'vscode';
import { Stopwatch } from './stopwatch.ts';

/**
 * Measures the listeners for document changes and cursor moves that are registered before {@link stopTiming} is called.
 */
export class ListenerTimes {
  /**
   * Processor time of each listener call in milliseconds, by the event and by the class that registered the listener.
   */
  readonly timesByListener: Record<string, number[]> = {};
  #sumMs = 0;
  readonly #undoCallbacks: (() => void)[] = [];

  constructor() {
    this.#timeEvent(vscode.workspace, 'onDidChangeTextDocument');
    this.#timeEvent(vscode.window, 'onDidChangeTextEditorSelection');
  }

  /** Returns the total processor time of listener calls since the last call of this method, in milliseconds. */
  takeSumMs(): number {
    const sumMs = this.#sumMs;
    this.#sumMs = 0;
    return sumMs;
  }

  /**
   * Ends the measurement for listeners that are registered later. Listeners that are already registered are still
   * measured.
   */
  stopTiming(): void {
    for (const undo of this.#undoCallbacks) undo();
  }

  #timeEvent<Name extends string>(
    owner: Readonly<Record<Name, vscode.Event<unknown>>>,
    name: Name,
  ): void {
    const event = owner[name];
    const timedEvent: vscode.Event<unknown> = (listener, ...rest) => {
      const listenerName = `${name} ${findListener(new Error('To see who listens.'))}`;
      const timedListener: typeof listener = (value) => {
        const watch = new Stopwatch();
        listener(value);
        this.#add(listenerName, watch.ms);
      };
      return event(timedListener, ...rest);
    };
    Object.assign(owner, { [name]: timedEvent });
    this.#undoCallbacks.push(() => Object.assign(owner, { [name]: event }));
  }

  #add(listenerName: string, ms: number): void {
    this.#sumMs += ms;
    (this.timesByListener[listenerName] ??= []).push(ms);
  }
}

function findListener({ stack = '' }: Error): string {
  const constructorNames = [...stack.matchAll(/new _?(\w+)/gu)].map(([, name]) => name);
  return constructorNames.slice(0, 2).join(' of ') || 'the probe';
}
