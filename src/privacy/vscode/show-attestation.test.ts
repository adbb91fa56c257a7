import { expect, test, vi } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import {
  formatAttestation,
  formatAttestationMarkdown,
  listAttestationProblems,
  showAttestation,
} from './show-attestation.ts';

const shownNotifications = vi.hoisted((): { message: string; labels: readonly string[] }[] => []);
vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  env: { language: 'en' },
}));
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
  ) => void shownNotifications.push({ message, labels: actions.map(({ label }) => label) }),
}));

test('showAttestation reports a failed attestation to the account, and shows the failure with actions', async () => {
  const { context: service } = createScriptedService({
    status: 402,
    body: ['{"error":"No balance"}'],
  });
  const profile = { id: 'default' };
  const report = vi.fn<(failure: { code: string }) => void>();
  const model = { id: 'vault', name: 'Vault', capabilities: { supportsE2EE: true } };
  const host = {
    account: { service, profile, reportOutcome: report },
    models: { allModels: [model] },
  };
  await showAttestation({ host, documents: {} } as never, 'vault');
  expect(report).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'out-of-funds' }),
    profile,
  );
  expect(shownNotifications).toHaveLength(1);
  expect(shownNotifications[0]?.labels).toEqual([
    'Show Funding',
    'Choose another model',
    'Retry',
    'Show Log',
  ]);
});

test('formatAttestation and listAttestationProblems show labels of checks instead of internal names', () => {
  const checks = [
    { name: 'key-bound', hasPassed: true, detail: '' },
    { name: 'gpu-nonce', hasPassed: false, detail: 'Another nonce' },
  ] as const;
  const attestation = { verdict: 'failed', checks, evidence: '{}', checkedAt: 0, model: 'vault' };
  expect(formatAttestation(attestation as never, 'Vault')).toContain(
    '✓ Enclave’s key in the quote\n✗ Fresh evidence of the GPU, if any\n    Another nonce',
  );
  expect(listAttestationProblems(attestation as never)).toEqual([
    'Failed: Fresh evidence of the GPU, if any.',
  ]);
});

test('formatAttestationMarkdown escapes values from the service, so that they contain no active Markdown', () => {
  const evidence =
    '{"quote":"</code><img src=x onerror=alert(1)>"}\n```\n# Heading\n\n[a](command:x)';
  const text = [
    'Attestation of Vault <b>',
    'Verified: every check passed.',
    'Checked: now\nProvider: [a](https://x.test) `b`\n# No heading',
    'Checks',
    '✓ Fresh\n    <script>\n✗ Signed',
    'What the service answered',
    evidence,
  ].join('\n\n');
  expect(formatAttestationMarkdown(text, 'Vault <b>').split('\n')).toEqual([
    String.raw`# Attestation of Vault \<b\>`,
    '',
    String.raw`Verified\: every check passed\.`,
    '',
    String.raw`- Checked\: now`,
    '- Provider\\: \\[a\\]\\(https\\:\\/\\/x\\.test\\) \\`b\\`',
    String.raw`- \# No heading`,
    '',
    '## Checks',
    '',
    '- ✓ Fresh',
    String.raw`  \<script\>`,
    '- ✗ Signed',
    '',
    '## What the service answered',
    '',
    '````',
    ...evidence.split('\n'),
    '````',
    '',
  ]);
});
