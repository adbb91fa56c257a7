import * as vscode from 'vscode';

const stateName = 'keysForgotten';

/**
 * Whether keys survive a restart of the editor here. No API tells, so it is learnt: a key that was stored in an
 * earlier session and is gone proves that they do not, one that is still there proves that they do.
 * Until then a local Linux desktop without a session bus is known to have no keyring.
 */
export class KeyRetention {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get keepsKeys(): boolean {
    const forgot = this.#state.get<boolean>(stateName);
    return forgot === undefined ? !hasNoKeyring() : !forgot;
  }

  /** @param storedIn The editor session that stored the key; @param found whether storage still has it. */
  async learn({
    storedIn,
    found,
  }: {
    storedIn: string | undefined;
    found: boolean;
  }): Promise<void> {
    if (storedIn === undefined || storedIn === vscode.env.sessionId) return;
    if (this.#state.get(stateName) !== !found) await this.#state.update(stateName, !found);
  }
}

const hasNoKeyring = (): boolean =>
  process.platform === 'linux' &&
  vscode.env.remoteName === undefined &&
  vscode.env.uiKind === vscode.UIKind.Desktop &&
  process.env['DBUS_SESSION_BUS_ADDRESS'] === undefined;
