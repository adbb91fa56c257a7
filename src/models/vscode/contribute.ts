import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Host } from '../../host.ts';
import { refreshModels } from './refresh-models.ts';

/** The commands for the catalogue of models. */
export function contributeModels(host: Host): Disposable {
  const owned = new DisposableStore();
  owned.add(
    registerCommand('inferenceService.selectModel', host.log, async () => {
      const { selectModel } = await import('./select-model.ts');
      selectModel(host);
    }),
  );
  owned.add(registerCommand('inferenceService.refreshModels', host.log, () => refreshModels(host)));
  return owned;
}
