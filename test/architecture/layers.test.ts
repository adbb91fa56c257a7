import { expect, test } from 'vitest';
import { breaches, needless } from './layers.ts';
import { productSources } from './sources.ts';

test('the product keeps its layers', () => {
  const sources = productSources();
  expect(sources.size).toBeGreaterThan(50);
  expect(breaches(sources)).toEqual([]);
});

test('no layer may import what it never does', () => {
  expect(needless(productSources())).toEqual([]);
  const sources = new Map([['src/models/a.ts', "import * as l10n from '@vscode/l10n';"]]);
  expect(needless(sources)).toContain('chat does not import valibot');
  expect(needless(sources)).not.toContain('models does not import @vscode/l10n');
});

test.each([
  ['a static import', 'src/base/a.ts', "import { x } from '../service/x.ts';"],
  ['an import over several lines', 'src/base/a.ts', "import {\n  x,\n} from '../service/x.ts';"],
  ['an import for its effects', 'src/protocol/a.ts', "import 'node:fs';"],
  ['a type-only import', 'src/service/a.ts', "import type { Uri } from 'vscode';"],
  ['a type in place', 'src/service/a.ts', "let uri: import('vscode').Uri;"],
  ['a dynamic import', 'src/chat/a.ts', "const wallet = await import('../wallet/x.ts');"],
  ['a computed import', 'src/chat/a.ts', 'const part = await import(name);'],
  ['a re-export', 'src/agent/a.ts', "export { x } from '../host/x.ts';"],
  ['a re-export of everything', 'src/agent/a.ts', "export * from 'node:fs';"],
  ['a required module', 'src/models/a.ts', "const fs = require('node:fs');"],
  ['the webview in the host', 'src/host/a.ts', "import { x } from '../../webview/x.ts';"],
  ['the client in the webview', 'webview/a.ts', "import { x } from '../src/service/x.ts';"],
  ['a test in the product', 'src/host/a.ts', "import { x } from '../../test/support/x.ts';"],
  ['a fixture beside the code', 'src/host/a.ts', "import { x } from './x.fixture.ts';"],
  ['a package nobody listed', 'src/host/a.ts', "import left from 'left-pad';"],
])('%s is found', (_, path, text) => {
  expect(breaches(new Map([[path, text]]))).toHaveLength(1);
});

test('a folder nobody listed is found', () => {
  const sources = new Map([['src/misc/a.ts', '']]);
  expect(breaches(sources)).toEqual(['src/misc/a.ts: no layer is called "misc"']);
});

test('a cycle is found, through types too', () => {
  const sources = new Map([
    ['src/base/a.ts', "import type { B } from './b.ts';"],
    ['src/base/b.ts', "export * from './c.ts';"],
    ['src/base/c.ts', "import { a } from './a.ts';"],
  ]);
  expect(breaches(sources)).toEqual([
    'cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts',
  ]);
});

test('what the table allows is no breach', () => {
  const sources = new Map([
    ['src/host/chat/a.ts', "import * as vscode from 'vscode';\nimport '../../chat/x.ts';"],
    ['src/wallet/a.ts', "import { toHex } from 'viem/utils';"],
    ['src/service/a.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
    ['webview/view/a.ts', "import { html } from 'lit';\nimport '../../src/protocol/x.ts';"],
    ['src/agent/a.ts', "const options = ['--files-from', '--import', record['from'], 'x'];"],
    ['src/base/a.test.ts', "import { test } from 'vitest';"],
  ]);
  expect(breaches(sources)).toEqual([]);
});
