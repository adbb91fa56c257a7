import { beforeEach, expect, test, vi } from 'vitest';
import type { Host } from '../host.ts';
import { Access, type ApiGrant } from './access.ts';

const dialog = vi.hoisted(() => ({ count: 0, isAllowed: true }));

vi.mock('vscode', () => {
  const show = (_text: string, _options: unknown, button: unknown): Promise<unknown> => {
    dialog.count += 1;
    return Promise.resolve(dialog.isAllowed ? button : undefined);
  };
  return {
    l10n: { t: (text: string) => text },
    commands: { executeCommand: () => Promise.resolve() },
    extensions: { getExtension: () => undefined },
    window: { showInformationMessage: show, showWarningMessage: show },
  };
});

beforeEach(() => {
  dialog.count = 0;
  dialog.isAllowed = true;
});

const createAccess = (): Access =>
  new Access({
    context: { globalState: { get: () => undefined } },
    service: { clock: { now: () => 0 } },
  } as unknown as Host);

const accessRequest = { kind: 'models', caller: 'a.b', detail: '' } as const;

test('Access prompts the user for a call outside a connection, even if a connected extension has the same id', async () => {
  const access = createAccess();
  const grant = await access.promptForGrant('a.b', ['models']);
  expect(dialog.count).toBe(1);
  expect(await access.authorize(accessRequest, grant)).toBe(true);
  expect(dialog.count).toBe(1);
  dialog.isAllowed = false;
  expect(await access.authorize(accessRequest, undefined)).toBe(false);
  expect(dialog.count).toBe(2);
  expect(await access.authorize(accessRequest, grant)).toBe(true);
});

test('Access prompts the user for each connection, even with the same extension id', async () => {
  const access = createAccess();
  const firstGrant = await access.promptForGrant('a.b', ['models']);
  const secondGrant = await access.promptForGrant('a.b', ['models']);
  expect(dialog.count).toBe(2);
  expect(secondGrant).not.toBe(firstGrant);
});

test('Access rejects calls of a revoked connection and of a kind that the connection does not permit, and shows no dialog', async () => {
  const access = createAccess();
  const grant = await access.promptForGrant('a.b', ['models']);
  expect(await access.authorize({ ...accessRequest, kind: 'chat' }, grant)).toBe(false);
  access.revokeAll();
  expect(await access.authorize(accessRequest, grant)).toBe(false);
  expect(dialog.count).toBe(1);
});

test('Access keeps the newest 50 connections of a window and revokes older connections', async () => {
  const access = createAccess();
  const grants: ApiGrant[] = [];
  for (let count = 0; count < 52; count += 1) {
    const grant = await access.promptForGrant('a.b', ['models']);
    if (grant !== undefined) grants.push(grant);
  }
  const isAllowed = (grant: ApiGrant | undefined): Promise<boolean> =>
    access.authorize({ kind: 'models', caller: 'a.b', detail: '' }, grant);
  const results = await Promise.all(grants.map(isAllowed));
  expect(results).toEqual([false, false, ...Array.from({ length: 50 }, () => true)]);
  access.revokeAll();
  expect(await isAllowed(grants.at(-1))).toBe(false);
});
