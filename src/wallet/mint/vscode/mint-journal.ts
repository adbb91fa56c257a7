import * as vscode from 'vscode';
import type { Account } from '../../../account/vscode/account.ts';
import { isRecord } from '../../../base/json.ts';
import { hasNewerVersion } from '../../../base/newer-version.ts';
import { showWithActions, showWarning } from '../../../platform/notifications.ts';
import type { MintEntry, MintJournal } from '../mint.ts';

const entryPrefix = 'mint.';
/**
 * Minimum age in milliseconds at which a request counts as lost. A younger request may still be running in another
 * window.
 */
const minAgeMs = 3 * 60_000;

/** A key request with an unknown outcome. */
export interface LostMint extends MintEntry {
  /** Host and port of the service. */
  readonly host: string;
}

/**
 * Creates a journal of pending key requests in VS Code's state, shared by all windows. Each request
 * has a separate entry.
 */
export const createMintJournal = (state: vscode.Memento, host: string): MintJournal => ({
  storeEntry: async ({ address, tokenHash, time }) =>
    state.update(entryPrefix + tokenHash, { address, time, host }),
  removeEntry: async ({ tokenHash }) => state.update(entryPrefix + tokenHash, undefined),
});

/**
 * Returns the requests that ended in a crash or without a reply. Also removes them, so that the user is informed only
 * once.
 */
export async function takeLostMints(state: vscode.Memento, now: number): Promise<LostMint[]> {
  const lostMints = state
    .keys()
    .filter((name) => name.startsWith(entryPrefix) && !isFromNewerVersion(state.get(name)))
    .flatMap((name) => readEntry(name.slice(entryPrefix.length), state.get(name)))
    .filter(({ time }) => time < now - minAgeMs);
  for (const { tokenHash } of lostMints) await state.update(entryPrefix + tokenHash, undefined);
  return lostMints;
}

/**
 * Checks whether a newer version of the extension stored the entry. Only newer versions add a version number to
 * entries.
 */
const isFromNewerVersion = (value: unknown): boolean => hasNewerVersion(value, 0);

/**
 * Decodes an entry. An unreadable entry gets the time 0, so that it counts as lost and is removed.
 */
function readEntry(tokenHash: string, value: unknown): LostMint[] {
  const { address, time, host } = isRecord(value) ? value : {};
  return [
    {
      tokenHash: tokenHash as LostMint['tokenHash'],
      address: (typeof address === 'string' ? address : '0x') as LostMint['address'],
      time: typeof time === 'number' ? time : 0,
      host: typeof host === 'string' ? host : '',
    },
  ];
}

/**
 * Informs the user about lost key requests, because an unusable key may exist.
 * @param now Milliseconds since the Unix epoch.
 */
export async function reportLostMints({ state }: Account, now: number): Promise<void> {
  for (const { address, time, host } of await takeLostMints(state, now)) {
    const message = vscode.l10n.t(
      'A request for an API key of {0} by {1} on {2} was not completed. If a key was created, it is in the list of keys: revoke it there.',
      host,
      address,
      new Date(time).toLocaleString(vscode.env.language),
    );
    const showKeysAction = {
      label: vscode.l10n.t('Show API Keys'),
      run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
    };
    void showWithActions(showWarning, message, [showKeysAction]);
  }
}
