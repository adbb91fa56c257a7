import type { Memento } from 'vscode';
import type { Profile } from '../../account/profile.ts';
import { omitUndefined, isRecord, readNumberOr, listRetainedEntries } from '../../base/json.ts';
import { isMuchMoreExpensive } from '../model-choice.ts';

type ServiceProfile = Pick<Profile, 'baseUrl'>;

/** Consent to send code to one service. */
interface ServiceConsent extends ServiceProfile {
  /** Estimated price of a suggestion in USD when the user consented; `undefined` if unknown. */
  readonly price?: number | undefined;
}

/**
 * Stores the services to which the user consented to send code on this machine, and the price of a suggestion at that
 * time. The setting that turns suggestions on is not sufficient, because it may be synced from another machine that
 * uses another service.
 */
export class CompletionConsent {
  readonly #state: Pick<Memento, 'get' | 'update'>;
  #wasOn: boolean | undefined;

  constructor(state: Pick<Memento, 'get' | 'update'>) {
    this.#state = state;
  }

  hasConsent(service: ServiceProfile): boolean {
    return this.#findConsent(service) !== undefined;
  }

  /**
   * Checks whether a suggestion costs more than twice the price that the user consented to. Returns false if a price is
   * unknown.
   */
  isTooExpensive(price: number | undefined, service: ServiceProfile): boolean {
    return isMuchMoreExpensive(price, this.#findConsent(service)?.price);
  }

  async add({ baseUrl, price }: ServiceConsent): Promise<void> {
    const otherConsents = listRetainedEntries(
      this.#state.get(storageKey),
      (entry) => readConsent(entry)?.baseUrl === baseUrl,
    );
    await this.#state.update(
      storageKey,
      [...otherConsents, omitUndefined({ baseUrl, price })].slice(-maxServices),
    );
  }

  /** Adds the price to a consent that was given while the price was unknown. */
  async recordPrice(price: number | undefined, service: ServiceProfile): Promise<void> {
    const consent = this.#findConsent(service);
    if (consent === undefined || consent.price !== undefined || price === undefined) return;
    await this.add({ ...consent, price });
  }

  /**
   * Updates the consent after a change of the setting that turns suggestions on. The first call only stores the value
   * of the setting. Turning suggestions off revokes all consent. Turning suggestions on adds consent for the current
   * service, unless consent for a service exists.
   * @param currentService the service in use; `undefined` if the user is signed out
   */
  async applySetting(isOn: boolean, currentService: ServiceConsent | undefined): Promise<void> {
    const wasOn = this.#wasOn ?? isOn;
    this.#wasOn = isOn;
    // Ignore changes of other settings.
    if (wasOn === isOn) return;
    if (!isOn) await this.#state.update(storageKey, undefined);
    else if (currentService !== undefined && this.#storedConsents.length === 0)
      await this.add(currentService);
  }

  #findConsent({ baseUrl }: ServiceProfile): ServiceConsent | undefined {
    return this.#storedConsents.find((consent) => consent.baseUrl === baseUrl);
  }

  get #storedConsents(): readonly ServiceConsent[] {
    const storedValue: unknown = this.#state.get(storageKey);
    return Array.isArray(storedValue)
      ? storedValue.flatMap((entry) => readConsent(entry) ?? [])
      : [];
  }
}

const storageKey = 'completion.agreedAddresses';
const maxServices = 50;

function readConsent(storedValue: unknown): ServiceConsent | undefined {
  if (!isRecord(storedValue)) return undefined;
  const { baseUrl, price } = storedValue;
  if (typeof baseUrl !== 'string') return undefined;
  return omitUndefined({ baseUrl, price: readNumberOr(price, undefined) });
}
