import type { Memento } from 'vscode';
import type { Profile } from '../../account/profile.ts';
import { omitUndefined, isRecord, numberOr } from '../../base/json.ts';
import { otherEntries } from '../../base/stored-list.ts';
import { isMuchMoreExpensive } from '../model-choice.ts';

type Address = Pick<Profile, 'baseUrl'>;

/** What the person said yes to. */
interface Agreed extends Address {
  /** About what a suggestion cost then, in USD; `undefined` when that was not known. */
  readonly price?: number | undefined;
}

/**
 * To which addresses the person agreed, on this machine, to have code sent, and at about which price. The setting that turns suggestions on may
 * come from another machine, where they answered for other addresses: it says nothing about those in use here.
 */
export class CompletionConsent {
  readonly #state: Pick<Memento, 'get' | 'update'>;
  #wasOn: boolean | undefined;

  constructor(state: Pick<Memento, 'get' | 'update'>) {
    this.#state = state;
  }

  covers(address: Address): boolean {
    return this.#of(address) !== undefined;
  }

  /** Whether suggestions cost far more now than when the person agreed. */
  isTooExpensive(price: number | undefined, address: Address): boolean {
    return isMuchMoreExpensive(price, this.#of(address)?.price);
  }

  async add({ baseUrl, price }: Agreed): Promise<void> {
    const others = otherEntries(
      this.#state.get(name),
      (entry) => readAgreed(entry)?.baseUrl === baseUrl,
    );
    await this.#state.update(name, [...others, omitUndefined({ baseUrl, price })].slice(-most));
  }

  /** Who agreed before a price was known agreed to the first one. */
  async recordPrice(price: number | undefined, address: Address): Promise<void> {
    const agreed = this.#of(address);
    if (agreed === undefined || agreed.price !== undefined || price === undefined) return;
    await this.add({ ...agreed, price });
  }

  /**
   * Follows the setting that turns suggestions on; the first call says where it stands. Who turns it off takes back all
   * they agreed to. Who then turns it on by hand agrees to the address in use, and to no other.
   * @param inUse `undefined` when nobody is signed in: then there is nothing to agree to
   */
  async followSetting(isOn: boolean, inUse: Agreed | undefined): Promise<void> {
    const wasOn = this.#wasOn ?? isOn;
    this.#wasOn = isOn;
    // Only what changes is an answer: other settings change while a question is being answered.
    if (wasOn === isOn) return;
    if (!isOn) await this.#state.update(name, undefined);
    else if (inUse !== undefined && this.#agreed.length === 0) await this.add(inUse);
  }

  #of({ baseUrl }: Address): Agreed | undefined {
    return this.#agreed.find((each) => each.baseUrl === baseUrl);
  }

  get #agreed(): readonly Agreed[] {
    const kept: unknown = this.#state.get(name);
    return Array.isArray(kept) ? kept.flatMap((each) => readAgreed(each) ?? []) : [];
  }
}

const name = 'completion.agreedAddresses';
const most = 50;

function readAgreed(kept: unknown): Agreed | undefined {
  if (!isRecord(kept)) return undefined;
  const { baseUrl, price } = kept;
  if (typeof baseUrl !== 'string') return undefined;
  return omitUndefined({ baseUrl, price: numberOr(price, undefined) });
}
