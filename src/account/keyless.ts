import type { Connection } from '../service/http/connection.ts';

/** Name of the connection's fact that the server needs no key. */
const keylessFact = 'no-key';

/**
 * Source of the fact that a server needs no key: its list of models, which some servers also show without the key that
 * they need, or the user, who confirmed an empty key.
 */
export type KeylessSource = 'model-list' | 'user';

export const needsNoKey = ({ facts }: Connection): boolean => facts.fields?.[keylessFact] === true;

/** Records that the server answered without a key. After a refusal, only the user can record it again. */
export function recordKeyless(connection: Connection, source: KeylessSource): void {
  const isRefuted = connection.facts.fields?.[keylessFact] === false;
  if (source === 'user' || !isRefuted) connection.learnField(keylessFact, true);
}

/** Records that the server refused a call without a key. */
export const recordKeyNeeded = (connection: Connection): void =>
  connection.learnField(keylessFact, false);

/** Forgets refused fields, except that the server refused a call without a key. */
export function forgetRefusedFields(connection: Connection): void {
  const isRefuted = connection.facts.fields?.[keylessFact] === false;
  connection.forgetRefusals();
  if (isRefuted) recordKeyNeeded(connection);
}
