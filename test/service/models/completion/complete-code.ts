import type { ChatBody } from '../../chat/body.ts';
import { findLastUserMessage, getLastUserText, getMessageText } from '../../chat/messages.ts';
import { type CodeModelMisbehavior, applyMisbehavior } from './misbehavior.ts';
import { type Hole, readHole } from './hole.ts';
import { type TextCopy, findLongestCopy, shiftLine } from './longest-copy.ts';
import { countScopeLines } from './scope.ts';

const maxLines = 60;
/** Maximum number of completed lines if the model ignores the scope. */
const maxLinesBeyondScope = 200;

/** Returns a code model's answer to a chat request, changed by the configured misbehavior. */
export function completeCode(body: ChatBody, misbehavior: CodeModelMisbehavior = {}): string {
  const last = findLastUserMessage(body);
  const earlier = body.messages.filter((message) => message !== last).map(getMessageText);
  const hole = readHole(getLastUserText(body), earlier);
  return applyMisbehavior(fillHole(hole, misbehavior.ignoresScope), hole, misbehavior);
}

/**
 * Finds the longest passage of the context that repeats the end of the prefix. Returns the text
 * after this passage, up to the end of the scope; an empty text if no passage matches.
 */
export function fillHole(hole: Hole, ignoresScope = false): string {
  const { context, prefix, suffix } = hole;
  const copy = findLongestCopy(prefix, [...context, suffix]);
  if (copy === undefined) return '';
  const linePrefix = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = reindentCopy(copy, linePrefix);
  if (ignoresScope) return lines.slice(0, maxLinesBeyondScope).join('\n');
  const length = countScopeLines([copy.line, ...copy.remainingText.split('\n').slice(1)], maxLines);
  const scope = trimAtSuffix(lines.slice(0, length), suffix);
  return scope.slice(0, scope.findLastIndex((line) => line.trim() !== '') + 1).join('\n');
}

/** Returns the text that follows the copied text, as lines, with the indentation of the line at the cursor. */
function reindentCopy({ line, remainingText, shift }: TextCopy, linePrefix: string): string[] {
  const [first = '', ...lines] = remainingText.split('\n');
  return [
    first === line ? removeTypedIndentation(shiftLine(line, shift), linePrefix) : first,
    ...lines.map((following) => shiftLine(following, shift)),
  ];
}

/** Removes from a copied line the indentation that is already in the document before the cursor. */
const removeTypedIndentation = (line: string, linePrefix: string): string =>
  line.startsWith(linePrefix) ? line.slice(linePrefix.length) : line.trimStart();

/** Removes the first line that is also in the suffix, and all lines after it. */
function trimAtSuffix(lines: readonly string[], suffix: string): readonly string[] {
  const [suffixLine = '', ...followingLines] = suffix.split('\n');
  const [first = ''] = lines;
  if (suffixLine.trim() !== '') {
    return [first.endsWith(suffixLine) ? first.slice(0, -suffixLine.length) : first];
  }
  const next = followingLines.find((line) => line.trim() !== '');
  if (next === undefined) return lines;
  const isNext = (line: string): boolean =>
    line.trimEnd() === next.trimEnd() || (next.trim().length > 7 && line.trim() === next.trim());
  const end = lines.findIndex((line, index) => index > 0 && isNext(line));
  return end < 0 ? lines : lines.slice(0, end);
}
