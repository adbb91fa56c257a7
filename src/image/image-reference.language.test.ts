import { expect, test } from 'vitest';
import { chooseSupportedFormat, getReferenceLanguage } from './image-reference.ts';

test.each([
  ['markdown', '.md', 'markdown'],
  ['markdown', '.ipynb', 'markdown'],
  ['markdown', '', 'markdown'],
  ['mdx', '.mdx', 'markdown'],
  ['plaintext', '.mdx', 'markdown'],
  ['html', '.html', 'html'],
  ['html', '.vue', 'vue'],
  ['vue', '.vue', 'vue'],
  ['plaintext', 'vue', 'vue'],
  ['plaintext', '.svelte', 'html'],
  ['svelte', '.svelte', 'html'],
  ['handlebars', '.hbs', 'html'],
  ['php', '.php', 'html'],
  ['javascriptreact', '.jsx', 'jsx'],
  ['typescriptreact', '.tsx', 'jsx'],
  ['javascript', '.js', 'plain'],
  ['typescript', '.ts', 'plain'],
  ['css', '.css', 'css'],
  ['scss', '.scss', 'css'],
  ['less', '.less', 'css'],
  ['latex', '.tex', 'latex'],
  ['tex', '.sty', 'latex'],
  ['plaintext', '.TEX', 'latex'],
  ['restructuredtext', '.rst', 'restructuredtext'],
  ['plaintext', '.rst', 'restructuredtext'],
  ['plaintext', '.adoc', 'asciidoc'],
  ['asciidoc', '.txt', 'asciidoc'],
  ['plaintext', '.typ', 'typst'],
  ['plaintext', '.org', 'org'],
  ['plaintext', '.txt', 'plain'],
  ['python', '.py', 'plain'],
  ['constructor', '.__proto__', 'plain'],
  ['', '', 'plain'],
])(
  'getReferenceLanguage, given the language "%s" and the extension "%s", returns the image syntax "%s"',
  (languageId, extension, language) => {
    expect(getReferenceLanguage(languageId, extension)).toBe(language);
  },
);

test.each([
  ['markdown', 'webp', 'webp'],
  ['latex', 'webp', 'png'],
  ['latex', 'jpeg', 'jpeg'],
  ['typst', 'webp', 'png'],
] as const)(
  'chooseSupportedFormat, given a %s document and the format setting "%s", returns the image format "%s"',
  (language, requestedFormat, expected) => {
    expect(chooseSupportedFormat(language, requestedFormat)).toBe(expected);
  },
);

test('chooseSupportedFormat returns no image format for a Markdown document without a format setting', () => {
  expect(chooseSupportedFormat('markdown', undefined)).toBeUndefined();
});

test('chooseSupportedFormat returns PNG for a LaTeX document without a format setting', () => {
  expect(chooseSupportedFormat('latex', undefined)).toBe('png');
});
