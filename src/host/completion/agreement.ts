import type { Memento } from 'vscode';
import type { Profile } from '../../account/profile.ts';

/**
 * To which addresses the person agreed to have code sent. Who never was asked and set the setting by hand has agreed to
 * all of them; who was asked agreed to the address in the question.
 */
export class Agreement {
  readonly #state: Memento;

  constructor(state: Memento) {
    this.#state = state;
  }

  covers({ baseUrl }: Pick<Profile, 'baseUrl'>): boolean {
    const agreed = this.#agreed;
    return agreed.length === 0 || agreed.includes(baseUrl);
  }

  async add({ baseUrl }: Pick<Profile, 'baseUrl'>): Promise<void> {
    await this.#state.update(name, [...new Set([...this.#agreed, baseUrl])].slice(-most));
  }

  /** To be called when the feature is turned off: turning it on by hand is an answer of its own. */
  async forget(): Promise<void> {
    if (this.#agreed.length > 0) await this.#state.update(name, undefined);
  }

  get #agreed(): readonly string[] {
    const kept: unknown = this.#state.get(name);
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  }
}

const name = 'completion.agreedAddresses';
const most = 50;
