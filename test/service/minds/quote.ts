import { shareWords, tellingSentences } from '../web/rank.ts';
import type { Code } from './code-reading.ts';
import { isProse } from './prose.ts';
import { nameOf } from './wording.ts';

const mostSentences = 3;

/** What the attached texts say about the question, word for word; nothing where they have none of its words. */
export const quotes = (attached: readonly Code[], question: string): readonly string[] =>
  attached
    .filter((code) => isProse(code) && shareWords(code.text, question))
    .map((code) => {
      const lines = tellingSentences(code.text, question, mostSentences).map((each) => `> ${each}`);
      return `${nameOf(code)} says:\n\n${lines.join('\n>\n')}`;
    });
