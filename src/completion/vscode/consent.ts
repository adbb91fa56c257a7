import type { Memento } from 'vscode';
import type { Profile } from '../../account/profile.ts';
import { omitUndefined, isRecord, numberOr } from '../../base/json.ts';
import { listOtherEntries } from '../../base/stored-list.ts';
import { isMuchMoreExpensive } from '../model-choice.ts';

type ServiceAddress = Pick<Profile, 'baseUrl'>;

/** Consent for one service. */
interface ServiceConsent extends ServiceAddress {
  /** Estimated price of a suggestion in USD at that time; `undefined` when unknown. */
  readonly price?: number | undefined;
}

/**
 * Services that the user allowed, on this machine, to receive code, with the price at that time. The setting that
 * turns suggestions on may be synced from another machine with other services, so it does not count as
 * consent.
 */
export class CompletionConsent {
  readonly #state: Pick<Memento, 'get' | 'update'>;
  #wasOn: boolean | undefined;

  constructor(state: Pick<Memento, 'get' | 'update'>) {
    this.#state = state;
  }

  covers(address: ServiceAddress): boolean {
    return this.#find(address) !== undefined;
  }

  /** Checks whether suggestions cost more than twice the price at the time of consent. */
  isTooExpensive(price: number | undefined, address: ServiceAddress): boolean {
    return isMuchMoreExpensive(price, this.#find(address)?.price);
  }

  async add({ baseUrl, price }: ServiceConsent): Promise<void> {
    const others = listOtherEntries(
      this.#state.get(storageKey),
      (entry) => readConsent(entry)?.baseUrl === baseUrl,
    );
    await this.#state.update(
      storageKey,
      [...others, omitUndefined({ baseUrl, price })].slice(-maxServices),
    );
  }

  /** Records the first known price for a consent without a price. */
  async recordPrice(price: number | undefined, address: ServiceAddress): Promise<void> {
    const consent = this.#find(address);
    if (consent === undefined || consent.price !== undefined || price === undefined) return;
    await this.add({ ...consent, price });
  }

  /**
   * Applies a change of the setting that turns suggestions on. The first call sets the initial state. Turning it
   * off revokes all consent. Turning it on by hand consents to the current service only.
   * @param inUse current service; `undefined` when signed out
   */
  async applySetting(isOn: boolean, currentService: ServiceConsent | undefined): Promise<void> {
    const wasOn = this.#wasOn ?? isOn;
    this.#wasOn = isOn;
    // Ignores calls without a change of the setting, which other settings cause.
    if (wasOn === isOn) return;
    if (!isOn) await this.#state.update(storageKey, undefined);
    else if (currentService !== undefined && this.#stored.length === 0)
      await this.add(currentService);
  }

  #find({ baseUrl }: ServiceAddress): ServiceConsent | undefined {
    return this.#stored.find((consent) => consent.baseUrl === baseUrl);
  }

  get #stored(): readonly ServiceConsent[] {
    const stored: unknown = this.#state.get(storageKey);
    return Array.isArray(stored) ? stored.flatMap((entry) => readConsent(entry) ?? []) : [];
  }
}

const storageKey = 'completion.agreedAddresses';
const maxServices = 50;

function readConsent(stored: unknown): ServiceConsent | undefined {
  if (!isRecord(stored)) return undefined;
  const { baseUrl, price } = stored;
  if (typeof baseUrl !== 'string') return undefined;
  return omitUndefined({ baseUrl, price: numberOr(price, undefined) });
}
