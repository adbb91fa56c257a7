import * as vscode from 'vscode';
import type { Log } from '../../../platform/log.ts';
import type { UnreviewedEdit } from '../../permissions/permission-rules.ts';
import type { TurnRecord } from '../turn-record.ts';
import { TurnState } from '../turn-state.ts';
import type { CheckpointFiles, CheckpointJournal } from './checkpoint-files.ts';

export interface UnreviewedEditsPorts {
  readonly checkpoints: Pick<CheckpointFiles, 'listConversationIds' | 'listJournals' | 'readTurn'>;
  readonly log: Pick<Log, 'error'>;
  /** Returns the display path of a file; undefined if it is outside the open folders. */
  readonly formatUri: (uri: string) => string | undefined;
}

/**
 * Lists the edits that wait for the user's review, from all turns of all chats. Reads the stored journals, so that
 * edits and reviews in other windows count too. Reads only journals that changed since the last call.
 */
export class UnreviewedEdits {
  readonly #ports: UnreviewedEditsPorts;
  #journals: ReadonlyMap<string, ReadJournal> = new Map();

  constructor(ports: UnreviewedEditsPorts) {
    this.#ports = ports;
  }

  /**
   * Lists the edits. For each unreadable chat or turn, logs an error and includes one entry, because it may contain
   * edits.
   */
  async list(): Promise<readonly UnreviewedEdit[]> {
    const { checkpoints, formatUri } = this.#ports;
    const journals = new Map<string, ReadJournal>();
    const unreadableIds = new Set<string>();
    for (const id of await checkpoints.listConversationIds()) {
      const stored = await this.#tryReading(() => checkpoints.listJournals(id));
      if (stored === undefined) unreadableIds.add(id);
      for (const journal of stored ?? []) {
        const read = await this.#tryReading(() => this.#readJournal(id, journal));
        if (read === undefined) unreadableIds.add(id);
        else journals.set(createJournalKey(id, journal), read);
      }
    }
    this.#journals = journals;
    const edits = [...journals.values()].flatMap((journal) => journal.edits);
    const readEdits = edits.flatMap(({ uri, blob }) => {
      const label = formatUri(uri);
      return label === undefined ? [] : [{ key: `${uri} ${blob}`, label }];
    });
    const unreadableLabel = vscode.l10n.t('edits of a chat that cannot be read');
    return [
      ...readEdits,
      ...[...unreadableIds].map((id) => ({ key: `unreadable ${id}`, label: unreadableLabel })),
    ];
  }

  async #readJournal(conversationId: string, journal: CheckpointJournal): Promise<ReadJournal> {
    const { turnId, size, modifiedAt } = journal;
    const earlier = this.#journals.get(createJournalKey(conversationId, journal));
    if (earlier?.size === size && earlier.modifiedAt === modifiedAt) return earlier;
    const records = await this.#ports.checkpoints.readTurn(conversationId, turnId);
    if (records?.some(({ type }) => type === 'damage'))
      throw new Error('The record of a turn is damaged.');
    return { size, modifiedAt, edits: listPendingEdits(records ?? []) };
  }

  async #tryReading<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#ports.log.error('Could not read the changes of a chat', error);
      return undefined;
    }
  }
}

interface ReadJournal extends Pick<CheckpointJournal, 'size' | 'modifiedAt'> {
  readonly edits: readonly PendingEdit[];
}

interface PendingEdit {
  readonly uri: string;
  /** Hash of the file's content after the edit. */
  readonly blob: string;
}

const createJournalKey = (conversationId: string, { turnId }: CheckpointJournal): string =>
  `${conversationId}/${turnId}`;

function listPendingEdits(records: readonly TurnRecord[]): readonly PendingEdit[] {
  const state = new TurnState(records);
  if (state.isUndone) return [];
  return state.changedIndexes.flatMap((index) => {
    const file = state.files[index];
    if (file?.after == null || file.review !== 'pending') return [];
    return [{ uri: file.after.uri, blob: file.after.kept.blob }];
  });
}
