import { expect, test } from 'vitest';
import { listImportCandidates } from './imported-outlines.ts';

test.each([
  ['typescript', './a', '/w/src/x.ts', '/w/src/a.ts'],
  ['typescript', './a.ts', '/w/src/x.ts', '/w/src/a.ts'],
  ['typescript', '../a.js', '/w/src/x.ts', '/w/a.ts'],
  ['typescript', '../a.js', '/w/src/x.ts', '/w/a.js'],
  ['typescriptreact', './a.jsx', '/w/x.tsx', '/w/a.tsx'],
  ['javascript', './folder', '/w/x.js', '/w/folder/index.js'],
  ['typescript', './a.service', '/w/x.ts', '/w/a.service.ts'],
  ['python', '.models', '/w/app/views.py', '/w/app/models.py'],
  ['python', '..core.models', '/w/app/views.py', '/w/core/models.py'],
  ['python', '.models', '/w/app/views.py', '/w/app/models/__init__.py'],
  ['rust', 'self::parser', '/w/src/main.rs', '/w/src/parser.rs'],
  ['rust', 'self::parser', '/w/src/lexer.rs', '/w/src/lexer/parser.rs'],
  ['rust', 'super::token', '/w/src/lexer.rs', '/w/src/token.rs'],
  ['rust', 'crate::lexer::Token', '/w/src/deep/a.rs', '/w/src/lexer.rs'],
  ['rust', 'crate::lexer::scan', '/w/src/deep/a.rs', '/w/src/lexer.rs'],
  ['cpp', './a/b.hpp', '/w/x.cpp', '/w/a/b.hpp'],
  ['ruby', './a', '/w/x.rb', '/w/a.rb'],
  ['php', './a.php', '/w/x.php', '/w/a.php'],
])(
  'listImportCandidates for %s, given the import %s in the file %s, includes the path %s',
  (languageId, specifier, importingPath, expected) => {
    expect(listImportCandidates(languageId, specifier, importingPath)).toContain(expected);
  },
);

test.each([
  ['typescript', `./${'../'.repeat(100_000)}a`],
  ['typescript', './a\0b'],
  ['python', '.'.repeat(100_000)],
  ['python', '..'],
  ['rust', 'self'],
  ['rust', 'self::__proto__'.repeat(100_000)],
  ['rust', 'constructor::a'],
])(
  'listImportCandidates returns no paths for an invalid %s import (case %#)',
  (languageId, specifier) => {
    expect(listImportCandidates(languageId, specifier, '/w/x')).toEqual([]);
  },
);
