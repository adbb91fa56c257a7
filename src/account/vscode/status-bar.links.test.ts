import { expect, test } from 'vitest';
import type { Account } from './account.ts';
import { statusLinks } from './status-bar.ts';

test.each([
  ['usable', true],
  ['wallet', true],
  ['keyless', false],
] as const)('links to the funding view only if requests are paid for (%s)', (kind, isOffered) => {
  const account = { key: { kind }, view: { status: 'signed-in' } } as unknown as Account;
  const commands = statusLinks({ account, walletLinks: () => [] }).map(({ command }) => command);
  expect(commands.includes('inferenceService.showFunding')).toBe(isOffered);
});
