import { expect, test } from 'vitest';
import { findViolations, findUnusedImports } from './imports.ts';
import { readProductSources } from './sources.ts';

test('each feature of the product imports only modules that the import table allows', () => {
  const sources = readProductSources();
  expect(sources.size).toBeGreaterThan(50);
  expect(findViolations(sources)).toEqual([]);
});

test('the product has at most 850 source files', () => {
  expect(readProductSources().size).toBeLessThanOrEqual(850);
});

test('each entry of the import table is used by an import of the product', () => {
  expect(findUnusedImports(readProductSources())).toEqual([]);
  const sources = new Map([['src/models/a.ts', "import { x } from '../base/x.ts';"]]);
  expect(findUnusedImports(sources)).toContain('conversation does not import valibot');
  expect(findUnusedImports(sources)).not.toContain('models does not import base');
});

test.each([
  ['a static import', 'src/base/a.ts', "import { x } from '../service/x.ts';"],
  ['an import on several lines', 'src/base/a.ts', "import {\n  x,\n} from '../service/x.ts';"],
  ['an import for its effects', 'src/agent/protocol.ts', "import 'node:fs';"],
  ['a type-only import', 'src/service/a.ts', "import type { Uri } from 'vscode';"],
  ['an inline type import', 'src/service/a.ts', "let uri: import('vscode').Uri;"],
  ['a dynamic import', 'src/chat/a.ts', "const wallet = await import('../wallet/x.ts');"],
  ['a computed import', 'src/chat/a.ts', 'const part = await import(name);'],
  ['a re-export', 'src/agent/a.ts', "export { x } from '../chat/x.ts';"],
  ['a re-export of everything', 'src/agent/a.ts', "export * from 'node:fs';"],
  ['a required module', 'src/models/a.ts', "const fs = require('node:fs');"],
  [
    'a higher feature, imported by a lower feature',
    'src/image/vscode/a.ts',
    "import type { X } from '../../chat/x.ts';",
  ],
  ['an edge, imported by a core', 'src/chat/a.ts', "import type { X } from './vscode/x.ts';"],
  [
    'an edge of a lower feature, imported by a core',
    'src/chat/a.ts',
    "import '../agent/vscode/x.ts';",
  ],
  ['a core, imported by a protocol', 'src/chat/protocol.ts', "import { x } from '../models/x.ts';"],
  [
    'an edge, imported by a protocol',
    'src/chat/protocol/a.ts',
    "import { x } from '../vscode/x.ts';",
  ],
  [
    'the entry file, imported by a feature',
    'src/chat/vscode/a.ts',
    "import { activate } from '../../extension.ts';",
  ],
  [
    'a page, imported by the extension host',
    'src/chat/vscode/a.ts',
    "import { x } from '../../../webview/x.ts';",
  ],
  [
    'the service client, imported by a page',
    'webview/chat/a.ts',
    "import { x } from '../../src/service/x.ts';",
  ],
  ['an edge, imported by a page', 'webview/chat/a.ts', "import '../../src/chat/vscode/x.ts';"],
  ['a core, imported by a page', 'webview/chat/a.ts', "import '../../src/chat/turn.ts';"],
  ['a page, imported by another page', 'webview/chat/a.ts', "import { x } from '../studio/x.ts';"],
  [
    'a test module, imported by the product',
    'src/chat/a.ts',
    "import { x } from '../../test/support/x.ts';",
  ],
  ['a fixture, imported by the product', 'src/chat/a.ts', "import { x } from './x.fixture.ts';"],
  ['an unlisted package', 'src/chat/a.ts', "import left from 'left-pad';"],
  ['viem, imported outside the wallet', 'src/account/a.ts', "import { toHex } from 'viem';"],
])('findViolations reports the forbidden import: %s', (_, path, text) => {
  expect(findViolations(new Map([[path, text]]))).toHaveLength(1);
});

test.each([
  ['src/misc/a.ts', '"misc" is not listed'],
  ['webview/misc/a.ts', '"webview/misc" is not listed'],
  ['src/misc.ts', '"misc.ts" is not listed'],
  ['src/agent/misc/a.ts', '"misc" is not listed for agent'],
  ['src/agent/tools/misc/a.ts', '"misc" is a second level of subjects'],
])(
  'findViolations reports the file %s, whose location is not in the import table',
  (path, problem) => {
    expect(findViolations(new Map([[path, '']]))).toEqual([`${path}: ${problem}`]);
  },
);

test('findViolations reports a folder with too many files', () => {
  const sources = Array.from({ length: 26 }, (_, index) => [`src/base/a${index}.ts`, ''] as const);
  expect(findViolations(new Map(sources))).toEqual(['src/base has 26 files, more than 25']);
});

test('findViolations reports an import cycle, including type imports', () => {
  const sources = new Map([
    ['src/base/a.ts', "import type { B } from './b.ts';"],
    ['src/base/b.ts', "export * from './c.ts';"],
    ['src/base/c.ts', "import { a } from './a.ts';"],
  ]);
  expect(findViolations(sources)).toEqual([
    'cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts',
  ]);
});

test('findViolations accepts imports that the import table allows', () => {
  const sources = new Map([
    [
      'src/chat/vscode/a.ts',
      "import * as vscode from 'vscode';\nimport '../../agent/vscode/x.ts';",
    ],
    ['src/wallet/a.ts', "import { toHex } from 'viem/utils';"],
    ['src/service/a.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
    ['webview/chat/composer/a.ts', "import '../../../src/chat/protocol/x.ts';"],
    ['src/agent/a.ts', "const options = ['--files-from', '--import', record['from'], 'x'];"],
    ['src/base/a.test.ts', "import { test } from 'vitest';"],
  ]);
  expect(findViolations(sources)).toEqual([]);
});
