import { expect, test } from 'vitest';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { chooseCompletionScope } from './scope.ts';

test.each([
  ['typescript', '|', 'block'],
  ['typescript', 'function f() {\n  |\n}', 'block'],
  ['typescript', 'if (a) {|', 'block'],
  ['typescript', 'if (a) {|}', 'block'],
  ['typescript', 'f(() => {|});', 'block'],
  ['typescript', 'if (a) {|\n}', 'block'],
  ['typescript', 'if (a) {|\n  b();\n}', 'line'],
  ['typescript', 'if (a) {|\n\n  b();\n}', 'line'],
  ['typescript', 'const a = |', 'line'],
  ['typescript', 'f(|)', 'line'],
  ['typescript', 'f(|', 'line'],
  ['typescript', 'a[|', 'line'],
  ['typescript', 'const a = [|', 'block'],
  ['typescript', '  |b();', 'line'],
  ['typescript', 'if (a) {| b(); }', 'line'],
  ['typescriptreact', 'return (|', 'block'],
  ['python', 'def f():|', 'block'],
  ['python', 'def f():|\n    pass', 'line'],
  ['python', 'x = a|', 'line'],
  ['python', 'def f(a:|)', 'line'],
  ['go', 'for i := range a {|', 'block'],
  ['rust', 'match a {|', 'block'],
  ['html', '<ul>|', 'block'],
  ['html', '<br/>|', 'line'],
  ['html', '<ul>|</ul>', 'line'],
  ['css', '.a {|', 'block'],
  ['markdown', '# Title\n\n|', 'block'],
  ['markdown', 'This is a |', 'line'],
  ['json', '{|', 'block'],
  ['json', '"a": [|', 'block'],
  ['yaml', 'jobs:|', 'block'],
  ['yaml', 'name: |', 'line'],
  ['shellscript', 'if a; then|', 'block'],
  ['shellscript', 'echo |', 'line'],
  ['makefile', 'build: a.c|', 'block'],
  ['makefile', 'CC := |', 'line'],
  ['some-language', 'f {|', 'block'],
])(
  'chooseCompletionScope, given a %s document with the text %j, returns the scope %s',
  (languageId, text, expected) => {
    expect(chooseCompletionScope(createSnapshotOf(text, languageId))).toBe(expected);
  },
);
