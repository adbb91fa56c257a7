interface ServedPage {
  readonly title: string;
  /** A BCP 47 tag. */
  readonly language: string;
  /** Of its module and its style sheet, without an ending. */
  readonly name: string;
  /** Whatever its script needs to say. */
  readonly words: object;
}

/** A page as it is served: nothing of what it is for is in it, and nothing runs but its own script. */
export const servedPage = ({ title, language, name, words }: ServedPage): string =>
  `<!DOCTYPE html>
<html lang="${escaped(language)}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${name}.css">
<title>${escaped(title)}</title>
</head>
<body>
<div id="app" data-words="${escaped(JSON.stringify(words))}"></div>
<script type="module" src="${name}.js"></script>
</body>
</html>`;

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

const directionOf = (language: string): string =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
