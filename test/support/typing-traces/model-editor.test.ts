import { expect, test } from 'vitest';
import { ModelEditor } from './model-editor.ts';
import { readTrace } from './trace.ts';

/** Creates an editor for a document. The character `‸` in `document` marks the cursor. */
const createEditor = (language: string, document = '‸'): ModelEditor =>
  new ModelEditor(
    readTrace(`language ${language}\npath a\nindent 2\nseed 1\n\n%% document\n${document}`),
  );

/**
 * Presses the keys and returns the document, in which `|` marks the cursor. In `keys`, `⌫` is Backspace and `⌦` is
 * Delete.
 */
const typeKeys = (language: string, keys: string, document?: string): string => {
  const editor = createEditor(language, document);
  for (const key of keys) {
    if (key === '⌫') editor.pressBackspace();
    else if (key === '⌦') editor.deleteNextCharacter();
    else editor.type(key);
  }
  return `${editor.textBefore}|${editor.textAfter}`;
};

test.each([
  ['typescript', 'f(', 'f(|)'],
  ['typescript', 'f()', 'f()|'],
  ['typescript', 'f(g[0])', 'f(g[0])|'],
  ['typescript', 'f(⌫', 'f|'],
  ['typescript', 'f(x⌫⌫', 'f|'],
  ['typescript', 'f(⌦', 'f(|'],
  ['typescript', "a = 'b", "a = 'b|'"],
  ['typescript', "a = 'b'", "a = 'b'|"],
  ['typescript', "it's", "it's|"],
  ['typescript', 'if {\n', 'if {\n  |\n}'],
  ['typescript', 'if {\na', 'if {\n  a|\n}'],
  ['typescript', '  a\n\nb', '  a\n\n  b|'],
  ['typescript', '    ⌫', '  |'],
  ['typescript', '  }', '}|'],
  ['typescript', 'a < b', 'a < b|'],
  ['python', 'if a:\n', 'if a:\n  |'],
  ['python', '"""', '"""|'],
  ['html', '<p>', '<p>|</p>'],
  ['html', '<p>\n', '<p>\n  |\n</p>'],
  ['html', '<br />', '<br />|'],
  ['html', '<a href="', '<a href="|"'],
  ['html', '<a href="b">', '<a href="b">|</a>'],
  ['rust', "&'a", "&'a|"],
  ['markdown', '`a', '`a|'],
])(
  'in a %s document, the keys %j result in the text %j, where | is the cursor',
  (language, keys, document) => {
    expect(typeKeys(language, keys)).toBe(document);
  },
);

test('ModelEditor auto-closes a bracket before white space, but not before a word', () => {
  expect(typeKeys('typescript', '(', '‸word')).toBe('(|word');
  expect(typeKeys('typescript', '(', '‸ word')).toBe('(|) word');
});

test('ModelEditor types over a closing bracket only if it inserted the bracket', () => {
  expect(typeKeys('typescript', ')', 'f(‸)')).toBe('f()|)');
});

test('ModelEditor.insertText can replace text after the cursor', () => {
  const editor = createEditor('typescript');
  for (const key of 'f(') editor.type(key);
  editor.insertText('a)', 1);
  expect(`${editor.textBefore}|${editor.textAfter}`).toBe('f(a)|');
  expect(editor.closingText).toBe('');
});

test('ModelEditor.createSnapshot returns the cursor position and the text around the cursor', () => {
  const editor = createEditor('go', 'a\nbc‸d\n');
  expect(editor.createSnapshot()).toMatchObject({
    languageId: 'go',
    position: { line: 1, character: 2 },
    prefix: 'a\nbc',
    suffix: 'd\n',
  });
});
