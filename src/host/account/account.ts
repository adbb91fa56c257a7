import type { Event } from '../../base/event.ts';
import type { AccountView } from '../../protocol/view-state.ts';
import type { Endpoint, ServiceContext } from '../../service/client.ts';
import type { ReplyInfo } from '../../service/chat-types.ts';
import type { ServiceFailure } from '../../service/failure.ts';

/** The active profile with its key, and how it is doing. */
export interface Account {
  /** Id of the active profile: its name, or `default`. Stable; used to key caches. */
  readonly profileId: string;
  readonly view: AccountView;
  /** The profile, its key, or its health changed. */
  readonly onDidChange: Event<void>;
  /**
   * Where calls go now, with the key when one is stored for exactly that origin.
   * @throws ServiceError `no-address`, `invalid-address`
   */
  endpoint(): Promise<Endpoint>;
  /** What a finished call says about the account; failures that need the person show in the status. */
  report(outcome: ServiceFailure | ReplyInfo): void;
  readonly service: ServiceContext;
}
