import { expect, test } from 'vitest';
import { preservesToken, createPageLink } from './open-page.ts';

const token = `-_${'a'.repeat(41)}`;

test.each([
  ['http://127.0.0.1:8080/', 'fragment', `http://127.0.0.1:8080/#${token}`],
  ['http://127.0.0.1:8080/', 'path', `http://127.0.0.1:8080/${token}`],
  ['http://127.0.0.1:8080', 'path', `http://127.0.0.1:8080/${token}`],
  ['https://x.example/proxy/1', 'fragment', `https://x.example/proxy/1/#${token}`],
  ['https://x.example/proxy/1/', 'path', `https://x.example/proxy/1/${token}`],
  ['https://x.example/?tunnel=a%3D', 'fragment', `https://x.example/?tunnel=a%3D#${token}`],
] as const)(
  'createPageLink builds the link to %s with the token in the %s: %s',
  (base, location, link) => {
    expect(createPageLink(new URL(base), token, location)).toBe(link);
  },
);

test.each([
  [`http://127.0.0.1:8080/#${token}`, true],
  [`http://127.0.0.1:8080/%23${token}`, false],
  ['http://127.0.0.1:8080/', false],
  [`http://127.0.0.1:8080/#${encodeURIComponent(`${token}=`)}`, false],
])('preservesToken returns for the encoded link %s: %s', (encodedLink, expected) => {
  expect(preservesToken(encodedLink, token)).toBe(expected);
});
