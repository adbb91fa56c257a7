import { getLeadingWhitespace } from './completion/longest-copy.ts';
import { formatCommentLine, findDeclarations, formatDocComment } from './code-reading.ts';
import { createFix } from './fixes.ts';
import type { Recipe } from './request.ts';
import { createWordPattern } from './file-edits.ts';

const editRequestPattern =
  /^File: (?<path>.*) \((?<language>[^)\n]*)\)\n[\s\S]*?^<lines>\n(?<lines>[\s\S]*?)\n<\/lines>$(?:[\s\S]*^Problems of the lines:\n(?<problems>[\s\S]*))?[\s\S]*^Instruction: (?<instruction>[\s\S]*)/m;

/** Changes the lines of an inline edit according to its instruction. */
export const editInPlaceRecipe: Recipe = {
  name: 'edit in place',
  isAnswerOnly: true,
  matchesRequest: ({ text }) => editRequestPattern.test(text),
  createReply: ({ text }) => {
    const {
      path = '',
      language = '',
      lines: originalText = '',
      problems = '',
      instruction = '',
    } = editRequestPattern.exec(text)?.groups ?? {};
    const edit = { path, language, lines: originalText.split('\n'), problems };
    for (const { pattern, change } of editRules) {
      const groups = pattern.exec(instruction)?.groups ?? {};
      const newText = pattern.test(instruction) ? change(edit, groups).join('\n') : originalText;
      if (newText !== originalText) return newText;
    }
    // An unknown instruction becomes a comment, as proof that the model received it.
    const note = formatCommentLine(
      language,
      `To do: ${instruction.replaceAll(/\s+/g, ' ').trim()}`,
    );
    return [
      `${getLeadingWhitespace(originalText)}${note}`,
      ...(originalText === '' ? [] : [originalText]),
    ].join('\n');
  },
};

interface InlineEdit {
  readonly path: string;
  readonly language: string;
  readonly lines: readonly string[];
  readonly problems: string;
}

type ChangeLines = (
  edit: InlineEdit,
  groups: Readonly<Record<string, string>>,
) => readonly string[];

/** Matches a word or a quoted text in an instruction, such as `tide` in `rename tide to wave`. */
const targetPattern = '(?:`[^`]+`|"[^"]+"|\'[^\']+\'|[^\\s,;]*[^\\s,;.])';

/**
 * Edits in order of precedence, each with the pattern of the instructions that request it. The first matching edit that
 * changes a line is used.
 */
const editRules: readonly { readonly pattern: RegExp; readonly change: ChangeLines }[] = [
  { pattern: /\bfix\b|\bproblems?\b/i, change: fixProblems },
  {
    pattern: new RegExp(
      `\\b(?:rename|replace|change|turn|swap)\\s+(?<from>${targetPattern})\\s+(?:to|into|with|by|for)\\s+(?<to>${targetPattern})`,
      'i',
    ),
    change: replaceText,
  },
  { pattern: /\b(?:document|comments?|docstrings?|jsdoc)\b/i, change: addComments },
  { pattern: /\bsort\b/i, change: ({ lines }) => lines.toSorted() },
];

function fixProblems({ path, lines, problems }: InlineEdit): readonly string[] {
  return problems.split('\n').reduce<readonly string[]>((currentLines, problem) => {
    const fix = createFix(problem, [{ path, lines: currentLines }]);
    return fix === undefined
      ? currentLines
      : currentLines.map((line, index) => (index === fix.lineIndex ? fix.line : line));
  }, lines);
}

function replaceText(
  { lines }: InlineEdit,
  { from = '', to = '' }: Readonly<Record<string, string>>,
): readonly string[] {
  const [search, replacement] = [from, to].map((token) => token.replace(/^([`"'])(.*)\1$/, '$2'));
  const pattern = /^[\w$]+$/.test(search!) ? createWordPattern(search!) : search!;
  return lines.map((line) => line.replaceAll(pattern, () => replacement!));
}

function addComments({ language, lines }: InlineEdit): readonly string[] {
  const declarations = findDeclarations(lines.join('\n')).filter(({ comment }) => comment === '');
  return lines.flatMap((line, index) => {
    const declaration = declarations.find((candidate) => candidate.line === index + 1);
    if (declaration === undefined) return [line];
    return [
      ...formatDocComment(language, declaration).map((text) => getLeadingWhitespace(line) + text),
      line,
    ];
  });
}
