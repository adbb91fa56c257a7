import { describe, expect, test } from 'vitest';
import { activeProfile, isVendorWord, profileNameProblem, readProfiles } from './profile.ts';

const settings = {
  baseUrl: ' https://api.service.test/api/v1 ',
  vendorWord: 'service',
  profiles: {
    work: { baseUrl: 'https://work.service.test/api/v1', vendorWord: 'acme' },
    Lab: { baseUrl: 'https://lab.service.test/api/v1' },
  },
  profile: '',
};

describe('profiles', () => {
  test('consist of the default profile, then the named profiles sorted by name', () => {
    expect(readProfiles(settings)).toEqual([
      { id: 'default', baseUrl: 'https://api.service.test/api/v1', vendorWord: 'service' },
      { id: 'Lab', baseUrl: 'https://lab.service.test/api/v1', vendorWord: 'service' },
      { id: 'work', baseUrl: 'https://work.service.test/api/v1', vendorWord: 'acme' },
    ]);
  });

  test('are selected by their name in the settings', () => {
    expect(activeProfile({ ...settings, profile: 'work' }).id).toBe('work');
  });

  test.each(['gone', '', 7, null, 'constructor'])(
    'fall back to the default profile if the selected name is %j',
    (profile) => expect(activeProfile({ ...settings, profile }).id).toBe('default'),
  );

  test.each([
    { profiles: null },
    { profiles: [{ baseUrl: 'https://a.test' }] },
    { profiles: { '../up': { baseUrl: 'https://a.test' }, 'a b': {}, '': {}, default: {} } },
  ])('omit the invalid entries in %j', ({ profiles }) => {
    expect(readProfiles({ ...settings, profiles }).map(({ id }) => id)).toEqual(['default']);
  });

  test('replace fields of the wrong type with defaults', () => {
    const profiles = { odd: { baseUrl: 5, vendorWord: 'No Word' }, none: 'text' };
    expect(readProfiles({ ...settings, profiles }).slice(1)).toEqual([
      { id: 'none', baseUrl: '', vendorWord: 'service' },
      { id: 'odd', baseUrl: '', vendorWord: 'service' },
    ]);
  });
});

test.each([
  ['work2', undefined],
  ['Work', 'taken'],
  ['DEFAULT', 'taken'],
  ['', 'pattern'],
  ['../x', 'pattern'],
  ['a'.repeat(41), 'pattern'],
])('validates the new profile name %j: %j', (name, problem) => {
  expect(profileNameProblem(name, readProfiles(settings))).toBe(problem);
});

test.each([
  ['acme', true],
  ['a1', true],
  ['1a', false],
  ['Acme', false],
  ['a-b', false],
  ['', false],
])('checks whether %j is a valid vendor word: %j', (word, expected) =>
  expect(isVendorWord(word)).toBe(expected),
);
