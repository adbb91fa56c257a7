import { expect, test } from 'vitest';
import { createPathFilter } from './path-filter.ts';

test.each<readonly [include: string, exclude: string, path: string, result: 'accepts' | 'rejects']>(
  [
    ['', '', 'a/b.ts', 'accepts'],
    ['*.ts', '', 'a/b.ts', 'accepts'],
    ['*.ts, *.js', '', 'a/b.js', 'accepts'],
    ['*.ts', '', 'a/b.py', 'rejects'],
    ['src', '', 'src/a/b.ts', 'accepts'],
    ['src/', '', 'src/a/b.ts', 'accepts'],
    ['src/app.ts', '', 'src/app.ts', 'accepts'],
    ['src/app.ts', '', 'x/src/app.ts', 'rejects'],
    ['', 'dist', 'a/dist/b.ts', 'rejects'],
    ['', '*.test.ts', 'a.test.ts', 'rejects'],
    ['', 'a/b/**', 'a/b/c/d', 'rejects'],
    ['*.ts', 'a', 'a/b.ts', 'rejects'],
  ],
)(
  'the filter for the include pattern "$0" and the exclude pattern "$1" $3 the path $2',
  (include, exclude, path, result) => {
    expect(createPathFilter({ include, exclude }).accepts(path)).toBe(result === 'accepts');
  },
);

test.each<readonly [include: string, names: readonly string[]]>([
  ['*.ts', ['*.ts']],
  ['src/**/*.{ts,js}', ['*.ts', '*.js']],
])('createPathFilter derives from the include pattern %j the name globs %j', (include, names) => {
  expect(createPathFilter({ include }).nameGlobs).toEqual(names);
});

test.each(['src', 'src/**', '*.ts,src', ''])(
  'createPathFilter derives no name globs from the include pattern %j',
  (include) => {
    expect(createPathFilter({ include }).nameGlobs).toBeUndefined();
  },
);

test.each(['a\0b', 'a\nb', '{a,b}'.repeat(30)])(
  'createPathFilter rejects the include pattern %j',
  (include) => {
    expect(() => createPathFilter({ include })).toThrow();
  },
);
