/** Data with which a page announces the wallet, including the name of the function that calls the test process. */
export interface WalletAnnouncement {
  readonly uuid: string;
  readonly name: string;
  readonly icon: string;
  readonly announcementKind: 'eip-6963' | 'legacy';
  readonly binding: string;
}

/**
 * Announces the wallet in a page before the page's scripts run. Runs in the page, so it must not use other code of this
 * module.
 */
export function announceWallet({
  uuid,
  name,
  icon,
  announcementKind,
  binding,
}: WalletAnnouncement): void {
  if (window !== window.top) return;
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const provider = {
    async request({
      method,
      params = [],
    }: {
      method: string;
      params?: unknown[];
    }): Promise<unknown> {
      const call = Reflect.get(globalThis, binding) as (request: unknown) => Promise<{
        result?: unknown;
        error?: { code: number; message: string };
      }>;
      const { result, error } = await call({ method, params });
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    on(event: string, listener: (payload: unknown) => void): void {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event: string, listener: (payload: unknown) => void): void {
      listeners.get(event)?.delete(listener);
    },
  };
  const wallets = (Reflect.get(globalThis, 'testWallets') ?? new Map()) as Map<string, unknown>;
  Reflect.set(globalThis, 'testWallets', wallets);
  wallets.set(uuid, listeners);
  if (announcementKind === 'legacy') {
    Reflect.set(globalThis, 'ethereum', provider);
    return;
  }
  const info = Object.freeze({ uuid, name, icon, rdns: 'example.test.wallet' });
  const announce = (): void => {
    const detail = Object.freeze({ info, provider });
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}

/** Emits an event of the wallet in a page. Runs in the page, so it must not use other code of this module. */
export function emitWalletEvent(walletEvent: {
  uuid: string;
  event: string;
  payload: unknown;
}): void {
  type Listeners = Map<string, Set<(payload: unknown) => void>>;
  const wallets = Reflect.get(globalThis, 'testWallets') as Map<string, Listeners> | undefined;
  const listeners = wallets?.get(walletEvent.uuid)?.get(walletEvent.event) ?? new Set();
  for (const listener of listeners) listener(walletEvent.payload);
}
