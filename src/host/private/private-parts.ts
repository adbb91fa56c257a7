import type { Account } from '../account/account.ts';
import type { ModelCatalogue } from '../models/model-catalogue.ts';

/** What the lock on models and the protection of chats know. */
export interface PrivateParts {
  readonly account: Pick<Account, 'service' | 'state'>;
  readonly models: Pick<ModelCatalogue, 'all' | 'failure' | 'refresh'>;
}
