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
  [`http://127.0.0.1:8080/#${pageToken}`, true],
  [`http://127.0.0.1:8080/%23${pageToken}`, false],
  ['http://127.0.0.1:8080/', false],
  [`http://127.0.0.1:8080/#${encodeURIComponent(`${pageToken}=`)}`, false],
])(
  'preservesToken checks whether the encoded link %s preserves the token: %s',
  (encodedLink, expected) => {
    expect(preservesToken(encodedLink, pageToken)).toBe(expected);
  },
);
