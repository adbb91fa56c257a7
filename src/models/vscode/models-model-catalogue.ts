import type { Event } from '../../base/event.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';

/** The service's models for the active profile: from memory, from disk, refreshed in the background. */
export interface ModelCatalogue {
  /** Those that may be used, of all types, as last known; empty before the first answer. */
  readonly models: readonly Model[];
  /** With those that the lock on private models keeps away. */
  readonly all: readonly Model[];
  /** Whether the lock is on. */
  readonly privateOnly: boolean;
  /** Why the list may be old, in one sentence; `undefined` when it is fresh. */
  readonly stale: string | undefined;
  /** Why the last refresh failed; `undefined` when it did not. */
  readonly failure: ServiceFailure | undefined;
  readonly loading: boolean;
  readonly onDidChange: Event<void>;
  /** Loads from disk at once and from the service when older than some minutes, or when `force` is set. Never throws. */
  refresh(options?: { force?: boolean }): Promise<void>;
  /** Among all. */
  find(id: string): Model | undefined;
  /**
   * The chat model: the one chosen in this window, else what the setting names by id or trait, else the one chosen
   * last, else the service's default; `undefined` when there are none. A chosen model that is gone is passed over.
   */
  readonly chatModel: Model | undefined;
  /** What was chosen for chats, by id or trait, whether it is known or not; `undefined` when nothing ever was. */
  readonly chosenName: string | undefined;
  selectChatModel(id: string): Promise<void>;
}
