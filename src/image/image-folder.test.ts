import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { checkPathName } from '../workspace/path-rules.ts';
import { type FolderContext, resolveImageFolder } from './image-folder.ts';

const nestedDocument: FolderContext = {
  document: { name: 'first.steps.md', folder: ['docs', 'guide'] },
  hasWorkspace: true,
};
const rootDocument: FolderContext = {
  document: { name: 'README.md', folder: [] },
  hasWorkspace: true,
};
const outsideDocument: FolderContext = { document: { name: 'note.md' }, hasWorkspace: true };
const standaloneDocument: FolderContext = { document: { name: 'note.md' }, hasWorkspace: false };
const untitledDocument: FolderContext = { hasWorkspace: true };
const noWorkspace: FolderContext = { hasWorkspace: false };

test.each<[string, FolderContext, 'document' | 'workspace', string]>([
  ['images', nestedDocument, 'document', 'images'],
  ['', nestedDocument, 'document', 'images'],
  ['  ', nestedDocument, 'document', 'images'],
  [' images/ ', nestedDocument, 'document', 'images'],
  ['./a//b/./c', nestedDocument, 'document', 'a/b/c'],
  ['a\\b', nestedDocument, 'document', 'a/b'],
  ['.', nestedDocument, 'document', ''],
  ['a/../b', nestedDocument, 'document', 'b'],
  ['../assets', nestedDocument, 'workspace', 'docs/assets'],
  ['../../assets', nestedDocument, 'workspace', 'assets'],
  ['../..', nestedDocument, 'workspace', ''],
  ['../guide/img', nestedDocument, 'document', 'img'],
  ['images', rootDocument, 'document', 'images'],
  ['images', outsideDocument, 'document', 'images'],
  ['images', standaloneDocument, 'document', 'images'],
  ['images', untitledDocument, 'workspace', 'images'],
  ['', untitledDocument, 'workspace', 'images'],
  ['${fileDirname}', nestedDocument, 'document', ''],
  ['${fileDirname}/img', nestedDocument, 'document', 'img'],
  ['${fileDirname}\\img', nestedDocument, 'document', 'img'],
  ['${fileDirname}/../img', nestedDocument, 'workspace', 'docs/img'],
  ['${fileDirname}/img', standaloneDocument, 'document', 'img'],
  ['${relativeFileDirname}/img', nestedDocument, 'document', 'img'],
  ['${workspaceFolder}', nestedDocument, 'workspace', ''],
  ['${workspaceFolder}/assets', nestedDocument, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', outsideDocument, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', untitledDocument, 'workspace', 'assets'],
  ['${workspaceFolder}/docs/guide/img', nestedDocument, 'workspace', 'docs/guide/img'],
  ['${fileWorkspaceFolder}/assets', nestedDocument, 'workspace', 'assets'],
  [
    '${workspaceFolder}/assets/${relativeFileDirname}',
    nestedDocument,
    'workspace',
    'assets/docs/guide',
  ],
  ['${workspaceFolder}/assets/${relativeFileDirname}', rootDocument, 'workspace', 'assets'],
  ['${fileBasenameNoExtension}', nestedDocument, 'document', 'first.steps'],
  ['img-${fileBasenameNoExtension}-x', rootDocument, 'document', 'img-README-x'],
  [
    '${fileBasenameNoExtension}',
    { document: { name: '.env', folder: [] }, hasWorkspace: true },
    'document',
    '.env',
  ],
  ['bilder/für alle/日本', nestedDocument, 'document', 'bilder/für alle/日本'],
  ['_images/{a}', nestedDocument, 'document', '_images/{a}'],
])(
  'resolveImageFolder resolves the folder setting %j for the document %j, relative to the %s, to "%s"',
  (setting, context, base, path) => {
    const segments = path === '' ? [] : path.split('/');
    expect(resolveImageFolder(setting, context)).toEqual({ kind: 'folder', base, segments });
  },
);

test.each<[string, FolderContext, string, string | undefined]>([
  ['/etc', nestedDocument, 'absolute', undefined],
  ['\\temp', nestedDocument, 'absolute', undefined],
  ['//server/share', nestedDocument, 'absolute', undefined],
  ['\\\\server\\share', nestedDocument, 'absolute', undefined],
  ['\\\\?\\C:\\x', nestedDocument, 'absolute', undefined],
  ['C:\\images', nestedDocument, 'absolute', undefined],
  ['c:images', nestedDocument, 'absolute', undefined],
  ['~/images', nestedDocument, 'absolute', undefined],
  ['~', nestedDocument, 'absolute', undefined],
  ['../../..', nestedDocument, 'outside', undefined],
  ['a/../../../../b', nestedDocument, 'outside', undefined],
  ['../../../work/docs', nestedDocument, 'outside', undefined],
  ['..', rootDocument, 'outside', undefined],
  ['..', standaloneDocument, 'outside', undefined],
  ['..', outsideDocument, 'outside', undefined],
  ['..', untitledDocument, 'outside', undefined],
  ['${workspaceFolder}/..', nestedDocument, 'outside', undefined],
  ['${workspaceFolder}/${relativeFileDirname}/../../..', nestedDocument, 'outside', undefined],
  ['images', noWorkspace, 'no-place', undefined],
  ['${fileDirname}/img', untitledDocument, 'no-document', '${fileDirname}'],
  ['${fileWorkspaceFolder}', untitledDocument, 'no-document', '${fileWorkspaceFolder}'],
  ['${fileBasenameNoExtension}', untitledDocument, 'no-document', '${fileBasenameNoExtension}'],
  ['a/${relativeFileDirname}', untitledDocument, 'no-document', '${relativeFileDirname}'],
  ['${workspaceFolder}/img', standaloneDocument, 'no-workspace', '${workspaceFolder}'],
  ['${workspaceFolder}/img', noWorkspace, 'no-workspace', '${workspaceFolder}'],
  ['${fileWorkspaceFolder}/img', outsideDocument, 'no-workspace', '${fileWorkspaceFolder}'],
  ['a/${relativeFileDirname}', outsideDocument, 'no-workspace', '${relativeFileDirname}'],
  ['${env:HOME}/img', nestedDocument, 'unknown-variable', '${env:HOME}'],
  ['${workspaceFolder:other}/img', nestedDocument, 'unknown-variable', '${workspaceFolder:other}'],
  ['${}', nestedDocument, 'unknown-variable', '${}'],
  ['a/${fileDirname}', nestedDocument, 'misplaced-variable', '${fileDirname}'],
  ['x${workspaceFolder}', nestedDocument, 'misplaced-variable', '${workspaceFolder}'],
  ['${fileDirname}x/y', nestedDocument, 'misplaced-variable', '${fileDirname}'],
  ['a/nul', nestedDocument, 'bad-name', 'nul'],
  ['COM1.images', nestedDocument, 'bad-name', 'COM1.images'],
  ['images.', nestedDocument, 'bad-name', 'images.'],
  ['a /b', nestedDocument, 'bad-name', 'a '],
  ['a/.../b', nestedDocument, 'bad-name', '...'],
  ['ab:c/d', nestedDocument, 'bad-name', 'ab:c'],
  ['file:///etc', nestedDocument, 'bad-name', 'file:'],
  ['a*', nestedDocument, 'bad-name', 'a*'],
  ['$(touch x)', nestedDocument, 'bad-name', '$(touch x)'],
  ['a/$b', nestedDocument, 'bad-name', '$b'],
  ['`touch x`', nestedDocument, 'bad-name', '`touch x`'],
  ["';touch x;'", nestedDocument, 'bad-name', "';touch x;'"],
  ["'+eval(1)+'", nestedDocument, 'bad-name', "'+eval(1)+'"],
  ['a&b', nestedDocument, 'bad-name', 'a&b'],
  ['a (1)', nestedDocument, 'bad-name', 'a (1)'],
  ['$(x)/..', nestedDocument, 'bad-name', '$(x)'],
  ['${fileBasenameNoExtension};x', nestedDocument, 'bad-name', '${fileBasenameNoExtension};x'],
  ['a\u0000b', nestedDocument, 'bad-name', 'a\u0000b'],
  ['a\nb', nestedDocument, 'bad-name', 'a\nb'],
  ['a\u202Eb', nestedDocument, 'bad-name', 'a\u202Eb'],
  ['\uFF0E\uFF0E/x', nestedDocument, 'bad-name', '\uFF0E\uFF0E'],
  ['a\uFF0Fb', nestedDocument, 'bad-name', 'a\uFF0Fb'],
  ['progra~1', nestedDocument, 'bad-name', 'progra~1'],
  ['x'.repeat(256), nestedDocument, 'bad-name', 'x'.repeat(256)],
  ['a/'.repeat(501), nestedDocument, 'too-long', undefined],
])(
  'resolveImageFolder rejects the folder setting %j for the document %j with the code %s',
  (setting, context, code, part) => {
    const expected = { kind: 'problem', code };
    expect(resolveImageFolder(setting, context)).toEqual(
      part === undefined ? expected : { ...expected, invalidSegment: part },
    );
  },
);

test('resolveImageFolder rejects a document name that is invalid as a folder name only if the setting contains the name', () => {
  const context: FolderContext = {
    document: { name: 'a:b.md', folder: ['x'] },
    hasWorkspace: true,
  };
  expect(resolveImageFolder('${fileBasenameNoExtension}', context)).toMatchObject({
    code: 'bad-name',
  });
  expect(resolveImageFolder('images', context)).toMatchObject({ kind: 'folder' });
});

test('resolveImageFolder accepts special characters from the names of the document and its folders', () => {
  const folder = ["Bob's notes (1)", 'R&D', '$a'];
  const context: FolderContext = { document: { name: "l'été;.md", folder }, hasWorkspace: true };
  expect(resolveImageFolder('${fileBasenameNoExtension}-img', context)).toMatchObject({
    segments: ["l'été;-img"],
  });
  const setting = '${workspaceFolder}/img/${relativeFileDirname}';
  expect(resolveImageFolder(setting, context)).toMatchObject({ segments: ['img', ...folder] });
});

const fragment = fc.constantFrom(
  ...['..', '.', 'a', '/', '\\', '~', 'C:', ' ', 'nul', '\u0000', '\uFF0E', '\u2025', '${', '}'],
  ...[
    '${fileDirname}',
    '${workspaceFolder}',
    '${relativeFileDirname}',
    '${fileBasenameNoExtension}',
  ],
);
const settings = fc
  .array(fc.oneof(fragment, fc.string({ unit: 'binary', maxLength: 3 })))
  .map((fragments) => fragments.join(''));

test('resolveImageFolder resolves any setting to portable folder names or to a problem', () => {
  const contexts = fc.constantFrom(
    nestedDocument,
    rootDocument,
    outsideDocument,
    standaloneDocument,
    untitledDocument,
  );
  fc.assert(
    fc.property(settings, contexts, (setting, context) => {
      const folder = resolveImageFolder(setting, context);
      if (folder.kind === 'problem' || folder.segments.length === 0) return;
      expect(folder.segments).not.toContain('..');
      expect(checkPathName(`base/${folder.segments.join('/')}/a.png`)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
