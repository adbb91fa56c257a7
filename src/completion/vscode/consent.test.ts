import { expect, test } from 'vitest';
import { CompletionConsent } from './consent.ts';

const currentService = { baseUrl: 'https://here.test/v1' };
const unrelatedService = { baseUrl: 'https://there.test/v1' };

class MemoryState {
  storedValue: unknown;

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is the editor's
  get<T>(): T | undefined {
    return this.storedValue as T | undefined;
  }

  async update(_name: string, value: unknown): Promise<void> {
    this.storedValue = value;
  }
}

const getConsentStates = (consent: CompletionConsent): boolean[] =>
  [currentService, unrelatedService].map((service) => consent.hasConsent(service));

test.each([[undefined], ['x'], [[]], [{}], [[5, null, {}]], [[{ baseUrl: 5 }]]])(
  'CompletionConsent finds no consent in the invalid stored value %j',
  (storedValue) => {
    const state = new MemoryState();
    state.storedValue = storedValue;
    expect(getConsentStates(new CompletionConsent(state))).toEqual([false, false]);
  },
);

test('CompletionConsent applies a stored consent only to the service to which the user gave the consent', async () => {
  const state = new MemoryState();
  await new CompletionConsent(state).add(currentService);
  expect(getConsentStates(new CompletionConsent(state))).toEqual([true, false]);
});

test('CompletionConsent does not treat a setting that is on from the start as consent', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.applySetting(true, currentService);
  await consent.applySetting(true, currentService);
  expect(getConsentStates(consent)).toEqual([false, false]);
});

test('CompletionConsent records consent to only the current service when the user turns on inline suggestions', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.applySetting(false, currentService);
  await consent.applySetting(true, currentService);
  expect(getConsentStates(consent)).toEqual([true, false]);
});

test('CompletionConsent records no consent if no service is set up or the user has already consented to another service', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.applySetting(false, undefined);
  await consent.applySetting(true, undefined);
  expect(getConsentStates(consent)).toEqual([false, false]);
  const otherConsent = new CompletionConsent(new MemoryState());
  await otherConsent.applySetting(false, currentService);
  await otherConsent.add(unrelatedService);
  await otherConsent.applySetting(true, currentService);
  expect(getConsentStates(otherConsent)).toEqual([false, true]);
});

test('CompletionConsent revokes all consent when the user turns off inline suggestions', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.applySetting(true, currentService);
  await consent.add(currentService);
  await consent.add(unrelatedService);
  await consent.applySetting(false, currentService);
  expect(getConsentStates(consent)).toEqual([false, false]);
});

test('CompletionConsent keeps a consent that the user gave before the user turned on inline suggestions', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.applySetting(false, currentService);
  await consent.add(currentService);
  await consent.applySetting(false, currentService);
  await consent.applySetting(true, currentService);
  expect(getConsentStates(consent)).toEqual([true, false]);
});

test('CompletionConsent stores the consent for the latest 50 services', async () => {
  const state = new MemoryState();
  const consent = new CompletionConsent(state);
  await consent.add(unrelatedService);
  await consent.add(currentService);
  await consent.add(unrelatedService);
  for (let index = 0; index < 49; index += 1) await consent.add({ baseUrl: String(index) });
  expect(state.storedValue).toHaveLength(50);
  expect(getConsentStates(consent)).toEqual([false, true]);
});

test('CompletionConsent reports a price above twice the consented price as too expensive, until the user consents again', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.add({ ...currentService, price: 0.01 });
  await consent.add({ ...unrelatedService, price: 1 });
  expect(
    [0.02, 0.03, undefined].map((price) => consent.isTooExpensive(price, currentService)),
  ).toEqual([false, true, false]);
  expect(consent.isTooExpensive(0.03, unrelatedService)).toBe(false);
  await consent.add({ ...currentService, price: 0.03 });
  expect(consent.isTooExpensive(0.03, currentService)).toBe(false);
});

test('CompletionConsent adds the first known price to a consent without a price', async () => {
  const consent = new CompletionConsent(new MemoryState());
  await consent.recordPrice(0.01, currentService);
  expect(consent.hasConsent(currentService)).toBe(false);
  await consent.add(currentService);
  for (const price of [undefined, 0.01, 5]) await consent.recordPrice(price, currentService);
  expect([0.02, 0.03].map((price) => consent.isTooExpensive(price, currentService))).toEqual([
    false,
    true,
  ]);
});
