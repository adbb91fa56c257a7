import type { Code } from './code-reading.ts';

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

export const nameOf = ({ path }: Code): string =>
  path === undefined ? 'this code' : `\`${path}\``;

export const fenced = (language: string, code: string): string =>
  `\`\`\`${language}\n${code}\n\`\`\``;

export const isScript = ({ language }: Code): boolean =>
  /^(?:ts|js|tsx|jsx|mjs|typescript|javascript|typescriptreact|javascriptreact)$/.test(language);

export const isPython = ({ language }: Code): boolean => language.startsWith('py');

/** The text as a comment of its language, on one line. */
export function commentLine({ language }: Code, text: string): string {
  const [begin, end = ''] = commentMarks(language);
  return `${begin} ${text}${end && ` ${end}`}`;
}

/** Whether the line holds a comment and nothing else. */
export const isComment = ({ language }: Code, line: string): boolean =>
  line.trim().startsWith(commentMarks(language)[0]) || /^\s*(?:\/\*|\*(?:\s|\/|$))/.test(line);

function commentMarks(language: string): readonly [begin: string, end?: string] {
  if (/^(?:py|ruby|rb|sh|bash|shell|perl|ya?ml|toml|dockerfile|make|r$)/.test(language))
    return ['#'];
  if (/^(?:html|xml|svg|vue|markdown|md)/.test(language)) return ['<!--', '-->'];
  if (/^(?:css)/.test(language)) return ['/*', '*/'];
  return /^(?:sql|lua|haskell)/.test(language) ? ['--'] : ['//'];
}
