import { expect, test, vi } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { GroupSources } from './chat-provider.ts';
import type { GroupSource, SourceHost } from './model-source.ts';

vi.mock('vscode', () => ({}));

const groupSettings = { apiKey: 'key-of-the-group', baseUrl: 'https://group.example/api/v1' };
const returnSource = async (source: GroupSource): Promise<GroupSource> => source;

function createSources(): GroupSources {
  const account = { profile: { vendorPrefix: 'acme' }, state: {} };
  const { context: service } = createScriptedService();
  return new GroupSources({ service, account } as SourceHost);
}

test('GroupSources keeps the source of a model group until two successive listings do not contain the group', async () => {
  const groups = createSources();
  const source = await groups.withSource(groupSettings, returnSource);
  groups.startListing();
  expect(await groups.withSource({ ...groupSettings }, returnSource)).toBe(source);
  groups.startListing();
  expect(groups.findSourceByVersion(source.version)).toBe(source);
  groups.startListing();
  expect(groups.findSourceByVersion(source.version)).toBeUndefined();
  expect(await groups.withSource(groupSettings, returnSource)).not.toBe(source);
});

test('GroupSources keeps the source of a model group while the source is in use, even if VS Code lists the models without the group', async () => {
  const groups = createSources();
  const source = await groups.withSource(groupSettings, async (currentSource) => {
    groups.startListing();
    groups.startListing();
    return currentSource;
  });
  expect(groups.findSourceByVersion(source.version)).toBe(source);
});

test('GroupSources assigns different versions to model groups with different keys or addresses', async () => {
  const groups = createSources();
  const otherGroups = [
    groupSettings,
    { ...groupSettings, apiKey: 'another-key' },
    { ...groupSettings, baseUrl: '' },
  ];
  const versions = await Promise.all(
    otherGroups.map(
      async (otherGroup) => (await groups.withSource(otherGroup, returnSource)).version,
    ),
  );
  expect(new Set(versions).size).toBe(3);
  expect((await createSources().withSource(groupSettings, returnSource)).version).not.toBe(
    versions[0],
  );
});
