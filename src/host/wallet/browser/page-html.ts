import type { WalletWords } from '../../../protocol/wallet-page-words.ts';

/** The page as it is served: nothing of the flow is in it, and nothing runs but its own script. */
export function walletPageHtml(words: WalletWords, language: string): string {
  return `<!DOCTYPE html>
<html lang="${escaped(language)}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="wallet.css">
<title>${escaped(words.title)}</title>
</head>
<body>
<div id="app" data-words="${escaped(JSON.stringify(words))}"></div>
<script type="module" src="wallet.js"></script>
</body>
</html>`;
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

const directionOf = (language: string): string =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
