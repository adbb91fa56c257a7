import { expect, test } from 'vitest';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { isInComment } from './cursor-context.ts';

test.each([
  ['typescript', '// a|', true],
  ['typescript', 'a(); // b|', true],
  ['typescript', '// a\nb|', false],
  ['typescript', '/* a\n * b|', true],
  ['typescript', '/* a */ b|', false],
  ['typescript', 'const a = "http://b|', false],
  ['typescript', 'const a = "http://b"; c|', false],
  ['typescript', "const a = '/*'; b|", false],
  ['typescript', 'const a = `//\n//${b}|', false],
  ['typescript', "// it's\na|", false],
  ['typescript', "const a = 'it\\'s // b|", false],
  ['typescript', 'a / b / c|', false],
  ['typescriptreact', '<a>http://b|', false],
  ['typescriptreact', '{/* a|', true],
  ['python', '# a|', true],
  ['python', 'a = "#|', false],
  ['python', '"""\n# a|', false],
  ['python', '"""a"""\n# b|', true],
  ['go', 'a := `//|', false],
  ['rust', "fn f<'a>() { // b|", true],
  ['rust', "let a = '\"'; // b|", true],
  ['html', '<!-- a|', true],
  ['html', '<!-- a --> b|', false],
  ['html', '<script>\n// a|', true],
  ['css', '/* a|', true],
  ['css', 'a: url(http://b|', false],
  ['scss', '// a|', true],
  ['markdown', '# Title|', false],
  ['markdown', '```py\n# a|', true],
  ['markdown', '```py\n# a\n```\n# b|', false],
  ['json', '"a": "// b|', false],
  ['yaml', 'a: b # c|', true],
  ['yaml', 'a: b#c|', false],
  ['shellscript', '# a|', true],
  ['shellscript', 'echo $#|', false],
  ['makefile', '# a|', true],
  ['lua', '-- a|', true],
  ['sql', 'SELECT 1 -- a|', true],
  ['some-language', '// a|', true],
  ['some-language', '# a|', true],
])('isInComment in a %s document with the text %j returns %j', (languageId, text, expected) => {
  expect(isInComment(createSnapshotOf(text, languageId))).toBe(expected);
});

test('isInComment treats the inside of a very long block comment as code', () => {
  expect(isInComment(createSnapshotOf(`/*${' a\n'.repeat(1_000)}|`))).toBe(true);
  expect(isInComment(createSnapshotOf(`/*${' a\n'.repeat(3_000)}|`))).toBe(false);
});
