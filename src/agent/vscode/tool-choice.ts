import type * as vscode from 'vscode';
import type { Tool } from '../tool.ts';
import { isRecord } from '../../base/json.ts';

const key = 'agent.tools';

/** Which tools the person switched on or off. Kept for all windows; nothing in a workspace can change it. */
export class ToolChoice {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The names of those of `tools` that models do not get. */
  off(tools: readonly Tool[]): ReadonlySet<string> {
    const { on, off } = this.#kept();
    const isOff = ({ name, optIn = false }: Tool): boolean =>
      off.has(name) || (optIn && !on.has(name));
    return new Set(tools.filter(isOff).map(({ name }) => name));
  }

  /** Sets what is on of `tools`; what was said of others stays. */
  async choose(tools: readonly Tool[], chosen: ReadonlySet<string>): Promise<void> {
    const { on, off } = this.#kept();
    for (const { name } of tools) {
      (chosen.has(name) ? on : off).add(name);
      (chosen.has(name) ? off : on).delete(name);
    }
    await this.#state.update(key, { on: [...on], off: [...off] });
  }

  #kept(): { on: Set<string>; off: Set<string> } {
    const kept: unknown = this.#state.get(key);
    const names = (value: unknown): Set<string> =>
      new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
    return isRecord(kept)
      ? { on: names(kept['on']), off: names(kept['off']) }
      : { on: new Set(), off: new Set() };
  }
}
