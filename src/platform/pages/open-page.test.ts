import { expect, test } from 'vitest';
import { preservesToken, createPageLink } from './open-page.ts';

const pageToken = `-_${'a'.repeat(41)}`;

test.each([
  ['http://127.0.0.1:8080/', 'fragment', `http://127.0.0.1:8080/#${pageToken}`],
  ['http://127.0.0.1:8080/', 'path', `http://127.0.0.1:8080/${pageToken}`],
  ['http://127.0.0.1:8080', 'path', `http://127.0.0.1:8080/${pageToken}`],
  ['https://x.example/proxy/1', 'fragment', `https://x.example/proxy/1/#${pageToken}`],
  ['https://x.example/proxy/1/', 'path', `https://x.example/proxy/1/${pageToken}`],
  ['https://x.example/?tunnel=a%3D', 'fragment', `https://x.example/?tunnel=a%3D#${pageToken}`],
] as const)(
  'createPageLink builds the link to %s with the token in the %s: %s',
  (pageUrl, location, link) => {
    expect(createPageLink(new URL(pageUrl), pageToken, location)).toBe(link);
  },
);

test.each([
  [true, 'the token in its fragment', `http://127.0.0.1:8080/#${pageToken}`],
  [false, 'an encoded "#" before the token', `http://127.0.0.1:8080/%23${pageToken}`],
  [false, 'no token', 'http://127.0.0.1:8080/'],
  [
    false,
    'an encoded "=" after the token',
    `http://127.0.0.1:8080/#${encodeURIComponent(`${pageToken}=`)}`,
  ],
])('preservesToken returns %s for an encoded link with %s', (expected, _name, encodedLink) => {
  expect(preservesToken(encodedLink, pageToken)).toBe(expected);
});
