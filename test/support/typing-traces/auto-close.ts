/** Auto-closing rules, as in VS Code's language configurations. */
const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
const quotes: Readonly<Record<string, string>> = {
  typescript: '\'"`',
  python: '\'"',
  go: '\'"`',
  rust: '"',
  html: '\'"',
  markdown: '',
};
const voidTags = /<(?:meta|link|br|hr|img|input)\b[^<>]*$/u;

/**
 * Returns the closer inserted after the cursor when `char` is typed between the two texts. Empty if
 * nothing is auto-closed.
 */
export function closerFor(
  char: string,
  { language, before, after }: { language: string; before: string; after: string },
): string {
  if (char === '>' && language === 'html') return closingTag(before);
  // No closer is inserted directly before other text.
  if (!/^(?:$|[\s;:.,=}\])>`'"])/u.test(after)) return '';
  if ((quotes[language] ?? '').includes(char)) return /[\w'"`\\]$/u.test(before) ? '' : char;
  if (char === '<' && language !== 'markdown') return '';
  return pairs[char] ?? '';
}

function closingTag(before: string): string {
  const open = /<([a-z][\w-]*)(?:\s[^<>]*)?$/u.exec(before);
  return open === null || before.endsWith('/') || voidTags.test(before) ? '' : `</${open[1]}>`;
}

/** Checks whether Enter between the two texts moves the closer to its own line. */
export function opensBlock(before: string, after: string): boolean {
  const closer = pairs[before.at(-1) ?? ''];
  const tag = /<([a-z][\w-]*)(?:\s[^<>]*)?>$/u.exec(before)?.[1];
  return (
    (closer !== undefined && closer !== '>' && after.startsWith(closer)) ||
    (tag !== undefined && after.startsWith(`</${tag}>`))
  );
}

/** Checks whether the line after `before` is indented one step further. */
export function indentsNext(before: string, language: string): boolean {
  if (language === 'markdown') return false;
  return /[([{]$/u.test(before) || (language === 'python' && before.endsWith(':'));
}
