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

const folderContexts = {
  'a document in docs/guide': nestedDocumentContext,
  'a document in the workspace folder': rootDocumentContext,
  'a document outside the workspace': outsideDocumentContext,
  'a document without a workspace': standaloneDocumentContext,
  'an untitled document in a workspace': untitledDocumentContext,
  'an untitled document without a workspace': noWorkspaceContext,
  'the document .env': { document: { name: '.env', folderNames: [] }, hasWorkspace: true },
} satisfies Record<string, FolderContext>;
type ContextName = keyof typeof folderContexts;

const createProblem = (code: string, invalidSegment: string | undefined): object =>
  invalidSegment === undefined
    ? { kind: 'problem', code }
    : { kind: 'problem', code, invalidSegment };

test.each<[string, ContextName, 'document' | 'workspace', string]>([
  ['images', 'a document in docs/guide', 'document', 'images'],
  ['', 'a document in docs/guide', 'document', 'images'],
  ['  ', 'a document in docs/guide', 'document', 'images'],
  [' images/ ', 'a document in docs/guide', 'document', 'images'],
  ['./a//b/./c', 'a document in docs/guide', 'document', 'a/b/c'],
  ['a\\b', 'a document in docs/guide', 'document', 'a/b'],
  ['.', 'a document in docs/guide', 'document', ''],
  ['a/../b', 'a document in docs/guide', 'document', 'b'],
  ['../assets', 'a document in docs/guide', 'workspace', 'docs/assets'],
  ['../../assets', 'a document in docs/guide', 'workspace', 'assets'],
  ['../..', 'a document in docs/guide', 'workspace', ''],
  ['../guide/img', 'a document in docs/guide', 'document', 'img'],
  ['images', 'a document in the workspace folder', 'document', 'images'],
  ['images', 'a document outside the workspace', 'document', 'images'],
  ['images', 'a document without a workspace', 'document', 'images'],
  ['images', 'an untitled document in a workspace', 'workspace', 'images'],
  ['', 'an untitled document in a workspace', 'workspace', 'images'],
  ['${fileDirname}', 'a document in docs/guide', 'document', ''],
  ['${fileDirname}/img', 'a document in docs/guide', 'document', 'img'],
  ['${fileDirname}\\img', 'a document in docs/guide', 'document', 'img'],
  ['${fileDirname}/../img', 'a document in docs/guide', 'workspace', 'docs/img'],
  ['${fileDirname}/img', 'a document without a workspace', 'document', 'img'],
  ['${relativeFileDirname}/img', 'a document in docs/guide', 'document', 'img'],
  ['${workspaceFolder}', 'a document in docs/guide', 'workspace', ''],
  ['${workspaceFolder}/assets', 'a document in docs/guide', 'workspace', 'assets'],
  ['${workspaceFolder}/assets', 'a document outside the workspace', 'workspace', 'assets'],
  ['${workspaceFolder}/assets', 'an untitled document in a workspace', 'workspace', 'assets'],
  ['${workspaceFolder}/docs/guide/img', 'a document in docs/guide', 'workspace', 'docs/guide/img'],
  ['${fileWorkspaceFolder}/assets', 'a document in docs/guide', 'workspace', 'assets'],
  [
    '${workspaceFolder}/assets/${relativeFileDirname}',
    'a document in docs/guide',
    'workspace',
    'assets/docs/guide',
  ],
  [
    '${workspaceFolder}/assets/${relativeFileDirname}',
    'a document in the workspace folder',
    'workspace',
    'assets',
  ],
  ['${fileBasenameNoExtension}', 'a document in docs/guide', 'document', 'first.steps'],
  [
    'img-${fileBasenameNoExtension}-x',
    'a document in the workspace folder',
    'document',
    'img-README-x',
  ],
  ['${fileBasenameNoExtension}', 'the document .env', 'document', '.env'],
  ['bilder/für alle/日本', 'a document in docs/guide', 'document', 'bilder/für alle/日本'],
  ['_images/{a}', 'a document in docs/guide', 'document', '_images/{a}'],
])(
  'resolveImageFolder resolves the folder setting %j for %s to a path relative to the %s: "%s"',
  (setting, contextName, base, path) => {
    const segments = path === '' ? [] : path.split('/');
    expect(resolveImageFolder(setting, folderContexts[contextName])).toEqual({
      kind: 'folder',
      base,
      segments,
    });
  },
);

test.each<[string, ContextName, string, string | undefined]>([
  ['/etc', 'a document in docs/guide', 'absolute', undefined],
  ['\\temp', 'a document in docs/guide', 'absolute', undefined],
  ['//server/share', 'a document in docs/guide', 'absolute', undefined],
  ['\\\\server\\share', 'a document in docs/guide', 'absolute', undefined],
  ['\\\\?\\C:\\x', 'a document in docs/guide', 'absolute', undefined],
  ['C:\\images', 'a document in docs/guide', 'absolute', undefined],
  ['c:images', 'a document in docs/guide', 'absolute', undefined],
  ['~/images', 'a document in docs/guide', 'absolute', undefined],
  ['~', 'a document in docs/guide', 'absolute', undefined],
  ['../../..', 'a document in docs/guide', 'outside', undefined],
  ['a/../../../../b', 'a document in docs/guide', 'outside', undefined],
  ['../../../work/docs', 'a document in docs/guide', 'outside', undefined],
  ['..', 'a document in the workspace folder', 'outside', undefined],
  ['..', 'a document without a workspace', 'outside', undefined],
  ['..', 'a document outside the workspace', 'outside', undefined],
  ['..', 'an untitled document in a workspace', 'outside', undefined],
  ['${workspaceFolder}/..', 'a document in docs/guide', 'outside', undefined],
  [
    '${workspaceFolder}/${relativeFileDirname}/../../..',
    'a document in docs/guide',
    'outside',
    undefined,
  ],
  ['images', 'an untitled document without a workspace', 'no-place', undefined],
  ['${fileDirname}/img', 'an untitled document in a workspace', 'no-document', '${fileDirname}'],
  [
    '${fileWorkspaceFolder}',
    'an untitled document in a workspace',
    'no-document',
    '${fileWorkspaceFolder}',
  ],
  [
    '${fileBasenameNoExtension}',
    'an untitled document in a workspace',
    'no-document',
    '${fileBasenameNoExtension}',
  ],
  [
    'a/${relativeFileDirname}',
    'an untitled document in a workspace',
    'no-document',
    '${relativeFileDirname}',
  ],
  [
    '${workspaceFolder}/img',
    'a document without a workspace',
    'no-workspace',
    '${workspaceFolder}',
  ],
  [
    '${workspaceFolder}/img',
    'an untitled document without a workspace',
    'no-workspace',
    '${workspaceFolder}',
  ],
  [
    '${fileWorkspaceFolder}/img',
    'a document outside the workspace',
    'no-workspace',
    '${fileWorkspaceFolder}',
  ],
  [
    'a/${relativeFileDirname}',
    'a document outside the workspace',
    'no-workspace',
    '${relativeFileDirname}',
  ],
  ['${env:HOME}/img', 'a document in docs/guide', 'unknown-variable', '${env:HOME}'],
  [
    '${workspaceFolder:other}/img',
    'a document in docs/guide',
    'unknown-variable',
    '${workspaceFolder:other}',
  ],
  ['${}', 'a document in docs/guide', 'unknown-variable', '${}'],
  ['a/${fileDirname}', 'a document in docs/guide', 'misplaced-variable', '${fileDirname}'],
  ['x${workspaceFolder}', 'a document in docs/guide', 'misplaced-variable', '${workspaceFolder}'],
  ['${fileDirname}x/y', 'a document in docs/guide', 'misplaced-variable', '${fileDirname}'],
  ['a/nul', 'a document in docs/guide', 'bad-name', 'nul'],
  ['COM1.images', 'a document in docs/guide', 'bad-name', 'COM1.images'],
  ['images.', 'a document in docs/guide', 'bad-name', 'images.'],
  ['a /b', 'a document in docs/guide', 'bad-name', 'a '],
  ['a/.../b', 'a document in docs/guide', 'bad-name', '...'],
  ['ab:c/d', 'a document in docs/guide', 'bad-name', 'ab:c'],
  ['file:///etc', 'a document in docs/guide', 'bad-name', 'file:'],
  ['a*', 'a document in docs/guide', 'bad-name', 'a*'],
  ['$(touch x)', 'a document in docs/guide', 'bad-name', '$(touch x)'],
  ['a/$b', 'a document in docs/guide', 'bad-name', '$b'],
  ['`touch x`', 'a document in docs/guide', 'bad-name', '`touch x`'],
  ["';touch x;'", 'a document in docs/guide', 'bad-name', "';touch x;'"],
  ["'+eval(1)+'", 'a document in docs/guide', 'bad-name', "'+eval(1)+'"],
  ['a&b', 'a document in docs/guide', 'bad-name', 'a&b'],
  ['a (1)', 'a document in docs/guide', 'bad-name', 'a (1)'],
  ['$(x)/..', 'a document in docs/guide', 'bad-name', '$(x)'],
  [
    '${fileBasenameNoExtension};x',
    'a document in docs/guide',
    'bad-name',
    '${fileBasenameNoExtension};x',
  ],
  ['a\u0000b', 'a document in docs/guide', 'bad-name', 'a\u0000b'],
  ['a\nb', 'a document in docs/guide', 'bad-name', 'a\nb'],
  ['progra~1', 'a document in docs/guide', 'bad-name', 'progra~1'],
])(
  'resolveImageFolder rejects the folder setting %j for %s with the code "%s"',
  (setting, contextName, code, invalidSegment) => {
    expect(resolveImageFolder(setting, folderContexts[contextName])).toEqual(
      createProblem(code, invalidSegment),
    );
  },
);

test.each([
  ['a bidi character', 'a\u202Eb', 'bad-name', 'a\u202Eb'],
  ['fullwidth dots', '\uFF0E\uFF0E/x', 'bad-name', '\uFF0E\uFF0E'],
  ['a fullwidth slash', 'a\uFF0Fb', 'bad-name', 'a\uFF0Fb'],
  ['a folder name of 256 characters', 'x'.repeat(256), 'bad-name', 'x'.repeat(256)],
  ['1002 characters', 'a/'.repeat(501), 'too-long', undefined],
])('resolveImageFolder rejects a folder setting with %s', (_, setting, code, invalidSegment) => {
  expect(resolveImageFolder(setting, nestedDocumentContext)).toEqual(
    createProblem(code, invalidSegment),
  );
});

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
