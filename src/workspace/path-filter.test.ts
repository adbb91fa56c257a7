import { expect, test } from 'vitest';
import { createPathFilter } from './path-filter.ts';

test.each<readonly [include: string, exclude: string, path: string, accepted: boolean]>([
  ['', '', 'a/b.ts', true],
  ['*.ts', '', 'a/b.ts', true],
  ['*.ts, *.js', '', 'a/b.js', true],
  ['*.ts', '', 'a/b.py', false],
  ['src', '', 'src/a/b.ts', true],
  ['src/', '', 'src/a/b.ts', true],
  ['src/app.ts', '', 'src/app.ts', true],
  ['src/app.ts', '', 'x/src/app.ts', false],
  ['', 'dist', 'a/dist/b.ts', false],
  ['', '*.test.ts', 'a.test.ts', false],
  ['', 'a/b/**', 'a/b/c/d', false],
  ['*.ts', 'a', 'a/b.ts', false],
])(
  'the filter for the include pattern %j and the exclude pattern %j accepts the path %s: %s',
  (include, exclude, path, isAccepted) => {
    expect(createPathFilter({ include, exclude }).accepts(path)).toBe(isAccepted);
  },
);

test.each<readonly [include: string, names: readonly string[] | undefined]>([
  ['*.ts', ['*.ts']],
  ['src/**/*.{ts,js}', ['*.ts', '*.js']],
  ['src', undefined],
  ['src/**', undefined],
  ['*.ts,src', undefined],
  ['', undefined],
])('createPathFilter derives from the include pattern %j the name globs %j', (include, names) => {
  expect(createPathFilter({ include }).nameGlobs).toEqual(names);
});

test.each(['a\0b', 'a\nb', '{a,b}'.repeat(30)])(
  'createPathFilter rejects the include pattern %j',
  (include) => {
    expect(() => createPathFilter({ include })).toThrow();
  },
);
