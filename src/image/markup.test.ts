import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { encodePath, toLiteralPath } from './markup.ts';

test.each([
  ['images/a-cat-7.png', 'images/a-cat-7.png'],
  ['../images/a_b~c.png', '../images/a_b~c.png'],
  ['日本/über.png', '日本/über.png'],
  ['my images/a (1).png', 'my%20images/a%20%281%29.png'],
  ['100%/a#b?c.png', '100%25/a%23b%3Fc.png'],
  ['a"b\'c`.png', 'a%22b%27c%60.png'],
  ['{{a}}<b>@c$.png', '%7B%7Ba%7D%7D%3Cb%3E%40c%24.png'],
  ['a\\b.png', 'a%5Cb.png'],
  ['a\nb\u0000.png', 'a%0Ab%00.png'],
  ['🎉.png', '%F0%9F%8E%89.png'],
  ['\uD800.png', '%EF%BF%BD.png'],
  ['javascript:alert(1)', 'javascript%3Aalert%281%29'],
  ['//host/a.png', '/host/a.png'],
  ['/home/a b.png', '/home/a%20b.png'],
  ['C:\\a b\\c.png', 'file:///C:/a%20b/c.png'],
  ['/c:/a b/c.png', 'file:///c:/a%20b/c.png'],
  ['c:a.png', 'c%3Aa.png'],
])('encodePath encodes the path %j as the URI %s', (path, uri) =>
  expect(encodePath(path)).toBe(uri),
);

test('encodePath encodes a right-to-left override and a no-break space in a path', () => {
  expect(encodePath('a\u202Eb\u00A0.png')).toBe('a%E2%80%AEb%C2%A0.png');
});

test.each([
  ['images/a cat.png', 'images/a cat.png'],
  ['a\nb\u202E\u0000\u2028/c.png', 'ab/c.png'],
  ['//host/a.png', '/host/a.png'],
  ['/home/a\nb.png', '/home/ab.png'],
  ['C:\\a b\\c.png', 'C:/a b/c.png'],
  ['/c:/a b/c.png', 'c:/a b/c.png'],
  ['file:a.png', './file:a.png'],
  ['a/b:c.png', 'a/b:c.png'],
])('toLiteralPath writes the path %j unencoded as %j', (path, literalPath) =>
  expect(toLiteralPath(path)).toBe(literalPath),
);

test('encodePath encodes any file names to a URI path from which decoding restores the names', () => {
  const nameArbitrary = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((path) => !path.includes('/') && !/^[a-z]:(?:\\|$)/iu.test(path));
  fc.assert(
    fc.property(fc.array(nameArbitrary, { minLength: 1 }), (names) => {
      const uri = encodePath(names.join('/'));
      expect(uri.split('/').map(decodeURIComponent)).toEqual(names);
      expect(uri).toMatch(/^[\p{L}\p{M}\p{Nd}._~%/-]+$/u);
    }),
  );
});
