import { expect, test, vi } from 'vitest';
import type { Host } from '../host.ts';
import { Access, type Grant } from './access.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  extensions: { getExtension: () => undefined },
  // The user allows every connection.
  window: {
    showInformationMessage: (_text: string, _options: unknown, button: unknown) =>
      Promise.resolve(button),
    showWarningMessage: (_text: string, _options: unknown, button: unknown) =>
      Promise.resolve(button),
  },
}));

test('keeps the newest 50 connections of a window and revokes older ones', async () => {
  const access = new Access({
    context: { globalState: { get: () => undefined } },
    service: { clock: { now: () => 0 } },
  } as unknown as Host);
  const grants: Grant[] = [];
  for (let count = 0; count < 52; count += 1) {
    const grant = await access.connect('a.b', ['models']);
    if (grant !== undefined) grants.push(grant);
  }
  const isAllowed = (grant: Grant | undefined): Promise<boolean> =>
    access.authorize({ kind: 'models', caller: 'a.b', detail: '' }, grant);
  const allowed = await Promise.all(grants.map(isAllowed));
  expect(allowed).toEqual([false, false, ...Array.from({ length: 50 }, () => true)]);
  access.revokeAll();
  expect(await isAllowed(grants.at(-1))).toBe(false);
});
