// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { highlightGroups, isKnownLanguage } from './highlight-code.ts';

const shellCode = 'if true; then echo "a"; fi # comment';
const csharpCode = 'public class A { string b = "c"; } // comment';
const powershellCode = 'function A { return "b" } # comment';

/** Each row contains a language, code, and the parts of the code to highlight: keywords, keys, strings and comments. */
test.each([
  ['shell', shellCode, ['if', 'then', '"a"', 'fi', '# comment']],
  ['sh', shellCode, ['if', 'then', '"a"', 'fi', '# comment']],
  ['bash', shellCode, ['if', 'then', '"a"', 'fi', '# comment']],
  ['csharp', csharpCode, ['public', 'class', 'string', '"c"', '// comment']],
  ['cs', csharpCode, ['public', 'class', 'string', '"c"', '// comment']],
  [
    'php',
    "<?php function a() { return 'b'; } // comment",
    ['function', 'return', "'b'", '// comment'],
  ],
  ['ruby', "def a\n  'b' # comment\nend", ['def', "'b'", '# comment', 'end']],
  ['rb', "def a\n  'b' # comment\nend", ['def', "'b'", '# comment', 'end']],
  ['kotlin', 'fun a() { val b = "c" } // comment', ['fun', 'val', '"c"', '// comment']],
  ['kt', 'fun a() { val b = "c" } // comment', ['fun', 'val', '"c"', '// comment']],
  ['swift', 'func a() { let b = "c" } // comment', ['func', 'let', '"c"', '// comment']],
  ['powershell', powershellCode, ['function', 'return', '"b"', '# comment']],
  ['ps1', powershellCode, ['function', 'return', '"b"', '# comment']],
  ['dockerfile', 'FROM "a" AS b\nRUN c # d\n# comment', ['FROM', '"a"', 'RUN', '# comment']],
  ['docker', 'FROM a\n# comment', ['FROM', '# comment']],
  ['toml', '[a]\nb = "c" # comment', ['[a]', 'b', '"c"', '# comment']],
  ['ini', '[a]\nb = "c"\n; comment', ['[a]', 'b', '"c"', '; comment']],
  [
    'cpp',
    'class A { int b() { return 1; } }; // comment',
    ['class', 'int', 'return', '// comment'],
  ],
])(
  'highlightGroups colors the keywords, keys, strings and comments of code in the language %s',
  (name, code, coloredTexts) => {
    expect(isKnownLanguage(name)).toBe(true);
    const group = document.createElement('span');
    group.textContent = `${code}\n`;
    highlightGroups(name, [group]);
    const texts = [...group.querySelectorAll('[class^="hljs-"]')].map(
      ({ textContent }) => textContent,
    );
    expect(texts).toEqual(expect.arrayContaining(coloredTexts));
    expect(group.textContent).toBe(`${code}\n`);
  },
);
