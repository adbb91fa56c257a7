/** Closing brackets by opening bracket, as in VS Code's language configurations. */
const bracketPairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
const quotePairs: Readonly<Record<string, string>> = {
  typescript: '\'"`',
  python: '\'"',
  go: '\'"`',
  rust: '"',
  html: '\'"',
  markdown: '',
};
const voidTagsPattern = /<(?:meta|link|br|hr|img|input)\b[^<>]*$/u;

/**
 * Returns the closing text that VS Code inserts after the cursor when the user types `char`. Returns an empty string if
 * VS Code inserts no closing text.
 */
export function findClosingText(
  char: string,
  { language, before, after }: { language: string; before: string; after: string },
): string {
  if (char === '>' && language === 'html') return findClosingTag(before);
  // VS Code inserts no closing text directly before other text.
  if (!/^(?:$|[\s;:.,=}\])>`'"])/u.test(after)) return '';
  if ((quotePairs[language] ?? '').includes(char)) return /[\w'"`\\]$/u.test(before) ? '' : char;
  if (char === '<' && language !== 'markdown') return '';
  return bracketPairs[char] ?? '';
}

function findClosingTag(before: string): string {
  const openTag = /<([a-z][\w-]*)(?:\s[^<>]*)?$/u.exec(before);
  return openTag === null || before.endsWith('/') || voidTagsPattern.test(before)
    ? ''
    : `</${openTag[1]}>`;
}

/** Checks whether Enter at a cursor between the two texts moves the closing bracket to a separate line. */
export function opensBlock(before: string, after: string): boolean {
  const closingBracket = bracketPairs[before.at(-1) ?? ''];
  const tag = /<([a-z][\w-]*)(?:\s[^<>]*)?>$/u.exec(before)?.[1];
  return (
    (closingBracket !== undefined && closingBracket !== '>' && after.startsWith(closingBracket)) ||
    (tag !== undefined && after.startsWith(`</${tag}>`))
  );
}

/** Checks whether VS Code indents the line after `before` by one more step. */
export function shouldIndentNext(before: string, language: string): boolean {
  if (language === 'markdown') return false;
  return /[([{]$/u.test(before) || (language === 'python' && before.endsWith(':'));
}
