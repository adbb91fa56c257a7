import type { Memento } from 'vscode';
import type { Profile } from '../../account/profile.ts';

/** An address is all that is agreed to. */
type Address = Pick<Profile, 'baseUrl'>;

/**
 * To which addresses the person agreed, on this machine, to have code sent. The setting that turns suggestions on may
 * come from another machine, where they answered for other addresses: it says nothing about those in use here.
 */
export class Agreement {
  readonly #state: Pick<Memento, 'get' | 'update'>;
  #wasOn: boolean | undefined;

  constructor(state: Pick<Memento, 'get' | 'update'>) {
    this.#state = state;
  }

  covers({ baseUrl }: Address): boolean {
    return this.#agreed.includes(baseUrl);
  }

  async add({ baseUrl }: Address): Promise<void> {
    const others = this.#agreed.filter((each) => each !== baseUrl);
    await this.#state.update(name, [...others, baseUrl].slice(-most));
  }

  /**
   * Follows the setting that turns suggestions on; the first call says where it stands. Who turns it off takes back all
   * they agreed to. Who then turns it on by hand agrees to the address in use, and to no other.
   * @param inUse `undefined` when nobody is signed in: then there is nothing to agree to
   */
  async follow(isOn: boolean, inUse: Address | undefined): Promise<void> {
    const wasOn = this.#wasOn ?? isOn;
    this.#wasOn = isOn;
    // Only what changes is an answer: other settings change while a question is being answered.
    if (wasOn === isOn) return;
    if (!isOn) await this.#state.update(name, undefined);
    else if (inUse !== undefined && this.#agreed.length === 0) await this.add(inUse);
  }

  get #agreed(): readonly string[] {
    const kept: unknown = this.#state.get(name);
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  }
}

const name = 'completion.agreedAddresses';
const most = 50;
