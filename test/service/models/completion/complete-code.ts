import type { ChatBody } from '../../chat/body.ts';
import { findLastUserMessage, getLastUserText, getMessageText } from '../../chat/messages.ts';
import { type CodeModelMisbehavior, applyMisbehavior } from './misbehavior.ts';
import { type InfillRequest, readInfillRequest } from './infill-request.ts';
import { type TextCopy, findLongestCopy, shiftLine } from './longest-copy.ts';
import { countScopeLines } from './scope.ts';

const maxLines = 60;
/** Maximum number of lines in a completion that does not end at the end of the block. */
const maxLinesBeyondScope = 200;

/** Returns the answer of a code model to a chat request, after applying the configured misbehavior. */
export function completeCode(body: ChatBody, misbehavior: CodeModelMisbehavior = {}): string {
  const lastMessage = findLastUserMessage(body);
  const earlierTexts = body.messages
    .filter((message) => message !== lastMessage)
    .map(getMessageText);
  const infill = readInfillRequest(getLastUserText(body), earlierTexts);
  return applyMisbehavior(completeInfill(infill, misbehavior.ignoresScope), infill, misbehavior);
}

/**
 * Finds the longest passage in the context that equals the end of the prefix. Returns the text that follows this
 * passage, up to the end of the statement or block. Returns an empty text if there is no such passage.
 */
export function completeInfill(infill: InfillRequest, ignoresScope = false): string {
  const { context, prefix, suffix } = infill;
  const copy = findLongestCopy(prefix, [...context, suffix]);
  if (copy === undefined) return '';
  const linePrefix = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = reindentCopy(copy, linePrefix);
  if (ignoresScope) return lines.slice(0, maxLinesBeyondScope).join('\n');
  const length = countScopeLines([copy.line, ...copy.remainingText.split('\n').slice(1)], maxLines);
  const scopeLines = trimAtSuffix(lines.slice(0, length), suffix);
  return scopeLines.slice(0, scopeLines.findLastIndex((line) => line.trim() !== '') + 1).join('\n');
}

/** Returns the lines that follow the copied text, with the indentation of the line at the cursor. */
function reindentCopy({ line, remainingText, shift }: TextCopy, linePrefix: string): string[] {
  const [firstLine = '', ...lines] = remainingText.split('\n');
  return [
    firstLine === line ? removeTypedIndentation(shiftLine(line, shift), linePrefix) : firstLine,
    ...lines.map((followingLine) => shiftLine(followingLine, shift)),
  ];
}

/** Removes from a copied line the indentation that the document already contains before the cursor. */
const removeTypedIndentation = (line: string, linePrefix: string): string =>
  line.startsWith(linePrefix) ? line.slice(linePrefix.length) : line.trimStart();

/**
 * Returns the lines before the first one that equals the first non-empty line below the cursor. If there is text after
 * the cursor on its line, returns only the first of `lines`, without this text.
 */
function trimAtSuffix(lines: readonly string[], suffix: string): readonly string[] {
  const [suffixLine = '', ...followingLines] = suffix.split('\n');
  const [firstLine = ''] = lines;
  if (suffixLine.trim() !== '') {
    return [firstLine.endsWith(suffixLine) ? firstLine.slice(0, -suffixLine.length) : firstLine];
  }
  const nextLine = followingLines.find((line) => line.trim() !== '');
  if (nextLine === undefined) return lines;
  const isNextLine = (line: string): boolean =>
    line.trimEnd() === nextLine.trimEnd() ||
    (nextLine.trim().length > 7 && line.trim() === nextLine.trim());
  const end = lines.findIndex((line, index) => index > 0 && isNextLine(line));
  return end < 0 ? lines : lines.slice(0, end);
}
