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
