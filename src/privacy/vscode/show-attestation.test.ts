import { expect, test, vi } from 'vitest';
import { scriptedService } from '../../../test/support/scripted-transport.ts';
import { showAttestation } from './show-attestation.ts';

const shown = vi.hoisted((): { message: string; labels: readonly string[] }[] => []);
vi.mock('../../platform/notifications.ts', () => ({
  escapeIcons: (text: string) => text,
  showError: () => {},
  showInformation: () => {},
  showCancellable: (_title: string, run: (signal: AbortSignal, report: () => void) => unknown) =>
    run(new AbortController().signal, () => {}),
  showWithActions: async (
    _show: unknown,
    message: string,
    actions: readonly { readonly label: string }[],
  ) => void shown.push({ message, labels: actions.map(({ label }) => label) }),
}));

test('showAttestation reports a failed attestation to the account, and shows it with its actions', async () => {
  const { context: service } = scriptedService({ status: 402, body: ['{"error":"No balance"}'] });
  const profile = { id: 'default' };
  const report = vi.fn<(failure: { code: string }) => void>();
  const model = { id: 'vault', name: 'Vault', capabilities: { supportsE2EE: true } };
  const host = { account: { service, profile, report }, models: { allModels: [model] } };
  await showAttestation({ host, documents: {} } as never, 'vault');
  expect(report).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'out-of-funds' }),
    profile,
  );
  expect(shown).toHaveLength(1);
  expect(shown[0]?.labels).toEqual(['Show funding', 'Choose another model', 'Retry', 'Show log']);
});
