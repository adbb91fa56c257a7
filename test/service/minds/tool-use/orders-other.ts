import { converse } from '../assistant.ts';
import { matchTools, toolArguments } from '../tool-matching.ts';
import { readLines } from './file-lines.ts';
import { unmask } from './literals.ts';
import type { ReadOrder } from './order.ts';
import type { Outcome } from './outcome.ts';
import { baseName } from './path-like.ts';
import { quoteResults } from './quote-results.ts';

/** A file that is spoken of but not attached is read first. */
export const explainFile: ReadOrder = (clause, { toolbox, attached }) => {
  const asked =
    /^(?:explain|describe|summari[sz]e|review|document)\b|^(?:what|how) does\b.*\b(?:do|work)$/i;
  const paths = clause.paths.filter((path) => /\.\w+$/.test(path) && !attached.includes(path));
  if (!asked.test(clause.text) || paths.length === 0 || !toolbox.has('read_file')) return undefined;
  const question = unmask(clause.text, clause.masked);
  return {
    calls: paths.map((path) => toolbox.call('read_file', { path })),
    tell: (outcomes) => ({ text: explained(question, outcomes), paths }),
  };
};

function explained(question: string, outcomes: readonly Outcome[]): string {
  const attached = outcomes.map(({ args, text }) => {
    const path = String(args['path']);
    const code = [...readLines(text).values()].join('\n').replaceAll('```', "'''");
    const language = baseName(path).split('.').at(-1) ?? 'text';
    return `<attachment: ${path}>\n\`\`\`${language === 'md' ? 'markdown' : language}\n${code}\n\`\`\`\n</attachment>`;
  });
  const content = [...attached, question].join('\n\n');
  return converse({ model: '', messages: [{ role: 'user', content }] }, () => 0);
}

/** Tools that there is no plan for are chosen by the words of their names and descriptions. */
export const otherTool: ReadOrder = (clause, { toolbox }) => {
  const text = unmask(clause.text, clause.masked);
  const matched = matchTools(text, toolbox.others);
  if (matched.length === 0) return undefined;
  return {
    calls: matched.map(({ tool, text: about }) => ({
      name: tool.function.name,
      args: toolArguments(tool, about),
    })),
    tell: (outcomes) => ({ text: quoteResults(outcomes) }),
  };
};
