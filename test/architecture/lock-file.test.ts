import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';

type VersionRanges = Readonly<Record<string, string>>;

/** Entry of the lock file. Its key is the path of an installed package, or an empty string for the project itself. */
interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: VersionRanges;
  readonly devDependencies?: VersionRanges;
  readonly optionalDependencies?: VersionRanges;
  readonly peerDependencies?: VersionRanges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type LockedPackages = Readonly<Record<string, LockedPackage>>;

const lockedPackages = (readJson('package-lock.json') as { packages: LockedPackages }).packages;

test('the lock file contains every dependency of every platform', () => {
  expect(Object.keys(lockedPackages).length).toBeGreaterThan(100);
  expect(findMissingDependencies(lockedPackages)).toEqual([]);
});

test('the lock file matches the manifest', () => {
  const manifest = readJson('package.json') as { devDependencies: VersionRanges };
  expect(lockedPackages['']?.devDependencies).toEqual(manifest.devDependencies);
});

test('the lock file contains no registry URL', () => {
  expect(Object.keys(lockedPackages).filter((path) => lockedPackages[path]?.resolved)).toEqual([]);
});

test('the lock file contains a checksum of every package, except for optional binaries of other platforms', () => {
  const uncheckedPackages = Object.entries(lockedPackages).filter(
    ([path, entry]) => path && !entry.integrity,
  );
  const requiredPackages = uncheckedPackages.filter(
    ([, { optional, os, cpu }]) => !(optional && os?.length && cpu?.length),
  );
  expect(requiredPackages.map(([path]) => path)).toEqual([]);
});

test.each<[string, LockedPackages]>([
  ['a dependency', { '': { devDependencies: { a: '1.0.0' } } }],
  ['a version range', { '': { dependencies: { a: '^1.0.0' } } }],
  ["another platform's binary", { '': { optionalDependencies: { a: '1.0.0' } } }],
  ['a required peer', { '': { peerDependencies: { a: '1.0.0' } } }],
  [
    'a dependency of a package',
    { '': {}, 'node_modules/@scope/b': { dependencies: { a: '*' } }, 'node_modules/c': {} },
  ],
  [
    "a dependency that only a neighbor's folder has",
    {
      'node_modules/b': { dependencies: { a: '1.0.0' } },
      'node_modules/c/node_modules/a': { version: '1.0.0' },
    },
  ],
  [
    'an exact version',
    { '': { optionalDependencies: { a: '1.0.0' } }, 'node_modules/a': { version: '1.0.1' } },
  ],
  [
    'an exact version that only a more distant folder contains',
    {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { dependencies: { a: '1.0.0' } },
      'node_modules/b/node_modules/a': { version: '2.0.0' },
    },
  ],
])(
  'findMissingDependencies reports a lock file that lacks a matching entry for %s',
  (_, packages) => {
    expect(findMissingDependencies(packages)).toHaveLength(1);
  },
);

test('findMissingDependencies reports no problem for a complete lock file', () => {
  const packages: LockedPackages = {
    '': { devDependencies: { a: '1.0.0', '@scope/b': '^2.0.0' } },
    'node_modules/a': {
      version: '1.0.0',
      dependencies: { c: '~3.0.0' },
      peerDependencies: { '@scope/b': '*', d: '*' },
      peerDependenciesMeta: { d: { optional: true } },
    },
    'node_modules/@scope/b': { version: '2.1.0', optionalDependencies: { a: '1.0.0' } },
    'node_modules/a/node_modules/c': { version: '3.0.4', dependencies: { a: '1.0.0' } },
  };
  expect(findMissingDependencies(packages)).toEqual([]);
});

/**
 * Returns a line for each dependency that has no entry in the lock file. If a dependency requires an exact version,
 * also returns a line if its entry has another version.
 */
function findMissingDependencies(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([path, entry]) =>
    listRequiredRanges(entry).flatMap(([name, range]) => {
      const lockedEntry = resolvePackage(packages, path, name);
      const isExactVersion = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u.test(range);
      if (lockedEntry && (!isExactVersion || lockedEntry.version === range)) return [];
      const lockedState = lockedEntry ? `has ${lockedEntry.version}` : 'has no entry';
      return [`${path || 'the project'} requires ${name} ${range}, which ${lockedState}`];
    }),
  );
}

function listRequiredRanges(entry: LockedPackage): [string, string][] {
  const missingPeers = Object.entries(entry.peerDependencies ?? {}).filter(
    ([name]) => !entry.peerDependenciesMeta?.[name]?.optional,
  );
  return [
    ...Object.entries(entry.dependencies ?? {}),
    ...Object.entries(entry.devDependencies ?? {}),
    ...Object.entries(entry.optionalDependencies ?? {}),
    ...missingPeers,
  ];
}

/**
 * Returns the entry of the package `name` that Node.js would load for the package at `path`, or undefined if there is
 * none. Searches `path` first, and then each parent package.
 */
function resolvePackage(
  packages: LockedPackages,
  path: string,
  name: string,
): LockedPackage | undefined {
  const lockedEntry = packages[`${path ? `${path}/` : ''}node_modules/${name}`];
  if (lockedEntry || path === '') return lockedEntry;
  return resolvePackage(
    packages,
    path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))),
    name,
  );
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}
