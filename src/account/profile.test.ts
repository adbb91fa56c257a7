import { describe, expect, test } from 'vitest';
import { getActiveProfile, findProfileNameProblem, readProfiles } from './profile.ts';

const profileSettings = {
  baseUrl: ' https://api.service.test/api/v1 ',
  vendorWord: 'service',
  profiles: {
    work: { baseUrl: 'https://work.service.test/api/v1', vendorWord: 'acme' },
    Lab: { baseUrl: 'https://lab.service.test/api/v1' },
  },
  profile: '',
};

describe('profile settings', () => {
  test('provide the default profile first, then the named profiles sorted by name', () => {
    expect(readProfiles(profileSettings)).toEqual([
      { id: 'default', baseUrl: 'https://api.service.test/api/v1', vendorPrefix: 'service' },
      { id: 'Lab', baseUrl: 'https://lab.service.test/api/v1', vendorPrefix: 'service' },
      { id: 'work', baseUrl: 'https://work.service.test/api/v1', vendorPrefix: 'acme' },
    ]);
  });

  test('select the active profile by name', () => {
    expect(getActiveProfile({ ...profileSettings, profile: 'work' }).id).toBe('work');
  });

  test.each(['gone', '', 7, null, 'constructor'])(
    'select the default profile for the name %j',
    (profile) => expect(getActiveProfile({ ...profileSettings, profile }).id).toBe('default'),
  );

  test.each([
    { profiles: null },
    { profiles: [{ baseUrl: 'https://a.test' }] },
    { profiles: { '../up': { baseUrl: 'https://a.test' }, 'a b': {}, '': {}, default: {} } },
  ])('provide no profile for the invalid entries of %j', ({ profiles }) => {
    expect(readProfiles({ ...profileSettings, profiles }).map(({ id }) => id)).toEqual(['default']);
  });

  test('provide defaults for fields of the wrong type', () => {
    const profiles = { odd: { baseUrl: 5, vendorWord: 'No Word' }, none: 'text' };
    expect(readProfiles({ ...profileSettings, profiles }).slice(1)).toEqual([
      { id: 'none', baseUrl: '', vendorPrefix: 'service' },
      { id: 'odd', baseUrl: '', vendorPrefix: 'service' },
    ]);
  });
});

test.each([
  ['Work', 'taken'],
  ['DEFAULT', 'taken'],
  ['', 'pattern'],
  ['../x', 'pattern'],
  ['a'.repeat(41), 'pattern'],
])(
  'findProfileNameProblem returns, for the new profile name %j, the problem %j',
  (name, problem) => {
    expect(findProfileNameProblem(name, readProfiles(profileSettings))).toBe(problem);
  },
);

test('findProfileNameProblem returns no problem for the new profile name "work2"', () => {
  expect(findProfileNameProblem('work2', readProfiles(profileSettings))).toBeUndefined();
});

test.each([
  ['acme', 'acme'],
  ['a1', 'a1'],
  ['a'.repeat(31), 'a'.repeat(31)],
  ['a'.repeat(32), 'service'],
  ['a', 'service'],
  ['1a', 'service'],
  ['Acme', 'acme'],
  ['ACME', 'acme'],
  [' acme ', 'acme'],
  ['a-b', 'service'],
  ['', 'service'],
  [7, 'service'],
])('getActiveProfile validates the vendor prefix %j and returns "%s"', (vendorWord, expected) =>
  expect(getActiveProfile({ ...profileSettings, profile: '', vendorWord }).vendorPrefix).toBe(
    expected,
  ),
);
