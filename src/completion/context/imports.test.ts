import { expect, test } from 'vitest';
import { importLimits, findImports } from './imports.ts';

const findSpecifiers = (languageId: string, text: string): string[] =>
  findImports(languageId, text).map(({ specifier, isRelative }) =>
    isRelative ? `~${specifier}` : specifier,
  );

test.each<[string, string, string[]]>([
  ['typescript', "import { a } from './a.ts';", ['~./a.ts']],
  ['typescript', 'import type A from "../a";', ['~../a']],
  ['typescript', "import './side-effect';", ['~./side-effect']],
  ['typescript', "import {\n  a,\n  b,\n} from './many';", ['~./many']],
  ['typescript', "export * from './all';\nexport { b } from './b';", ['~./all', '~./b']],
  ['typescript', "import fs from 'node:fs';\nimport { a } from '.';", ['~.', 'node:fs']],
  ['typescript', "const lazy = await import('./lazy.ts');", ['~./lazy.ts']],
  ['javascript', "const a = require('./a');", ['~./a']],
  ['javascript', "import a from './a';\nimport b from './a';", ['~./a']],
  ['javascript', "const text = 'import me';", []],
  ['python', 'from .models import User, Group', ['~.models']],
  ['python', 'from . import views, forms as f', ['~.views', '~.forms']],
  ['python', 'from .. import (a, b)', ['~..a', '~..b']],
  ['python', 'import os, sys as system\nfrom a.b import c', ['os', 'sys', 'a.b']],
  ['go', 'package main\n\nimport (\n\t"fmt"\n\tlog "x.io/log" // why\n)\n', ['fmt', 'x.io/log']],
  ['go', 'import "os"\n\nfunc main() {\n\t"no"\n}', ['os']],
  [
    'rust',
    'mod parser;\nuse crate::lexer::{Token, Kind};\nuse std::fmt;',
    ['~self::parser', '~crate::lexer', 'std::fmt'],
  ],
  ['rust', 'pub(crate) mod a;\npub use super::b;', ['~self::a', '~super::b']],
  [
    'java',
    'import java.util.List;\nimport static a.B.c;\n\npublic class X {\n}',
    ['java.util.List', 'a.B.c'],
  ],
  ['kotlin', 'import a.b.C\nfun main() {}\nimport no', ['a.b.C']],
  ['cpp', '#include <vector>\n# include "a/b.hpp"', ['~./a/b.hpp', 'vector']],
  ['c', '#include "../up.h"', ['~../up.h']],
  ['csharp', 'using System.Text;\nusing X = A.B;\nusing (var a = b) {}', ['System.Text', 'A.B']],
  [
    'php',
    "<?php\nuse App\\Models\\User;\nrequire_once __DIR__ . '/a.php';",
    ['~./a.php', 'App\\Models\\User'],
  ],
  ['ruby', "require 'json'\nrequire_relative 'a/b'", ['~./a/b', 'json']],
  ['dart', "import 'package:a/a.dart';\nimport 'b.dart';", ['~b.dart', 'package:a/a.dart']],
  ['scss', "@use 'colours';\n@import url('https://a.b/c.css');", ['~colours', 'https://a.b/c.css']],
  ['lua', "local a = require('a.b')", ['a.b']],
  ['typescript', "import a from './a';\r\nimport b from './b';\r\n", ['~./a', '~./b']],
  ['cobol', "import './a'", []],
  ['typescript', '', []],
])('findImports for %s finds the imports in %j', (languageId, text, expected) =>
  expect(findSpecifiers(languageId, text)).toEqual(expected),
);

test('findImports limits the number of returned modules', () => {
  const text = Array.from({ length: 500 }, (_, index) => `import './m${index}';`).join('\n');
  expect(findImports('typescript', text)).toHaveLength(importLimits.modules);
});

const languages = [
  'typescript',
  'python',
  'go',
  'rust',
  'java',
  'cpp',
  'csharp',
  'php',
  'ruby',
  'scss',
  'lua',
];
const hostileTexts = [
  'x'.repeat(10_000_000),
  `import ${'a,'.repeat(5_000_000)}`,
  `import ${' '.repeat(380)}\n`.repeat(20_000),
  `from ${'.'.repeat(380)}\n`.repeat(20_000),
  `use ${'a::'.repeat(120)}\n`.repeat(20_000),
  '\0'.repeat(10_000_000),
  '\uD83D'.repeat(5_000_000),
  '\n'.repeat(10_000_000),
];

test.each(languages)('findImports limits the number of modules in a huge %s text', (languageId) => {
  for (const text of hostileTexts) {
    expect(findImports(languageId, text).length).toBeLessThanOrEqual(importLimits.modules);
  }
});
