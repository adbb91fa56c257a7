import * as vscode from 'vscode';

export type KeyRetention = 'kept' | 'forgotten' | 'unsure';

const stateName = 'keysForgotten';

/**
 * Whether keys survive a restart of the editor here. No API tells, so it is learnt: a key that was stored in an
 * earlier session and is gone proves that they do not, one that is still there proves that they do.
 */
export class KeyMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get retention(): KeyRetention {
    const forgot = this.#state.get<boolean>(stateName);
    if (forgot === undefined) return expectation();
    return forgot ? 'forgotten' : 'kept';
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

/** In a browser the server decides; a local Linux desktop without a session bus has no keyring. */
function expectation(): KeyRetention {
  if (vscode.env.uiKind === vscode.UIKind.Web) return 'unsure';
  const isLocalLinux = process.platform === 'linux' && vscode.env.remoteName === undefined;
  return isLocalLinux && !process.env['DBUS_SESSION_BUS_ADDRESS'] ? 'forgotten' : 'kept';
}
