import { Lazy } from '../../base/lazy.ts';
import { isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { type PrivacyHost } from './privacy-settings.ts';
import type { ServiceContext } from '../../service/http/client.ts';

/**
 * Creates two checks that every request passes before it is sent: `gate` enforces the private-only setting, and
 * `protection` determines how a chat is protected.
 */
export function createPrivacyPorts(
  host: PrivacyHost,
): Required<Pick<ServiceContext, 'gate' | 'protection'>> {
  const { account, models } = host;
  const encryptionHistory = new Lazy(async () => {
    const { EncryptionHistory } = await import('./model-gate.ts');
    return new EncryptionHistory(account.state, account.service);
  });
  const guards = new Lazy(async () => {
    const { ChatGuards } = await import('./chat-guards.ts');
    return new ChatGuards(host, await encryptionHistory.get());
  });
  // Records the models that offer encryption from each list, even if no chat uses them.
  models.onDidChange(() => {
    const { allModels } = models;
    if (allModels.length > 0)
      void encryptionHistory
        .get()
        .then((history) => history.addModels(allModels))
        .catch(() => {});
  });
  return {
    gate: {
      authorize: async (modelUse) => {
        if (isPrivateOnly())
          await (await import('./model-gate.ts')).authorizeModel(models, modelUse);
      },
    },
    protection: {
      guard: async (chat, signal) => (await guards.get()).guard(chat, signal),
      reportProtectionFailure: (model) =>
        void guards.get().then((loadedGuards) => loadedGuards.discardAttestations(model)),
    },
  };
}
