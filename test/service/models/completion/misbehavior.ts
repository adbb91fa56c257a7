import * as v from 'valibot';
import type { InfillRequest } from './infill-request.ts';
import { getLeadingWhitespace, findIndentUnit } from './longest-copy.ts';

const flagSchema = v.optional(v.boolean());

/**
 * Schema of {@link CodeModelMisbehavior}. Rejects unknown keys, because a typo in a test would otherwise disable the
 * misbehavior.
 */
export const codeModelMisbehaviorSchema = v.strictObject({
  /** Answers with an empty text (`nothing`), or only with white space (`blank`). */
  empty: v.optional(v.picklist(['nothing', 'blank'])),
  /** Continues the answer past the end of the statement or block, and repeats the text after the cursor. */
  ignoresScope: flagSchema,
  /** Changes the indentation of the answer: removes it, adds one step, or replaces spaces with tabs. */
  indentation: v.optional(v.picklist(['none', 'deeper', 'tabs'])),
  repeatsSuffix: flagSchema,
  /** Adds control or bidirectional characters. */
  characters: v.optional(v.picklist(['control', 'bidirectional'])),
  /** Repeats the last line until the answer is longer than every length limit of the extension. */
  repeatsItself: flagSchema,
  /** Starts the answer with text before the cursor: the last line, the last three lines, or all lines. */
  echo: v.optional(v.picklist(['line', 'lines', 'all'])),
  /** Starts the answer with a `<|cursor|>` token. */
  cursorMark: flagSchema,
  /** Wraps the answer in a code fence, which names a language if the value is `language`. */
  fence: v.optional(v.picklist(['plain', 'language'])),
  /** Adds prose before the answer, after the answer, or both. */
  prose: v.optional(v.picklist(['before', 'after', 'both'])),
  /** Starts the answer with a `<think>` block. */
  thinks: flagSchema,
});

/** Misbehavior of a code model. Options can be combined. */
export type CodeModelMisbehavior = v.InferOutput<typeof codeModelMisbehaviorSchema>;

/** Applies the misbehavior to the answer. */
export function applyMisbehavior(
  answer: string,
  infill: InfillRequest,
  misbehavior: CodeModelMisbehavior,
): string {
  return misbehaviorSteps.reduce((text, applyStep) => applyStep(text, misbehavior, infill), answer);
}

type MisbehaviorStep = (
  text: string,
  misbehavior: CodeModelMisbehavior,
  infill: InfillRequest,
) => string;

/** Changes to the answer for each kind of misbehavior, in the order in which they are applied. */
const misbehaviorSteps: readonly MisbehaviorStep[] = [
  (text, { empty }) => (empty === undefined ? text : empty === 'blank' ? '  \n\n    \n' : ''),
  (text, { indentation }, infill) =>
    indentation === undefined ? text : reindentText(text, indentation, infill),
  (text, { repeatsSuffix }, { suffix }) => (repeatsSuffix === true ? text + suffix : text),
  (text, { characters }) =>
    characters === undefined ? text : text.replace(/$|(?<=\w)\b/, unwantedCharacters[characters]),
  (text, { repeatsItself }) => (repeatsItself === true ? repeatLastLine(text) : text),
  (text, { cursorMark }) => (cursorMark === true ? `<|cursor|>${text}` : text),
  (text, { echo }, { prefix }) => (echo === undefined ? text : getLastLines(prefix, echo) + text),
  (text, { fence }) =>
    fence === undefined ? text : `\`\`\`${fence === 'plain' ? '' : 'typescript'}\n${text}\n\`\`\``,
  (text, { prose }) => {
    if (prose === undefined) return text;
    const introduction = prose === 'after' ? '' : 'Here is the code that completes the hole:\n\n';
    const conclusion =
      prose === 'before' ? '' : '\n\nThis continues the code in the style of the file.';
    return introduction + text + conclusion;
  },
  (text, { thinks }) =>
    thinks === true
      ? `<think>\nThe cursor stands in code; I continue it.\n</think>\n\n${text}`
      : text,
];

const unwantedCharacters = {
  control: '\u0000\u0007\u001B[31m',
  bidirectional: '\u202E\u2066',
} as const;

function reindentText(
  text: string,
  indentation: 'none' | 'deeper' | 'tabs',
  { prefix }: InfillRequest,
): string {
  const [firstLine = '', ...lines] = text.split('\n');
  const unit = findIndentUnit(prefix) ?? findIndentUnit(text) ?? '    ';
  const changeLine = (line: string): string => {
    const indent = getLeadingWhitespace(line);
    const rest = line.slice(indent.length);
    if (indentation === 'none' || rest === '') return rest;
    return indentation === 'deeper' ? unit + line : indent.replaceAll(unit, '\t') + rest;
  };
  const isAtLineStart = prefix.slice(prefix.lastIndexOf('\n') + 1).trim() === '';
  return [isAtLineStart ? changeLine(firstLine) : firstLine, ...lines.map(changeLine)].join('\n');
}

/** Length of an endless answer in characters. Greater than every length limit of the extension. */
const endlessLength = 20_000;

function repeatLastLine(text: string): string {
  const lastLine = text.split('\n').findLast((line) => line.trim() !== '') ?? 'again';
  const repeatedLine = `\n${lastLine}`;
  return text + repeatedLine.repeat(Math.ceil(endlessLength / repeatedLine.length));
}

function getLastLines(prefix: string, amount: 'line' | 'lines' | 'all'): string {
  const count = { line: 1, lines: 3, all: Infinity }[amount];
  return prefix.split('\n').slice(-count).join('\n');
}
