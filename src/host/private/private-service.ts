import { Lazy } from '../../base/lazy.ts';
import type { ServiceContext } from '../../service/client.ts';
import type { PrivateParts } from './private-parts.ts';
import { privateOnly } from './privacy-settings.ts';

/** Keeps every request to the lock on private models, and every chat to what its model offers. */
export function privateService(
  parts: PrivateParts,
): Required<Pick<ServiceContext, 'gate' | 'protection'>> {
  const guards = new Lazy(async () => new (await import('./chat-guards.ts')).ChatGuards(parts));
  return {
    gate: {
      admit: async (use) => {
        if (privateOnly()) await (await import('./admit-model.ts')).admitModel(parts.models, use);
      },
    },
    protection: {
      guard: async (chat, signal) => (await guards.get()).guard(chat, signal),
      broken: (model) => void guards.get().then((known) => known.forget(model)),
    },
  };
}
