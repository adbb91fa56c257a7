import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { Connection, readConnectionFacts } from '../../service/http/connection.ts';

const stateKey = 'service.connections';
/** Maximum number of deployments to remember. */
const maxConnections = 30;

/** Keeps what replies have shown about each deployment, by base URL, across sessions. */
export class Connections {
  readonly #state: vscode.Memento;
  readonly #byUrl = new Map<string, Connection>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get(baseUrl: URL): Connection {
    const { href } = baseUrl;
    const existing = this.#byUrl.get(href);
    if (existing !== undefined) return existing;
    const connection = new Connection(readConnectionFacts(this.#stored()[href]), (facts) => {
      const { [href]: _, ...others } = this.#stored();
      const kept = Object.entries(others).slice(1 - maxConnections);
      void this.#state.update(stateKey, { ...Object.fromEntries(kept), [href]: facts });
    });
    this.#byUrl.set(href, connection);
    return connection;
  }

  /** Forgets the fields that any service has refused, so that later requests try them again. */
  forgetRefusedFields(): void {
    const addresses = new Set([...Object.keys(this.#stored()), ...this.#byUrl.keys()]);
    for (const href of addresses)
      if (URL.canParse(href)) forgetRefusedFields(this.get(new URL(href)));
  }

  #stored(): Record<string, unknown> {
    const stored = this.#state.get(stateKey);
    return isRecord(stored) ? stored : {};
  }
}

/** Name of the connection's fact that the server needs no key. */
const keylessFact = 'no-key';

/**
 * Source of the fact that a server needs no key: its list of models, which some servers also show without the key that
 * they need, or the user, who confirmed an empty key.
 */
export type KeylessSource = 'model-list' | 'user';

export const needsNoKey = ({ facts }: Connection): boolean => facts.fields?.[keylessFact] === true;

/** Records that the server answered without a key. After a refusal, only the user can record it again. */
export function recordNoKeyNeeded(connection: Connection, source: KeylessSource): void {
  const isRefuted = connection.facts.fields?.[keylessFact] === false;
  if (source === 'user' || !isRefuted) connection.recordField(keylessFact, true);
}

/** Records that the server refused a call without a key. */
export const recordKeyNeeded = (connection: Connection): void =>
  connection.recordField(keylessFact, false);

/** Forgets refused fields, except that the server refused a call without a key. */
function forgetRefusedFields(connection: Connection): void {
  const isRefuted = connection.facts.fields?.[keylessFact] === false;
  connection.clearRefusals();
  if (isRefuted) recordKeyNeeded(connection);
}
