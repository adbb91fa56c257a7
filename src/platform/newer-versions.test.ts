import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ExtensionContext, Memento } from 'vscode';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { type Grant, Grants } from '../agent/permissions/grants.ts';
import type { ConversationRecord } from '../conversation/conversation.ts';
import { createUserMessage } from '../../test/support/conversation-builder.ts';
import type { ImageRecord } from '../image/image-record.ts';
import type { KnownAccount } from '../wallet/local/known-account.ts';
import type { StakingRecord } from '../wallet/staking/stake-journal.ts';
import { SpendingLedger } from '../account/vscode/spending-ledger.ts';
import { CompletionConsent } from '../completion/vscode/consent.ts';
import { BlobFiles, CheckpointFiles } from '../agent/changes/vscode/checkpoint-files.ts';
import { ConversationFiles } from '../conversation/vscode/conversation-files.ts';
import { MediaFiles } from '../conversation/vscode/media-files.ts';
import { Gallery } from '../image/vscode/gallery.ts';
import { ModelCacheFile } from '../models/vscode/model-catalog.ts';
import { KnownAccounts } from '../wallet/vscode/known-accounts.ts';
import { takeLostMints } from '../wallet/mint/vscode/mint-journal.ts';
import { StakingJournalFile } from '../wallet/staking/vscode/staking-files.ts';
import { isNewerFile, mayBeNewerFile } from './newer-file.ts';

/** Wraps the file functions, which access the real disk, so that the tests can record the calls. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const realFs = await importOriginal<typeof import('node:fs/promises')>();
  return { ...realFs, readFile: vi.fn(realFs.readFile) };
});

let rootFolder: string;
beforeEach(async () => {
  rootFolder = await mkdtemp(join(tmpdir(), 'newer-'));
});
afterEach(() => rm(rootFolder, { recursive: true, force: true }));

const dayMs = 24 * 60 * 60 * 1_000;

/** Writes a file with a modification time `ageMs` milliseconds ago. */
async function writeFileWithAge(path: string, text: string, ageMs = 0): Promise<void> {
  const file = join(rootFolder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const time = new Date(Date.now() - ageMs);
  await utimes(file, time, time);
}

/** Returns a digest of each file, by path. */
async function computeFileDigests(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(rootFolder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const digestPromises = files.map(async (file) => [
    file.slice(rootFolder.length + 1),
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ]);
  return Object.fromEntries((await Promise.all(digestPromises)) as [string, string][]);
}

describe('stored conversations', () => {
  const text = [
    '{"type":"conversation-start","version":2,"id":"c1","at":5,"folder":null}',
    '{"type":"title-set","title":"Tides"}',
    '{"type":"thought-add","thought":"Later."}',
    '{"type":"title-set","title":"Spring tides"}',
    '',
  ].join('\n');
  const createFiles = (): ConversationFiles =>
    new ConversationFiles(join(rootFolder, 'conversations'));
  const startRecord: ConversationRecord = {
    type: 'conversation-start',
    version: 1,
    id: 'c1',
    at: 1,
    folder: null,
  };
  const questionRecord: ConversationRecord = {
    type: 'message-add',
    message: createUserMessage('u1', null, 'Why?'),
  };

  test.each([
    ['a higher version number', text],
    ['a first record of an unknown format', `{"format":"journal","version":"2.1"}\n${text}`],
    ['only one line without a line break', '{"type":"conversation-start","version":2,"id":"c1"}'],
  ])('of a newer version remain unchanged if their file has %s', async (_, journal) => {
    await writeFileWithAge('conversations/c1.jsonl', journal, 90 * dayMs);
    const digestsBefore = await computeFileDigests();
    expect(await createFiles().load('c1')).toBeUndefined();
    expect(await Array.fromAsync(createFiles().readAll())).toEqual([]);
    expect(await createFiles().isFromNewerVersion('c1')).toBe(true);
    await createFiles().cleanFolder();
    await expect(createFiles().append('c1', [startRecord, questionRecord])).rejects.toThrow(
      'newer version',
    );
    await expect(createFiles().append('c1', [questionRecord])).rejects.toThrow('newer version');
    expect(await computeFileDigests()).toEqual(digestsBefore);
  });

  test('of a newer version can be listed by title, deleted and restored', async () => {
    await writeFileWithAge('conversations/c1.jsonl', text);
    await writeFileWithAge('conversations/c2.jsonl', '{"type":"conversation-start","version":3}\n');
    const digestsBefore = await computeFileDigests();
    const summaries = await createFiles().list();
    expect(summaries.map(({ id, title, isNewer }) => ({ id, title, isNewer }))).toEqual(
      expect.arrayContaining([
        { id: 'c1', title: 'Spring tides', isNewer: true },
        { id: 'c2', title: '', isNewer: true },
      ]),
    );
    await createFiles().remove('c1');
    expect((await createFiles().list()).map(({ id }) => id)).toEqual(['c2']);
    await createFiles().restore('c1');
    expect(await computeFileDigests()).toEqual(digestsBefore);
  });

  test('of all versions are listed in one pass over the files', async () => {
    await writeFileWithAge('conversations/c1.jsonl', text);
    await createFiles().append('c2', [{ ...startRecord, id: 'c2' }, questionRecord]);
    const readFileMock = vi.mocked(readFile);
    readFileMock.mockClear();
    const summaries = await createFiles().list();
    expect(summaries.map(({ id }) => id).toSorted()).toEqual(['c1', 'c2']);
    const paths = readFileMock.mock.calls.map(([path]) => path);
    expect(paths).toHaveLength(2);
    expect(new Set(paths)).toEqual(
      new Set([
        join(rootFolder, 'conversations', 'c1.jsonl'),
        join(rootFolder, 'conversations', 'c2.jsonl'),
      ]),
    );
  });

  test('are not marked as newer if the current version wrote them', async () => {
    await createFiles().append('c1', [startRecord, questionRecord]);
    expect(await createFiles().isFromNewerVersion('c1')).toBe(false);
    expect(await createFiles().isFromNewerVersion('missing')).toBe(false);
    const [summary] = await createFiles().list();
    expect(summary?.isNewer).toBeUndefined();
  });

  test('written by a newer version prevent the removal of stored images and documents', async () => {
    const media = new MediaFiles(join(rootFolder, 'media'));
    const name = await media.storeFile(Buffer.from('an image'), '.png');
    const oldDate = new Date(Date.now() - 90 * dayMs);
    await utimes(join(rootFolder, 'media', name), oldDate, oldDate);
    await writeFileWithAge('conversations/c1.jsonl', text);
    const digestsBefore = await computeFileDigests();
    await media.removeUnusedFiles([join(rootFolder, 'conversations')]);
    expect(await computeFileDigests()).toEqual(digestsBefore);
    await rm(join(rootFolder, 'conversations', 'c1.jsonl'));
    await media.removeUnusedFiles([join(rootFolder, 'conversations')]);
    expect(await readdir(join(rootFolder, 'media'))).toEqual([]);
  });

  test('of the current version keep records of unknown types when a record is appended', async () => {
    await createFiles().append('c1', [startRecord, questionRecord]);
    const unknownRecord = '{"type":"thought-add","thought":"Later."}\n';
    const path = join(rootFolder, 'conversations', 'c1.jsonl');
    await writeFile(path, (await readFile(path, 'utf8')) + unknownRecord);
    await createFiles().load('c1');
    await createFiles().append('c1', [{ type: 'title-set', title: 'Tides' }]);
    expect(await readFile(path, 'utf8')).toContain(unknownRecord);
  });
});

test('checkpoints of a newer version remain when old checkpoints are pruned', async () => {
  const createJournalText = (version: number): string =>
    `${JSON.stringify({ type: 'turn-start', version, turnId: 't1', folders: [] })}\n`;
  await writeFileWithAge('checkpoints/newer/t1.jsonl', createJournalText(2), 90 * dayMs);
  await writeFileWithAge('checkpoints/newer/blobs/abc', 'x'.repeat(500), 90 * dayMs);
  await writeFileWithAge('checkpoints/older/t1.jsonl', createJournalText(1), 90 * dayMs);
  await writeFileWithAge('checkpoints/older/blobs/abc', 'x'.repeat(500), 90 * dayMs);
  const digestsBefore = await computeFileDigests();
  const files = new CheckpointFiles(join(rootFolder, 'checkpoints'), 100);
  expect([...(await files.load('newer'))]).toEqual([]);
  await files.prune('newer');
  await files.prune();
  const retainedPaths = Object.keys(digestsBefore).filter((path) =>
    path.startsWith('checkpoints/newer'),
  );
  expect(retainedPaths).toHaveLength(2);
  expect(await computeFileDigests()).toEqual(
    Object.fromEntries(retainedPaths.map((path) => [path, digestsBefore[path]])),
  );
});

test('checkpoints of a newer version remain in a chat that exceeds the size limit', async () => {
  const blobFiles = new BlobFiles(join(rootFolder, 'checkpoints', 'c1', 'blobs'));
  await blobFiles.writeBlob(Buffer.alloc(500));
  await writeFileWithAge(
    'checkpoints/c1/new.jsonl',
    '{"type":"turn-start","version":2}\n',
    90 * dayMs,
  );
  await writeFileWithAge(
    'checkpoints/c1/old.jsonl',
    '{"type":"turn-start","version":1}\n',
    10 * dayMs,
  );
  for (const name of await readdir(join(rootFolder, 'checkpoints', 'c1', 'blobs')))
    await utimes(join(rootFolder, 'checkpoints', 'c1', 'blobs', name), 1, 1);
  const digestsBefore = await computeFileDigests();
  await new CheckpointFiles(join(rootFolder, 'checkpoints'), 100).prune('c1');
  const digestsAfter = await computeFileDigests();
  expect(digestsAfter['checkpoints/c1/new.jsonl']).toBe(digestsBefore['checkpoints/c1/new.jsonl']);
  expect(Object.keys(digestsAfter).filter((path) => path.includes('blobs'))).toHaveLength(1);
});

describe('a gallery of a newer version', () => {
  const createRecord = (id: string): ImageRecord => ({
    id,
    createdAt: 1,
    origin: {
      kind: 'generate',
      request: { model: 'painter', prompt: 'a seal' },
      variant: 0,
      variants: 1,
    },
    format: 'png',
    width: 64,
    height: 64,
    bytes: 10,
    moderation: { blurred: false, contentViolation: false, reasons: [] },
    saved: [],
  });

  test('is unchanged, and new images are recorded in a separate file', async () => {
    const lines = [
      '{"type":"gallery-start","version":2}',
      JSON.stringify({ type: 'image-add', record: createRecord('old') }),
      ...Array.from({ length: 500 }, () => '{"type":"image-remove","id":"gone"}'),
      '',
    ];
    await writeFileWithAge('gallery/gallery.jsonl', lines.join('\n'));
    await writeFileWithAge('gallery/old.png', 'an image');
    const digestsBefore = await computeFileDigests();
    const warnings: string[] = [];
    const openGallery = (): Gallery =>
      new Gallery({
        folder: join(rootFolder, 'gallery'),
        getMaxBytes: () => 1,
        showWarning: (text) => warnings.push(text),
      });
    const gallery = openGallery();
    await gallery.add(createRecord('new'));
    await gallery.enforceSizeLimit(['new']);
    expect((await openGallery().list()).map(({ id }) => id)).toContain('new');
    expect(gallery.hasNewerJournal).toBe(true);
    await gallery.remove(['old']);
    const digestsAfter = await computeFileDigests();
    expect(digestsAfter).toMatchObject(digestsBefore);
    expect(warnings[0]).toMatch(/newer version/u);
  });

  test('lists images that are recorded only in `gallery.v1.jsonl`, after an older version rewrote `gallery.jsonl`', async () => {
    const createAddLine = (id: string): string =>
      JSON.stringify({ type: 'image-add', record: createRecord(id) });
    await writeFileWithAge(
      'gallery/gallery.v1.jsonl',
      `${createAddLine('beside')}\n${createAddLine('removed')}\n`,
    );
    await writeFileWithAge('gallery/gallery.jsonl', `${createAddLine('main')}\n`.repeat(500));
    const digestsBefore = await computeFileDigests();
    const openGallery = (): Gallery =>
      new Gallery({ folder: join(rootFolder, 'gallery'), getMaxBytes: () => 1e9 });
    const listIds = async (gallery: Gallery): Promise<readonly string[]> =>
      (await gallery.list()).map(({ id }) => id).toSorted();
    const gallery = openGallery();
    expect(await listIds(gallery)).toEqual(['beside', 'main', 'removed']);
    expect(gallery.hasNewerJournal).toBe(false);
    await gallery.remove(['removed']);
    await gallery.recordSavedFile('beside', 'file:///beside.png');
    await gallery.add(createRecord('new'));
    expect(await listIds(gallery)).toEqual(['beside', 'main', 'new']);
    const path = join(rootFolder, 'gallery', 'gallery.jsonl');
    const longJournal = (await readFile(path, 'utf8')) + `${createAddLine('main')}\n`.repeat(500);
    await writeFile(path, longJournal);
    expect(await listIds(openGallery())).toEqual(['beside', 'main', 'new']);
    expect((await readFile(path, 'utf8')).length).toBeLessThan(longJournal.length / 10);
    expect(await listIds(openGallery())).toEqual(['beside', 'main', 'new']);
    expect((await openGallery().find('beside'))?.saved).toEqual(['file:///beside.png']);
    expect((await computeFileDigests())['gallery/gallery.v1.jsonl']).toBe(
      digestsBefore['gallery/gallery.v1.jsonl'],
    );
  });

  test('keeps lines of unknown types when the journal is compacted', async () => {
    const unknownLines = [
      '{"type":"image-rate","id":"a","stars":5}',
      '{"type":"image-add","record":{"id":"b","origin":{"kind":"animate"}}}',
    ];
    const lines = [
      JSON.stringify({ type: 'image-add', record: createRecord('a') }),
      ...unknownLines,
      ...Array.from({ length: 500 }, () => '{"type":"image-remove","id":"gone"}'),
      '',
    ];
    await writeFileWithAge('gallery/gallery.jsonl', lines.join('\n'));
    const gallery = new Gallery({ folder: join(rootFolder, 'gallery'), getMaxBytes: () => 1e9 });
    expect((await gallery.list()).map(({ id }) => id)).toEqual(['a']);
    const text = await readFile(join(rootFolder, 'gallery', 'gallery.jsonl'), 'utf8');
    expect(text.split('\n').length).toBeLessThan(10);
    for (const line of unknownLines) expect(text).toContain(line);
  });
});

test('spending that a newer version recorded in a readable format is counted, and its file remains unchanged', async () => {
  const clock = new ManualClock(Date.parse('2026-11-22T12:00:00'));
  const folder = join(rootFolder, 'spending');
  const text = '{"version":2}\n{"usd":"1.5","feature":"chat"}\n{"refund":"1"}\n';
  await writeFileWithAge('spending/2026-11-22.jsonl', text);
  await writeFileWithAge('spending/2026-01-01.jsonl', text);
  const digestsBefore = await computeFileDigests();
  const ledger = new SpendingLedger({ folder, clock });
  await ledger.appendEntry({ kind: 'spent', amount: 2_000_000_000n });
  await ledger.removeOldFiles();
  expect((await ledger.getMonthlySpending()).spentAmount).toBe(3_500_000_000n);
  expect((await new SpendingLedger({ folder, clock }).getMonthlySpending()).spentAmount).toBe(
    3_500_000_000n,
  );
  expect(
    (await new SpendingLedger({ folder, clock }).readUsageRecords()).map(({ day }) => day),
  ).toEqual(['2026-01-01', '2026-11-22', '2026-11-22']);
  expect(await computeFileDigests()).toMatchObject(digestsBefore);
});

const longText = 'x'.repeat(40_000);

test.each([
  ['stored on one short line', '{"version":2,"catalog":{}}'],
  ['stored on one long line', JSON.stringify({ catalog: { note: longText }, version: 2 })],
  ['stored on several lines', JSON.stringify({ catalog: { note: longText }, version: 2 }, null, 2)],
])('cached models of a newer version remain unchanged if they are %s', async (_, text) => {
  await writeFileWithAge('models/work.json', text);
  const digestsBefore = await computeFileDigests();
  const cache = new ModelCacheFile(join(rootFolder, 'models'));
  expect(await cache.read('work')).toBeUndefined();
  await cache.write('work', { baseUrl: 'https://a.example', fetchedAt: 5, models: [] });
  expect(await cache.read('work')).toMatchObject({ fetchedAt: 5 });
  expect(await computeFileDigests()).toMatchObject(digestsBefore);
});

test.each([
  ['stored on one short line', ''],
  ['stored on one long line', longText],
])(
  'the record of an unfinished stake by a newer version remains unchanged if the record is %s',
  async (_, data) => {
    const from = '0x4444444444444444444444444444444444444444';
    await writeFileWithAge(
      `staking/1-${from}.json`,
      JSON.stringify({ data, version: 2, purpose: 'restake' }),
    );
    const digestsBefore = await computeFileDigests();
    const journal = new StakingJournalFile(join(rootFolder, 'staking'), { chainId: 1, from });
    expect(await journal.read()).toBeUndefined();
    await expect(journal.write({ chainId: 1, from } as unknown as StakingRecord)).rejects.toThrow(
      'newer version',
    );
    await journal.clear();
    expect(await computeFileDigests()).toEqual(digestsBefore);
  },
);

test('permissions stored by a newer version remain unchanged, and new permissions apply to the current chat only', async () => {
  const storedGrants = { version: 3, tools: ['read_file'], rules: [] };
  let value: unknown = storedGrants;
  const grants = new Grants({ get: () => value, set: (newValue) => void (value = newValue) });
  await grants.addGrant({ type: 'tool', key: 'create_file' }, 'always', 'c1');
  expect(value).toBe(storedGrants);
  expect(grants.allowsTool('create_file', 'c1', ['always', 'conversation'])).toBe(true);
});

test.each([3, '2.1'])(
  'permissions stored by version %j remain unchanged when the user revokes other permissions',
  async (version) => {
    const storedGrants = { version, tools: ['read_file'], rules: [] };
    let value: unknown = storedGrants;
    const grants = new Grants({ get: () => value, set: (newValue) => void (value = newValue) });
    const grant: Grant = { type: 'tool', key: 'create_file' };
    await grants.addGrant(grant, 'always', 'c1');
    await grants.revokeGrant(grant);
    expect(grants.allowsTool('create_file', 'c1', ['always', 'conversation'])).toBe(false);
    await grants.addGrant(grant, 'conversation', 'c1');
    await grants.revokeAll();
    expect(grants.allowsTool('create_file', 'c1', ['always', 'conversation'])).toBe(false);
    expect(value).toBe(storedGrants);
  },
);

describe('entries of a newer version', () => {
  /**
   * Runs `change` with extension state that contains the value `storedValue` under `name`. Returns the value that the
   * state then contains under `name`.
   */
  async function runAndRead(
    name: string,
    storedValue: unknown,
    change: (state: Memento) => Promise<unknown>,
  ): Promise<unknown> {
    const values = new Map([[name, storedValue]]);
    await change({
      keys: () => [...values.keys()],
      get: (key: string) => values.get(key),
      update: async (key: string, value: unknown) => void values.set(key, value),
    } as Memento);
    return values.get(name);
  }
  const [address, otherAddress] = [`0x${'4'.repeat(40)}`, `0x${'5'.repeat(40)}`] as const;
  const newerAccount = { kind: 'hardware', address, path: "m/44'/60'/0'/0/0" };
  const knownAccount = { kind: 'browser', address, label: 'Savings' };

  test('remain in the stored list of wallet accounts when another account is used or removed', async () => {
    const account: KnownAccount = { kind: 'private-key', address: otherAddress };
    const useAccount = (state: Memento): Promise<void> =>
      new KnownAccounts({ globalState: state as ExtensionContext['globalState'] }).setCurrent(
        account,
      );
    const forgetAccount = (state: Memento): Promise<void> =>
      new KnownAccounts({ globalState: state as ExtensionContext['globalState'] }).remove(account);
    const accounts = await runAndRead('wallet.accounts', [newerAccount, knownAccount], useAccount);
    expect(accounts).toEqual([account, newerAccount, knownAccount]);
    expect(await runAndRead('wallet.accounts', accounts, forgetAccount)).toEqual([
      newerAccount,
      knownAccount,
    ]);
  });

  test('remain in the consents for inline suggestions when the consent for another base URL is added', async () => {
    const storedConsents = [
      { origin: 'https://a.example' },
      { baseUrl: 'https://b.example', until: 5 },
    ];
    const consents = await runAndRead('completion.agreedAddresses', storedConsents, (state) =>
      new CompletionConsent(state).add({ baseUrl: 'https://c.example' }),
    );
    expect(consents).toEqual([...storedConsents, { baseUrl: 'https://c.example' }]);
  });
});

test('a key request that a newer version recorded remains stored', async () => {
  const values = new Map<string, unknown>([
    ['mint.0xa', { version: 2, request: 'x' }],
    ['mint.0xb', 'broken'],
  ]);
  const state = {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
    },
  };
  const lostMints = await takeLostMints(state, Date.now());
  expect(lostMints.map(({ tokenHash }) => tokenHash)).toEqual(['0xb']);
  expect([...values.keys()]).toEqual(['mint.0xa']);
});

test('an unreadable file counts as possibly written by a newer version, but a missing file does not', async () => {
  await mkdir(join(rootFolder, 'folder.json'));
  await expect(isNewerFile(join(rootFolder, 'folder.json'))).rejects.toMatchObject({
    code: 'EISDIR',
  });
  expect(await mayBeNewerFile(join(rootFolder, 'folder.json'))).toBe(true);
  expect(await mayBeNewerFile(join(rootFolder, 'missing.json'))).toBe(false);
});
