import { Lazy } from '../../base/lazy.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Contributed } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';

/** The command about enclaves. */
export function contributePrivate(host: Host): Contributed {
  const documents = new Lazy(
    async () => new (await import('./attestation-documents.ts')).AttestationDocuments(),
  );
  const command = registerCommand('inferenceService.showAttestation', host.log, async (...args) => {
    const { showAttestation } = await import('./show-attestation.ts');
    await showAttestation({ host, documents: await documents.get() }, ...args);
  });
  return {
    dispose: () => {
      command.dispose();
      void documents.existing().then((known) => known?.dispose());
    },
  };
}
