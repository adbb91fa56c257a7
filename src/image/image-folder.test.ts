import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { findPathNameProblem } from '../workspace/path-rules.ts';
import { type FolderContext, resolveImageFolder } from './image-folder.ts';

const nestedDocumentContext: FolderContext = {
  document: { name: 'first.steps.md', folderNames: ['docs', 'guide'] },
  hasWorkspace: true,
};
const rootDocumentContext: FolderContext = {
  document: { name: 'README.md', folderNames: [] },
  hasWorkspace: true,
};
const outsideDocumentContext: FolderContext = { document: { name: 'note.md' }, hasWorkspace: true };
const standaloneDocumentContext: FolderContext = {
  document: { name: 'note.md' },
  hasWorkspace: false,
};
const untitledDocumentContext: FolderContext = { hasWorkspace: true };
const noWorkspaceContext: FolderContext = { hasWorkspace: false };

test.each<[string, FolderContext, 'document' | 'workspace', string]>([
  ['images', nestedDocumentContext, 'document', 'images'],
  ['', nestedDocumentContext, 'document', 'images'],
  ['  ', nestedDocumentContext, 'document', 'images'],
  [' images/ ', nestedDocumentContext, 'document', 'images'],
  ['./a//b/./c', nestedDocumentContext, 'document', 'a/b/c'],
  ['a\\b', nestedDocumentContext, 'document', 'a/b'],
  ['.', nestedDocumentContext, 'document', ''],
  ['a/../b', nestedDocumentContext, 'document', 'b'],
  ['../assets', nestedDocumentContext, 'workspace', 'docs/assets'],
  ['../../assets', nestedDocumentContext, 'workspace', 'assets'],
  ['../..', nestedDocumentContext, 'workspace', ''],
  ['../guide/img', nestedDocumentContext, 'document', 'img'],
  ['images', rootDocumentContext, 'document', 'images'],
  ['images', outsideDocumentContext, 'document', 'images'],
  ['images', standaloneDocumentContext, 'document', 'images'],
  ['images', untitledDocumentContext, 'workspace', 'images'],
  ['', untitledDocumentContext, 'workspace', 'images'],
  ['${fileDirname}', nestedDocumentContext, 'document', ''],
  ['${fileDirname}/img', nestedDocumentContext, 'document', 'img'],
  ['${fileDirname}\\img', nestedDocumentContext, 'document', 'img'],
  ['${fileDirname}/../img', nestedDocumentContext, 'workspace', 'docs/img'],
  ['${fileDirname}/img', standaloneDocumentContext, 'document', 'img'],
  ['${relativeFileDirname}/img', nestedDocumentContext, 'document', 'img'],
  ['${workspaceFolder}', nestedDocumentContext, 'workspace', ''],
  ['${workspaceFolder}/assets', nestedDocumentContext, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', outsideDocumentContext, 'workspace', 'assets'],
  ['${workspaceFolder}/assets', untitledDocumentContext, 'workspace', 'assets'],
  ['${workspaceFolder}/docs/guide/img', nestedDocumentContext, 'workspace', 'docs/guide/img'],
  ['${fileWorkspaceFolder}/assets', nestedDocumentContext, 'workspace', 'assets'],
  [
    '${workspaceFolder}/assets/${relativeFileDirname}',
    nestedDocumentContext,
    'workspace',
    'assets/docs/guide',
  ],
  ['${workspaceFolder}/assets/${relativeFileDirname}', rootDocumentContext, 'workspace', 'assets'],
  ['${fileBasenameNoExtension}', nestedDocumentContext, 'document', 'first.steps'],
  ['img-${fileBasenameNoExtension}-x', rootDocumentContext, 'document', 'img-README-x'],
  [
    '${fileBasenameNoExtension}',
    { document: { name: '.env', folderNames: [] }, hasWorkspace: true },
    'document',
    '.env',
  ],
  ['bilder/für alle/日本', nestedDocumentContext, 'document', 'bilder/für alle/日本'],
  ['_images/{a}', nestedDocumentContext, 'document', '_images/{a}'],
])(
  'resolveImageFolder resolves the folder setting %j for the document %j, relative to the %s, to "%s"',
  (setting, context, base, path) => {
    const segments = path === '' ? [] : path.split('/');
    expect(resolveImageFolder(setting, context)).toEqual({ kind: 'folder', base, segments });
  },
);

test.each<[string, FolderContext, string, string | undefined]>([
  ['/etc', nestedDocumentContext, 'absolute', undefined],
  ['\\temp', nestedDocumentContext, 'absolute', undefined],
  ['//server/share', nestedDocumentContext, 'absolute', undefined],
  ['\\\\server\\share', nestedDocumentContext, 'absolute', undefined],
  ['\\\\?\\C:\\x', nestedDocumentContext, 'absolute', undefined],
  ['C:\\images', nestedDocumentContext, 'absolute', undefined],
  ['c:images', nestedDocumentContext, 'absolute', undefined],
  ['~/images', nestedDocumentContext, 'absolute', undefined],
  ['~', nestedDocumentContext, 'absolute', undefined],
  ['../../..', nestedDocumentContext, 'outside', undefined],
  ['a/../../../../b', nestedDocumentContext, 'outside', undefined],
  ['../../../work/docs', nestedDocumentContext, 'outside', undefined],
  ['..', rootDocumentContext, 'outside', undefined],
  ['..', standaloneDocumentContext, 'outside', undefined],
  ['..', outsideDocumentContext, 'outside', undefined],
  ['..', untitledDocumentContext, 'outside', undefined],
  ['${workspaceFolder}/..', nestedDocumentContext, 'outside', undefined],
  [
    '${workspaceFolder}/${relativeFileDirname}/../../..',
    nestedDocumentContext,
    'outside',
    undefined,
  ],
  ['images', noWorkspaceContext, 'no-place', undefined],
  ['${fileDirname}/img', untitledDocumentContext, 'no-document', '${fileDirname}'],
  ['${fileWorkspaceFolder}', untitledDocumentContext, 'no-document', '${fileWorkspaceFolder}'],
  [
    '${fileBasenameNoExtension}',
    untitledDocumentContext,
    'no-document',
    '${fileBasenameNoExtension}',
  ],
  ['a/${relativeFileDirname}', untitledDocumentContext, 'no-document', '${relativeFileDirname}'],
  ['${workspaceFolder}/img', standaloneDocumentContext, 'no-workspace', '${workspaceFolder}'],
  ['${workspaceFolder}/img', noWorkspaceContext, 'no-workspace', '${workspaceFolder}'],
  ['${fileWorkspaceFolder}/img', outsideDocumentContext, 'no-workspace', '${fileWorkspaceFolder}'],
  ['a/${relativeFileDirname}', outsideDocumentContext, 'no-workspace', '${relativeFileDirname}'],
  ['${env:HOME}/img', nestedDocumentContext, 'unknown-variable', '${env:HOME}'],
  [
    '${workspaceFolder:other}/img',
    nestedDocumentContext,
    'unknown-variable',
    '${workspaceFolder:other}',
  ],
  ['${}', nestedDocumentContext, 'unknown-variable', '${}'],
  ['a/${fileDirname}', nestedDocumentContext, 'misplaced-variable', '${fileDirname}'],
  ['x${workspaceFolder}', nestedDocumentContext, 'misplaced-variable', '${workspaceFolder}'],
  ['${fileDirname}x/y', nestedDocumentContext, 'misplaced-variable', '${fileDirname}'],
  ['a/nul', nestedDocumentContext, 'bad-name', 'nul'],
  ['COM1.images', nestedDocumentContext, 'bad-name', 'COM1.images'],
  ['images.', nestedDocumentContext, 'bad-name', 'images.'],
  ['a /b', nestedDocumentContext, 'bad-name', 'a '],
  ['a/.../b', nestedDocumentContext, 'bad-name', '...'],
  ['ab:c/d', nestedDocumentContext, 'bad-name', 'ab:c'],
  ['file:///etc', nestedDocumentContext, 'bad-name', 'file:'],
  ['a*', nestedDocumentContext, 'bad-name', 'a*'],
  ['$(touch x)', nestedDocumentContext, 'bad-name', '$(touch x)'],
  ['a/$b', nestedDocumentContext, 'bad-name', '$b'],
  ['`touch x`', nestedDocumentContext, 'bad-name', '`touch x`'],
  ["';touch x;'", nestedDocumentContext, 'bad-name', "';touch x;'"],
  ["'+eval(1)+'", nestedDocumentContext, 'bad-name', "'+eval(1)+'"],
  ['a&b', nestedDocumentContext, 'bad-name', 'a&b'],
  ['a (1)', nestedDocumentContext, 'bad-name', 'a (1)'],
  ['$(x)/..', nestedDocumentContext, 'bad-name', '$(x)'],
  [
    '${fileBasenameNoExtension};x',
    nestedDocumentContext,
    'bad-name',
    '${fileBasenameNoExtension};x',
  ],
  ['a\u0000b', nestedDocumentContext, 'bad-name', 'a\u0000b'],
  ['a\nb', nestedDocumentContext, 'bad-name', 'a\nb'],
  ['a\u202Eb', nestedDocumentContext, 'bad-name', 'a\u202Eb'],
  ['\uFF0E\uFF0E/x', nestedDocumentContext, 'bad-name', '\uFF0E\uFF0E'],
  ['a\uFF0Fb', nestedDocumentContext, 'bad-name', 'a\uFF0Fb'],
  ['progra~1', nestedDocumentContext, 'bad-name', 'progra~1'],
  ['x'.repeat(256), nestedDocumentContext, 'bad-name', 'x'.repeat(256)],
  ['a/'.repeat(501), nestedDocumentContext, 'too-long', undefined],
])(
  'resolveImageFolder rejects the folder setting %j for the document %j with the code %s',
  (setting, context, code, invalidSegment) => {
    const expected = { kind: 'problem', code };
    expect(resolveImageFolder(setting, context)).toEqual(
      invalidSegment === undefined ? expected : { ...expected, invalidSegment },
    );
  },
);

test('resolveImageFolder rejects a document name with a forbidden character only if a variable of the setting inserts the name', () => {
  const context: FolderContext = {
    document: { name: 'a:b.md', folderNames: ['x'] },
    hasWorkspace: true,
  };
  expect(resolveImageFolder('${fileBasenameNoExtension}', context)).toMatchObject({
    code: 'bad-name',
  });
  expect(resolveImageFolder('images', context)).toMatchObject({ kind: 'folder' });
});

test('resolveImageFolder accepts special characters from the names of the document and its folders', () => {
  const folderNames = ["Bob's notes (1)", 'R&D', '$a'];
  const context: FolderContext = {
    document: { name: "l'été;.md", folderNames },
    hasWorkspace: true,
  };
  expect(resolveImageFolder('${fileBasenameNoExtension}-img', context)).toMatchObject({
    segments: ["l'été;-img"],
  });
  const setting = '${workspaceFolder}/img/${relativeFileDirname}';
  expect(resolveImageFolder(setting, context)).toMatchObject({ segments: ['img', ...folderNames] });
});

const nameArbitrary = fc.constantFrom(
  ...['..', '.', 'a', '/', '\\', '~', 'C:', ' ', 'nul', '\u0000', '\uFF0E', '\u2025', '${', '}'],
  ...[
    '${fileDirname}',
    '${workspaceFolder}',
    '${relativeFileDirname}',
    '${fileBasenameNoExtension}',
  ],
);
const folderSettingsArbitrary = fc
  .array(fc.oneof(nameArbitrary, fc.string({ unit: 'binary', maxLength: 3 })))
  .map((fragments) => fragments.join(''));

test('resolveImageFolder resolves any setting to portable folder names or to a problem', () => {
  const contexts = fc.constantFrom(
    nestedDocumentContext,
    rootDocumentContext,
    outsideDocumentContext,
    standaloneDocumentContext,
    untitledDocumentContext,
  );
  fc.assert(
    fc.property(folderSettingsArbitrary, contexts, (setting, context) => {
      const folder = resolveImageFolder(setting, context);
      if (folder.kind === 'problem' || folder.segments.length === 0) return;
      expect(folder.segments).not.toContain('..');
      expect(findPathNameProblem(`base/${folder.segments.join('/')}/a.png`)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
