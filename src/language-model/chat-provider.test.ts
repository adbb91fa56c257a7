import { expect, test, vi } from 'vitest';
import { scriptedService } from '../../test/support/scripted-transport.ts';
import { GroupSources } from './chat-provider.ts';
import type { GroupSource, SourceHost } from './model-source.ts';

vi.mock('vscode', () => ({}));

const group = { apiKey: 'key-of-the-group', baseUrl: 'https://group.example/api/v1' };
const itself = async (source: GroupSource): Promise<GroupSource> => source;

function sources(): GroupSources {
  const account = { profile: { vendorWord: 'acme' }, state: {} };
  const { context: service } = scriptedService();
  return new GroupSources({ service, account } as SourceHost);
}

test('a group keeps its source until VS Code begins twice without it', async () => {
  const groups = sources();
  const source = await groups.ask(group, itself);
  groups.begin();
  expect(await groups.ask({ ...group }, itself)).toBe(source);
  groups.begin();
  expect(groups.byVersion(source.version)).toBe(source);
  groups.begin();
  expect(groups.byVersion(source.version)).toBeUndefined();
  expect(await groups.ask(group, itself)).not.toBe(source);
});

test('a group that is asked while VS Code begins anew stays known', async () => {
  const groups = sources();
  const source = await groups.ask(group, async (asked) => {
    groups.begin();
    groups.begin();
    return asked;
  });
  expect(groups.byVersion(source.version)).toBe(source);
});

test('groups are told apart by key and address, and their versions say nothing of them', async () => {
  const groups = sources();
  const others = [group, { ...group, apiKey: 'another-key' }, { ...group, baseUrl: '' }];
  const versions = await Promise.all(
    others.map(async (each) => (await groups.ask(each, itself)).version),
  );
  expect(new Set(versions).size).toBe(3);
  expect((await sources().ask(group, itself)).version).not.toBe(versions[0]);
});
