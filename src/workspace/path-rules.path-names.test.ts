import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { foldPath } from '../base/fold-path.ts';
import { findPathNameProblem } from './path-rules.ts';

test.each([
  'src/app.ts',
  'src\\app.ts',
  './src/../README.md',
  '/home/a/project/a.ts',
  'C:\\work\\a.ts',
  'c:/work/a.ts',
  '/c:/work/a.ts',
  '.git/config',
  '.env',
  'a b/[id].tsx',
  '$types.d.ts',
  'Ä/日本語.md',
  '笔记：第一章.md',
  'src/-parts/button.tsx',
  'console.ts',
  'company/null.ts',
  'com10.txt',
  'a~b.ts',
  'é/ſ.ts',
  `${'a'.repeat(255)}/b`,
])('findPathNameProblem accepts the plain path %j', (path) => {
  expect(findPathNameProblem(path)).toBeUndefined();
});

test.each([
  ['', 'empty'],
  ['  ', 'empty'],
  ['a\u0000.ts', 'control-character'],
  ['a.ts\u0000.png', 'control-character'],
  ['a\nb', 'control-character'],
  ['a\rb', 'control-character'],
  ['a\tb', 'control-character'],
  ['a\u001B[2Jb', 'control-character'],
  ['a\u007Fb', 'control-character'],
  ['a\u009Bb', 'control-character'],
  ['a\u2028b', 'control-character'],
  ['.vs\u200Ccode/tasks.json', 'hidden-character'],
  ['.git\u200D/config', 'hidden-character'],
  ['\uFEFFa.ts', 'hidden-character'],
  ['a\u202Egnp.exe', 'hidden-character'],
  ['a\u2066b', 'hidden-character'],
  ['a\u00ADb', 'hidden-character'],
  ['a\uFE0Fb', 'hidden-character'],
  ['a\u3164b', 'hidden-character'],
  ['a\u{E0041}b', 'hidden-character'],
  ['a\uD800b', 'hidden-character'],
  ['\uFF0Egit/config', 'look-alike'],
  ['\u2024git/config', 'look-alike'],
  ['\u2025/x', 'look-alike'],
  ['a\uFF0Fb', 'look-alike'],
  ['\uFF3C\uFF3Cevil\uFF3Cshare', 'look-alike'],
  ['\uFF5E/x', 'look-alike'],
  ['a/\u2100', 'look-alike'],
  ['\\\\evil\\share\\a', 'network-path'],
  ['//evil/share/a', 'network-path'],
  ['\\/evil/share', 'network-path'],
  ['\\\\.\\PhysicalDrive0', 'network-path'],
  ['\\\\?\\C:\\a', 'network-path'],
  ['//?/C:/a', 'network-path'],
  ['~', 'home'],
  ['~/.bashrc', 'home'],
  ['~root/.profile', 'home'],
  ['a.ts:stream', 'colon'],
  ['.git::$INDEX_ALLOCATION/config', 'colon'],
  ['a.ts::$DATA', 'colon'],
  ['C:x', 'colon'],
  ['C:', 'colon'],
  ['/C:x', 'colon'],
  ['a/C:/x', 'colon'],
  ['C:/a:b', 'colon'],
  ['file:///etc/passwd', 'colon'],
  ['ms-msdt:/id', 'colon'],
  ['http://x|calc', 'colon'],
  ['vscode://a/b', 'colon'],
  ['a<b', 'forbidden-character'],
  ['a>b', 'forbidden-character'],
  ['a"b', 'forbidden-character'],
  ['a|b', 'forbidden-character'],
  ['src/*.ts', 'forbidden-character'],
  ['a?', 'forbidden-character'],
  ['\\??\\UNC\\evil', 'forbidden-character'],
  ['-rf', 'leading-dash'],
  ['--checkpoint-action=exec=sh x', 'leading-dash'],
  ['-x/a.ts', 'leading-dash'],
  ['src/-rf', 'leading-dash'],
  ['src\\-rf', 'leading-dash'],
  ['src/-rf/', 'leading-dash'],
  ['NUL', 'reserved-name'],
  ['con', 'reserved-name'],
  ['src/COM1.txt', 'reserved-name'],
  ['aux.c', 'reserved-name'],
  ['LPT9.tar.gz', 'reserved-name'],
  ['com\u00B9.txt', 'reserved-name'],
  ['\uFF23\uFF2F\uFF2E', 'reserved-name'],
  ['prn .txt', 'reserved-name'],
  ['a/nul/b', 'reserved-name'],
  ['CONIN$', 'reserved-name'],
  ['.git./config', 'trailing-dot'],
  ['.git /config', 'trailing-dot'],
  ['a.ts ', 'trailing-dot'],
  ['a.ts.', 'trailing-dot'],
  ['.../a', 'trailing-dot'],
  ['.. /a', 'trailing-dot'],
  ['a\u00A0', 'trailing-dot'],
  ['a.ts\u3000', 'trailing-dot'],
  ['GIT~1/config', 'short-name'],
  ['SETTIN~1.JSO', 'short-name'],
  ['PROGRA~12', 'short-name'],
  ['GIT~\uFF11/config', 'short-name'],
  ['a'.repeat(256), 'too-long'],
  ['é'.repeat(128), 'too-long'],
  ['a/'.repeat(2_049), 'too-long'],
])('findPathNameProblem rejects %j with the code %s', (path, code) => {
  expect(findPathNameProblem(path)?.code).toBe(code);
});

test('findPathNameProblem rejects an invalid name at any depth and with both kinds of slashes', () => {
  const refusedNameArbitrary = fc.constantFrom(
    'nul',
    'a:b',
    'a*',
    'x.',
    'GIT~1',
    'a\u200B',
    'a\u0000',
    'a\uFF0Fb',
  );
  const plainNamesArbitrary = fc.array(fc.constantFrom('src', '.', '..', 'a b', '日本'), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      plainNamesArbitrary,
      refusedNameArbitrary,
      plainNamesArbitrary,
      fc.constantFrom('/', '\\'),
      (before, name, after, slash) => {
        expect(findPathNameProblem([...before, name, ...after].join(slash))).toBeDefined();
      },
    ),
  );
});

test('findPathNameProblem returns a reason that does not contain the rejected path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (anyText) => {
      const text = findPathNameProblem(`~marker${anyText}`)?.text;
      expect(text).not.toContain('marker');
      expect(text).toMatch(/^[\u0020-\u007E]+$/u);
    }),
  );
});

test.each([
  ['uppercase letters', '.VSCODE/Settings.JSON', '.vscode/settings.json'],
  ['a long s (U+017F)', '.v\u017Fcode/settings.json', '.vscode/settings.json'],
  ['uppercase letters and a long s', '.VſCODE/TAſKS.JSON', '.vscode/tasks.json'],
  ['a dotless i (U+0131)', '.G\u0131T/config', '.git/config'],
  ['a Kelvin sign (U+212A)', 'pac\u212Aage.json', 'package.json'],
  ['a zero-width non-joiner and a backslash', '.vs\u200Ccode\\tasks.json', '.vscode/tasks.json'],
  ['full-width letters', '\uFF0E\uFF47\uFF49\uFF54/config', '.git/config'],
  ['a full-width backslash', '\uFF0Egit\uFF3Cconfig', '.git/config'],
  ['a ligature (U+FB01)', 'con\uFB01g', 'config'],
  ['a combining accent', 'e\u0301', '\u00E9'],
])('foldPath converts a path with $0 to "$2"', (_letters, path, foldedPath) => {
  expect(foldPath(path)).toBe(foldedPath);
});

test('foldPath ignores case for every letter', () => {
  const letters = Array.from({ length: 0x1_f000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  const isCaseSensitive = (letter: string): boolean =>
    [letter.toUpperCase(), letter.toLowerCase()].some(
      (variant) => foldPath(variant) !== foldPath(letter),
    );
  expect(letters.filter(isCaseSensitive)).toEqual([]);
});
