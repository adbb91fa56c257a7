import { expect, test } from 'vitest';
import type { WalletPageLabels } from '../protocol.ts';
import { walletPageHtml } from './browser-wallet.ts';

const labels = {
  title: `"'><script>alert(1)</script>&`,
  close: '</div>',
} as unknown as WalletPageLabels;

test('walletPageHtml escapes labels in the wallet page', () => {
  const html = walletPageHtml(labels, '"><script>');
  expect([...html.matchAll(/<script[^>]*>/gu)].map(([tag]) => tag)).toEqual([
    '<script type="module" src="wallet.js">',
  ]);
  expect(html).toContain("<title>&quot;'&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;</title>");
  const [, encodedTexts = ''] = /data-translations="([^"]*)"/u.exec(html) ?? [];
  const decodedTexts = encodedTexts
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  expect(JSON.parse(decodedTexts)).toEqual(labels);
});

test('walletPageHtml renders the wallet page without inline event handlers, styles, links or forms', () => {
  const html = walletPageHtml(labels, 'en');
  expect(html).not.toMatch(/ on[a-z]+=|style=|<a |<form|https?:/u);
});

test.each([
  ['en', 'ltr'],
  ['de', 'ltr'],
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
])('walletPageHtml sets the text direction for the language %s to %s', (language, direction) => {
  expect(walletPageHtml(labels, language)).toContain(
    `<html lang="${language}" dir="${direction}">`,
  );
});
