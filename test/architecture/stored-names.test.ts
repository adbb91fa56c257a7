import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  decodeStoredKey,
  decodeBoundKey,
  encodeStoredKey,
  encodeBoundKey,
} from '../../src/account/key-state.ts';
import { decodeRotation, encodeRotation } from '../../src/wallet/keys/vscode/key-rotation.ts';
import { decodeTurnRecords, encodeTurnRecords } from '../../src/agent/changes/turn-record.ts';
import { decodeAttachments } from '../../src/conversation/attachments.ts';
import { decodeJournal } from '../../src/conversation/journal.ts';
import { decodeEntries, encodeEntries } from '../../src/image/gallery-journal.ts';
import { decodeCacheRecord } from '../../src/models/cache-record.ts';
import { decodeKnownAccounts } from '../../src/wallet/local/known-account.ts';
import {
  decodeStakingRecord,
  encodeStakingRecord,
} from '../../src/wallet/staking/stake-journal.ts';
import { decodeTopUp, encodeTopUp } from '../../src/wallet/x402/signed-top-up.ts';
import { type RunValues, replacePlaceholders } from '../integration/stored-data/placeholders.ts';
import type { StoredState } from '../integration/stored-data/shared.ts';
import { readStoredConversation } from '../integration/stored-data/stored-journal.ts';
import { root } from '../support/paths.ts';
import { readProductSources } from './sources.ts';
import names from './stored-names.json' with { type: 'json' };
import { areTranslationsRequired } from './translations.ts';

/**
 * Migrations of removed names, by the removed name. `stored-names.json` lists all names in the settings, key bindings
 * and stored data of users. Removing a name requires an entry: `"migrations": { "<old name>": { "to": "<new name>",
 * "test": "<file that tests the migration>" } }`.
 */
const migrations: Readonly<Record<string, { readonly to: string; readonly test: string }>> =
  names.migrations;

const fixtureFolder = join(root, 'test', 'integration', 'stored-data', 'v1');
const runValues: Partial<RunValues> = {
  __WORKSPACE_URI__: 'file:///work/tides',
  __WORKSPACE_PATH__: '/work/tides',
  __BASE_URL__: 'http://127.0.0.1:8080/api/v1',
  __ORIGIN__: 'http://127.0.0.1:8080',
  __API_KEY_END__: '123456',
  __ADMIN_KEY_END__: '654321',
  __API_KEY__: 'api-key-0000123456',
  __ADMIN_KEY__: 'admin-key-0000654321',
};
const readStoredFile = (path: string): string =>
  replacePlaceholders(readFileSync(join(fixtureFolder, path), 'utf8'), runValues);
const listFiles = (pattern: string): readonly string[] => globSync(pattern, { cwd: fixtureFolder });
const parseLines = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
const storedState = JSON.parse(readStoredFile('state.json')) as StoredState;

const productSource = [...readProductSources().values()].join('\n');
const escapePattern = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

/**
 * Checks whether the product contains the name as a string literal. For a name that ends in `*`, a literal that starts
 * with the text before `*` is sufficient.
 */
const occursAsString = (name: string): boolean =>
  name.endsWith('*')
    ? new RegExp(`['"\`]${escapePattern(name.slice(0, -1))}`, 'u').test(productSource)
    : new RegExp(`['"\`]${escapePattern(name)}['"\`]`, 'u').test(productSource);

const occursAsWord = (name: string): boolean =>
  new RegExp(`(?<![\\w-])${escapePattern(name)}(?![\\w-])`, 'u').test(productSource);

const findMissingNames = (
  allNames: readonly string[],
  isPresent: (name: string) => boolean,
): readonly string[] =>
  allNames.filter((name) => !isPresent(name) && migrations[name] === undefined);

describe('the stored names that users depend on', () => {
  interface Manifest {
    readonly activationEvents: readonly string[];
    readonly contributes: {
      readonly commands: readonly { readonly command: string }[];
      readonly configuration: readonly { readonly properties: object }[];
      readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
      readonly languageModelTools: readonly { readonly name: string }[];
      readonly chatParticipants: readonly { readonly id: string }[];
      readonly languageModelChatProviders: readonly { readonly vendor: string }[];
    };
  }
  const { activationEvents, contributes } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest;
  const panelIds = activationEvents.flatMap((event) => event.split(':')[1] || []);

  test.each([
    ['settings', contributes.configuration.flatMap(({ properties }) => Object.keys(properties))],
    ['commands', contributes.commands.map(({ command }) => command)],
    [
      'views',
      [
        ...Object.values(contributes.views).flatMap((allNames) => allNames.map(({ id }) => id)),
        ...panelIds,
      ],
    ],
    ['languageModelTools', contributes.languageModelTools.map(({ name }) => name)],
    ['participants', contributes.chatParticipants.map(({ id }) => id)],
    ['modelProviders', contributes.languageModelChatProviders.map(({ vendor }) => vendor)],
  ] as const)(
    'include exactly the names of the kind "%s" in the manifest',
    (kind, namesInManifest) => {
      // The source reads some settings that the manifest does not declare.
      const isPresent = (name: string): boolean =>
        namesInManifest.includes(name) || (kind === 'settings' && occursAsString(name));
      expect(findMissingNames(names[kind], isPresent)).toEqual([]);
      const listedNames: readonly string[] = names[kind];
      // Names that were never released need not be listed.
      const unlistedNames = areTranslationsRequired
        ? namesInManifest.filter((name) => !listedNames.includes(name))
        : [];
      expect(unlistedNames, `Add the new names to "${kind}" in stored-names.json.`).toEqual([]);
    },
  );

  test('include every setting that the source reads or writes', () => {
    const accessPattern =
      /\b(?:getConfiguration|(?:get|set)(?:\w*Setting(?:Default)?|Choice)|isEnabledInAnyScope)\(\s*['"`](inferenceService[\w.]*)/gu;
    const [undeclaredBlock = ''] =
      /const undeclaredDefaults = \{[^}]*\}/u.exec(productSource) ?? [];
    const matches = [
      ...productSource.matchAll(accessPattern),
      ...undeclaredBlock.matchAll(/'(inferenceService.*)':/gu),
    ];
    const usedNames = new Set(matches.map(([, name = '']) => name));
    expect([...usedNames]).toEqual(
      expect.arrayContaining(['inferenceService.baseUrl', 'inferenceService.completion.route']),
    );
    const isListed = (name: string): boolean =>
      name.endsWith('.')
        ? names.settings.some((setting) => setting.startsWith(name))
        : names.settings.includes(name);
    expect([...usedNames].filter((name) => !isListed(name))).toEqual([]);
  });

  test.each(['globalState', 'workspaceState', 'secrets', 'folders', 'files'] as const)(
    'include only names of the kind "%s" that occur in the source',
    (kind) => {
      const isPresent =
        kind === 'files' ? (name: string) => productSource.includes(name) : occursAsString;
      expect(findMissingNames(names[kind], isPresent)).toEqual([]);
    },
  );

  test('include only fields and types of records that occur in the source', () => {
    const recordsByKind = Object.values(names.fields as Record<string, Record<string, string[]>>);
    const fields = recordsByKind.flatMap((records) => Object.values(records).flat());
    expect(findMissingNames([...new Set(fields)], occursAsWord)).toEqual([]);
    const types = (['conversations', 'checkpoints', 'images'] as const).flatMap((kind) =>
      Object.keys(names.fields[kind]),
    );
    expect(findMissingNames(types, occursAsString)).toEqual([]);
  });

  test('include every state, secret and folder of the stored-data fixture', () => {
    const isListed = (allNames: readonly string[]) => (name: string) =>
      allNames.some((listedName) =>
        listedName.endsWith('*') ? name.startsWith(listedName.slice(0, -1)) : name === listedName,
      );
    const unlistedNames = [
      ...Object.keys(storedState.globalState).filter((name) => !isListed(names.globalState)(name)),
      ...Object.keys(storedState.workspaceState).filter(
        (name) => !isListed(names.workspaceState)(name),
      ),
      ...Object.keys(storedState.secrets).filter((name) => !isListed(names.secrets)(name)),
      ...listFiles('storage/*').filter(
        (path) => !names.folders.includes(path.split(/[\\/]/u).at(-1) ?? ''),
      ),
    ];
    expect(unlistedNames, 'Add the new names to stored-names.json.').toEqual([]);
  });

  test('can be removed only with a tested migration', () => {
    for (const [name, { to, test: file }] of Object.entries(migrations)) {
      const path = join(root, file);
      expect(existsSync(path), file).toBe(true);
      expect(readFileSync(path, 'utf8')).toContain(name);
      expect(occursAsString(to) || occursAsWord(to) || productSource.includes(to), to).toBe(true);
    }
  });
});

describe('the stored records', () => {
  test('of turns keep every field after decoding and encoding', () => {
    const journalPaths = listFiles('storage/checkpoints/*/*.jsonl');
    expect(journalPaths.length).toBeGreaterThan(2);
    for (const path of journalPaths) {
      const text = readStoredFile(path);
      expect(parseLines(encodeTurnRecords(decodeTurnRecords(text) ?? []))).toEqual(
        parseLines(text),
      );
    }
  });

  test('of conversations keep every field after decoding', () => {
    const journals = listFiles('storage/conversations/*');
    expect(journals.length).toBeGreaterThan(6);
    for (const path of journals) {
      const expected = readStoredConversation(readStoredFile(path));
      const conversation = decodeJournal(readStoredFile(path));
      const restoredMessages = [...(conversation?.messages ?? [])].map((message) => ({
        id: message.id,
        parentId: message.parentId ?? '',
        text: message.text,
        reasoning: message.role === 'assistant' ? message.reasoning : '',
        status: message.role === 'assistant' ? message.status : 'complete',
        model: message.role === 'assistant' ? message.model : undefined,
        result: message.role === 'assistant' ? message.result : {},
        runs: message.role === 'assistant' ? message.toolRuns : [],
      }));
      expect(conversation?.title).toBe(expected.title);
      expect(restoredMessages).toEqual(
        [...expected.messages.values()].map(
          ({ calls, images: _images, role: _role, attachments: _attachments, ...message }) => ({
            ...message,
            runs: [...calls.values()].map(({ run }) => run),
          }),
        ),
      );
    }
  });

  test('of gallery entries keep every field after decoding and encoding', () => {
    const [path = ''] = listFiles('storage/images/*/gallery.jsonl');
    const entries = decodeEntries(readStoredFile(path), ['file:///work/tides']);
    expect(parseLines(encodeEntries(entries))).toEqual(parseLines(readStoredFile(path)));
  });

  test('of draft attachments keep every field after decoding', () => {
    const [path = ''] = listFiles('storage/attached/*');
    expect(decodeAttachments(readStoredFile(path))).toEqual(JSON.parse(readStoredFile(path)));
  });

  test('of cached models keep every field after decoding', () => {
    const text = readStoredFile('storage/models/work.json');
    expect({ version: 1, ...decodeCacheRecord(text) }).toEqual(JSON.parse(text));
  });

  test('of an unfinished stake keep every field after decoding and encoding', () => {
    const [path = ''] = listFiles('storage/staking/*');
    const record = decodeStakingRecord(readStoredFile(path));
    expect(record && JSON.parse(encodeStakingRecord(record))).toEqual(
      JSON.parse(readStoredFile(path)),
    );
  });

  test('of keys, rotations, payments and accounts keep every field after decoding and encoding', () => {
    const keys = Object.entries(storedState.secrets).filter(([name]) => name.includes('.key.'));
    for (const [, text] of keys) {
      const key = decodeBoundKey(text);
      expect(key !== 'unreadable' && encodeBoundKey(key)).toBe(text);
    }
    const countReadableEntries = (prefix: string, decode: (value: unknown) => unknown): number => {
      const foundEntries = Object.entries(storedState.globalState).filter(([name]) =>
        name.startsWith(prefix),
      );
      for (const [name, value] of foundEntries) expect(decode(value), name).toEqual(value);
      return foundEntries.length;
    };
    const entryCounts = [
      countReadableEntries('keptKey.', (value) => {
        const key = decodeStoredKey(value);
        return key && encodeStoredKey(key);
      }),
      countReadableEntries('keyRotation.', (value) => {
        const rotation = decodeRotation(value);
        return rotation && encodeRotation(rotation);
      }),
      countReadableEntries('wallet.topUp.', (value) => {
        const record = decodeTopUp(value);
        return record && encodeTopUp(record);
      }),
      countReadableEntries('wallet.accounts', decodeKnownAccounts),
    ];
    expect([keys.length, ...entryCounts]).toEqual([4, 2, 1, 1, 1]);
  });
});
