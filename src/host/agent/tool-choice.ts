import type * as vscode from 'vscode';

const key = 'agent.toolsOff';

/** Which tools the person switched off. Kept for all windows; nothing in a workspace can change it. */
export class ToolChoice {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get off(): ReadonlySet<string> {
    const names: unknown = this.#state.get(key);
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
  }

  async switchOff(names: Iterable<string>): Promise<void> {
    await this.#state.update(key, [...names]);
  }
}
