import type { Code } from './code-reading.ts';
import { nameOf, plural } from './wording.ts';

/** Whether an attached text is written for people: Markdown, or anything that reads like it. */
export const isProse = ({ language, path = '' }: Code): boolean =>
  /^(?:markdown|md|plaintext|text|restructuredtext)$/i.test(language) && !/\.[jt]sx?$/.test(path);

/** Paragraphs that say what a text is about: its title, its beginning, its parts. */
export function summarize(code: Code): string[] {
  const lines = code.text.split('\n');
  const headings = lines.flatMap((line) => /^#{1,3}\s+(.+)$/.exec(line)?.[1] ?? []);
  const [title, ...parts] = headings;
  const paragraphs = code.text.split(/\n{2,}/).filter((each) => /^[\p{L}"'`*_[]/u.test(each));
  const words = code.text.split(/\s+/).filter(Boolean).length;
  return [
    `${nameOf(code)} is a text of ${plural(words, 'word')}${title === undefined ? '.' : `, titled **${title}**.`}`,
    paragraphs[0] === undefined ? '' : `It begins:\n\n> ${paragraphs[0].replaceAll('\n', '\n> ')}`,
    parts.length === 0 ? '' : `Its parts:\n\n${parts.map((part) => `- ${part}`).join('\n')}`,
    'Start with the part that names what you want to do, then open the file it speaks of and ask me about it.',
  ];
}
