import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { checkPathName } from '../workspace/path-rules.ts';
import { type FolderContext, resolveImageFolder } from './image-folder.ts';

const inside: FolderContext = {
  document: { name: 'first.steps.md', folder: ['docs', 'guide'] },
  hasWorkspace: true,
};
const atRoot: FolderContext = { document: { name: 'README.md', folder: [] }, hasWorkspace: true };
const outside: FolderContext = { document: { name: 'note.md' }, hasWorkspace: true };
const alone: FolderContext = { document: { name: 'note.md' }, hasWorkspace: false };
const untitled: FolderContext = { hasWorkspace: true };
const nowhere: FolderContext = { hasWorkspace: false };

test.each<[string, FolderContext, 'document' | 'workspace', string]>([
  ['images', inside, 'document', 'images'],
  ['', inside, 'document', 'images'],
  ['  ', inside, 'document', 'images'],
  [' images/ ', inside, 'document', 'images'],
  ['./a//b/./c', inside, 'document', 'a/b/c'],
  ['a\\b', inside, 'document', 'a/b'],
  ['.', inside, 'document', ''],
  ['a/../b', inside, 'document', 'b'],
  ['../assets', inside, 'workspace', 'docs/assets'],
  ['../../assets', inside, 'workspace', 'assets'],
  ['../..', inside, 'workspace', ''],
  ['../guide/img', inside, 'document', 'img'],
  ['images', atRoot, 'document', 'images'],
  ['images', outside, 'document', 'images'],
  ['images', alone, 'document', 'images'],
  ['images', untitled, 'workspace', 'images'],
  ['', untitled, 'workspace', 'images'],
  ['${fileDirname}', inside, 'document', ''],
  ['${fileDirname}/img', inside, 'document', 'img'],
  ['${fileDirname}\\img', inside, 'document', 'img'],
  ['${fileDirname}/../img', inside, 'workspace', 'docs/img'],
  ['${fileDirname}/img', alone, 'document', 'img'],
  ['${relativeFileDirname}/img', inside, 'document', 'img'],
  ['${workspaceFolder}', inside, 'workspace', ''],
  ['${workspaceFolder}/assets', inside, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', outside, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', untitled, 'workspace', 'assets'],
  ['${workspaceFolder}/docs/guide/img', inside, 'workspace', 'docs/guide/img'],
  ['${fileWorkspaceFolder}/assets', inside, 'workspace', 'assets'],
  ['${workspaceFolder}/assets/${relativeFileDirname}', inside, 'workspace', 'assets/docs/guide'],
  ['${workspaceFolder}/assets/${relativeFileDirname}', atRoot, 'workspace', 'assets'],
  ['${fileBasenameNoExtension}', inside, 'document', 'first.steps'],
  ['img-${fileBasenameNoExtension}-x', atRoot, 'document', 'img-README-x'],
  [
    '${fileBasenameNoExtension}',
    { document: { name: '.env', folder: [] }, hasWorkspace: true },
    'document',
    '.env',
  ],
  ['bilder/für alle/日本', inside, 'document', 'bilder/für alle/日本'],
  ['_images/{a}', inside, 'document', '_images/{a}'],
])(
  'resolves the folder setting %j with context %j relative to the %s as "%s"',
  (setting, place, base, path) => {
    const segments = path === '' ? [] : path.split('/');
    expect(resolveImageFolder(setting, place)).toEqual({ kind: 'folder', base, segments });
  },
);

test.each<[string, FolderContext, string, string | undefined]>([
  ['/etc', inside, 'absolute', undefined],
  ['\\temp', inside, 'absolute', undefined],
  ['//server/share', inside, 'absolute', undefined],
  ['\\\\server\\share', inside, 'absolute', undefined],
  ['\\\\?\\C:\\x', inside, 'absolute', undefined],
  ['C:\\images', inside, 'absolute', undefined],
  ['c:images', inside, 'absolute', undefined],
  ['~/images', inside, 'absolute', undefined],
  ['~', inside, 'absolute', undefined],
  ['../../..', inside, 'outside', undefined],
  ['a/../../../../b', inside, 'outside', undefined],
  ['../../../work/docs', inside, 'outside', undefined],
  ['..', atRoot, 'outside', undefined],
  ['..', alone, 'outside', undefined],
  ['..', outside, 'outside', undefined],
  ['..', untitled, 'outside', undefined],
  ['${workspaceFolder}/..', inside, 'outside', undefined],
  ['${workspaceFolder}/${relativeFileDirname}/../../..', inside, 'outside', undefined],
  ['images', nowhere, 'no-place', undefined],
  ['${fileDirname}/img', untitled, 'no-document', '${fileDirname}'],
  ['${fileWorkspaceFolder}', untitled, 'no-document', '${fileWorkspaceFolder}'],
  ['${fileBasenameNoExtension}', untitled, 'no-document', '${fileBasenameNoExtension}'],
  ['a/${relativeFileDirname}', untitled, 'no-document', '${relativeFileDirname}'],
  ['${workspaceFolder}/img', alone, 'no-workspace', '${workspaceFolder}'],
  ['${workspaceFolder}/img', nowhere, 'no-workspace', '${workspaceFolder}'],
  ['${fileWorkspaceFolder}/img', outside, 'no-workspace', '${fileWorkspaceFolder}'],
  ['a/${relativeFileDirname}', outside, 'no-workspace', '${relativeFileDirname}'],
  ['${env:HOME}/img', inside, 'unknown-variable', '${env:HOME}'],
  ['${workspaceFolder:other}/img', inside, 'unknown-variable', '${workspaceFolder:other}'],
  ['${}', inside, 'unknown-variable', '${}'],
  ['a/${fileDirname}', inside, 'misplaced-variable', '${fileDirname}'],
  ['x${workspaceFolder}', inside, 'misplaced-variable', '${workspaceFolder}'],
  ['${fileDirname}x/y', inside, 'misplaced-variable', '${fileDirname}'],
  ['a/nul', inside, 'bad-name', 'nul'],
  ['COM1.images', inside, 'bad-name', 'COM1.images'],
  ['images.', inside, 'bad-name', 'images.'],
  ['a /b', inside, 'bad-name', 'a '],
  ['a/.../b', inside, 'bad-name', '...'],
  ['ab:c/d', inside, 'bad-name', 'ab:c'],
  ['file:///etc', inside, 'bad-name', 'file:'],
  ['a*', inside, 'bad-name', 'a*'],
  ['$(touch x)', inside, 'bad-name', '$(touch x)'],
  ['a/$b', inside, 'bad-name', '$b'],
  ['`touch x`', inside, 'bad-name', '`touch x`'],
  ["';touch x;'", inside, 'bad-name', "';touch x;'"],
  ["'+eval(1)+'", inside, 'bad-name', "'+eval(1)+'"],
  ['a&b', inside, 'bad-name', 'a&b'],
  ['a (1)', inside, 'bad-name', 'a (1)'],
  ['$(x)/..', inside, 'bad-name', '$(x)'],
  ['${fileBasenameNoExtension};x', inside, 'bad-name', '${fileBasenameNoExtension};x'],
  ['a\u0000b', inside, 'bad-name', 'a\u0000b'],
  ['a\nb', inside, 'bad-name', 'a\nb'],
  ['a\u202Eb', inside, 'bad-name', 'a\u202Eb'],
  ['\uFF0E\uFF0E/x', inside, 'bad-name', '\uFF0E\uFF0E'],
  ['a\uFF0Fb', inside, 'bad-name', 'a\uFF0Fb'],
  ['progra~1', inside, 'bad-name', 'progra~1'],
  ['x'.repeat(256), inside, 'bad-name', 'x'.repeat(256)],
  ['a/'.repeat(501), inside, 'too-long', undefined],
])('rejects the folder setting %j with context %j as %s', (setting, place, code, part) => {
  const expected = { kind: 'problem', code };
  expect(resolveImageFolder(setting, place)).toEqual(
    part === undefined ? expected : { ...expected, part },
  );
});

test('accepts a document name that is invalid as a folder name', () => {
  const place: FolderContext = { document: { name: 'a:b.md', folder: ['x'] }, hasWorkspace: true };
  expect(resolveImageFolder('${fileBasenameNoExtension}', place)).toMatchObject({
    code: 'bad-name',
  });
  expect(resolveImageFolder('images', place)).toMatchObject({ kind: 'folder' });
});

test('keeps the names of existing documents and folders', () => {
  const folder = ["Bob's notes (1)", 'R&D', '$a'];
  const place: FolderContext = { document: { name: "l'été;.md", folder }, hasWorkspace: true };
  expect(resolveImageFolder('${fileBasenameNoExtension}-img', place)).toMatchObject({
    segments: ["l'été;-img"],
  });
  const setting = '${workspaceFolder}/img/${relativeFileDirname}';
  expect(resolveImageFolder(setting, place)).toMatchObject({ segments: ['img', ...folder] });
});

const piece = fc.constantFrom(
  ...['..', '.', 'a', '/', '\\', '~', 'C:', ' ', 'nul', '\u0000', '\uFF0E', '\u2025', '${', '}'],
  ...[
    '${fileDirname}',
    '${workspaceFolder}',
    '${relativeFileDirname}',
    '${fileBasenameNoExtension}',
  ],
);
const settings = fc
  .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })))
  .map((pieces) => pieces.join(''));

test('resolves any setting to portable names below the base', () => {
  const places = fc.constantFrom(inside, atRoot, outside, alone, untitled);
  fc.assert(
    fc.property(settings, places, (setting, place) => {
      const folder = resolveImageFolder(setting, place);
      if (folder.kind === 'problem' || folder.segments.length === 0) return;
      expect(folder.segments).not.toContain('..');
      expect(checkPathName(`base/${folder.segments.join('/')}/a.png`)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
