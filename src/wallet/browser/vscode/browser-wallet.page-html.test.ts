import { expect, test } from 'vitest';
import type { WalletPageLabels } from '../protocol.ts';
import { createWalletPageHtml } from './browser-wallet.ts';

const labels = {
  title: `"'><script>alert(1)</script>&`,
  close: '</div>',
} as unknown as WalletPageLabels;

test('createWalletPageHtml escapes labels in the wallet page', () => {
  const html = createWalletPageHtml(labels, '"><script>');
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

test('createWalletPageHtml renders the wallet page without inline event handlers, styles, links or forms', () => {
  const html = createWalletPageHtml(labels, 'en');
  expect(html).not.toMatch(/ on[a-z]+=|style=|<a |<form|https?:/u);
});

test.each([
  ['en', 'ltr'],
  ['de', 'ltr'],
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
])(
  'createWalletPageHtml sets the text direction for the language %s to %s',
  (language, direction) => {
    expect(createWalletPageHtml(labels, language)).toContain(
      `<html lang="${language}" dir="${direction}">`,
    );
  },
);
