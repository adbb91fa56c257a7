import { Lazy } from '../../base/lazy.ts';
import { isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { type PrivacyHost } from './privacy-settings.ts';
import type { ServiceContext } from '../../service/http/client.ts';

/** Keeps every request to the lock on private models, and every chat to what its model offers. */
export function createPrivacyPorts(
  parts: PrivacyHost,
): Required<Pick<ServiceContext, 'gate' | 'protection'>> {
  const { account, models } = parts;
  const encrypting = new Lazy(async () => {
    const { EncryptionHistory } = await import('./model-gate.ts');
    return new EncryptionHistory(account.state, account.service);
  });
  const guards = new Lazy(async () => {
    const { ChatGuards } = await import('./chat-guards.ts');
    return new ChatGuards(parts, await encrypting.get());
  });
  // What a list offered counts from then on, whether anybody chats by it or not.
  models.onDidChange(() => {
    const { allModels: all } = models;
    if (all.length > 0)
      void encrypting
        .get()
        .then((known) => known.note(all))
        .catch(() => {});
  });
  return {
    gate: {
      admit: async (use) => {
        if (isPrivateOnly()) await (await import('./model-gate.ts')).authorizeModel(models, use);
      },
    },
    protection: {
      guard: async (chat, signal) => (await guards.get()).guard(chat, signal),
      broken: (model) => void guards.get().then((known) => known.forget(model)),
    },
  };
}
