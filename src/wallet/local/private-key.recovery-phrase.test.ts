import { expect, test } from 'vitest';
import {
  normalizePhrase,
  derivePhraseAccounts,
  derivePhraseKey,
  findPhraseProblem,
  usePrivateKey,
} from './private-key.ts';

const testPhrase = `${'test '.repeat(11)}junk`;

test.each([
  testPhrase,
  `${'abandon '.repeat(11)}about`,
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
  `${'zoo '.repeat(17)}when`,
  `${'letter advice cage absurd amount doctor acoustic avoid '.repeat(2)}letter advice cage absurd amount doctor acoustic bless`,
])('findPhraseProblem finds no problem in the BIP-39 phrase %j', (phrase) => {
  expect(findPhraseProblem(phrase)).toBeUndefined();
});

test.each([
  ['', 'length'],
  ['test', 'length'],
  ['test '.repeat(13).trim(), 'length'],
  [`${'test '.repeat(11)}canary7`, 'word'],
  [`${'test '.repeat(11)}__proto__`, 'word'],
  ['test '.repeat(12).trim(), 'checksum'],
  [`${'zoo '.repeat(23)}zoo`, 'checksum'],
  ['x'.repeat(1_000_000), 'length'],
])('findPhraseProblem finds in the phrase %j the problem "%s"', (phrase, problem) => {
  expect(findPhraseProblem(phrase)).toBe(problem);
});

test('normalizePhrase normalizes the whitespace and case of a typed phrase', () => {
  const typedPhrase = `  Test\ttest TEST\n${'test '.repeat(8)} \u00a0junk `;
  expect(normalizePhrase(typedPhrase)).toBe(testPhrase);
});

test('derivePhraseAccounts derives accounts at the standard Ethereum path', async () => {
  expect(await derivePhraseAccounts(testPhrase, { firstIndex: 0, count: 3 })).toEqual([
    { index: 0, address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
    { index: 1, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    { index: 2, address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' },
  ]);
});

test('derivePhraseKey derives the private key that belongs to the derived address', async () => {
  const [account] = await derivePhraseAccounts(testPhrase, { firstIndex: 7, count: 1 });
  const key = await derivePhraseKey(testPhrase, 7);
  expect(await usePrivateKey(key, ({ address }) => address)).toBe(account?.address);
});
