import { defaultProfileId, type Profile } from '../profile.ts';
import type { BoundKey } from '../key-state.ts';
import { isApiKey } from '../../service/http/endpoint.ts';
import type { Log } from '../../platform/log.ts';
import { keyVariable } from './account-view.ts';

/**
 * The key that the environment gives to the default profile. The environment names no address, so the key belongs to
 * the first one that is configured; a reload binds anew.
 */
export class EnvironmentKey {
  /** Absent when the variable is not set, or holds no key. */
  readonly key: string | undefined;
  #bound: BoundKey | undefined;

  constructor(environment: NodeJS.ProcessEnv, log: Log) {
    const key = environment[keyVariable]?.trim() ?? '';
    if (isApiKey(key)) this.key = key;
    else if (key !== '') log.warn(`${keyVariable} does not hold an API key and is not used.`);
  }

  isFor({ id }: Profile): boolean {
    return id === defaultProfileId && this.key !== undefined;
  }

  /** @param origin Of the profile's address; absent when it has none. */
  of(profile: Profile, origin: string | undefined): BoundKey | undefined {
    if (!this.isFor(profile)) return undefined;
    if (this.key !== undefined && origin !== undefined) this.#bound ??= { origin, key: this.key };
    return this.#bound;
  }
}
