import { parseAnswerHunks } from '../agent/answer/answer-hunks.ts';
import type { RefusalCause } from '../agent/answer/answer-marks.ts';
import { findEnvelope, removeEnvelope } from '../agent/answer/envelope.ts';
import { restoreBlankLines } from '../agent/answer/distortions.ts';
import { findForeignText } from '../agent/answer/foreign-marks.ts';
import { parseLineNumbers } from '../agent/edit/unwrap.ts';
import { isCutOff, isRoleLine, parseFence } from '../base/model-answer.ts';
import { type CommitAnswer, readCommitAnswer } from '../conversation/commit-answer.ts';
import type { FinishReason } from '../service/chat/chat-types.ts';

/**
 * Reason why an answer contains no commit message. `cause` describes the text in the answer that caused the refusal;
 * absent if unknown.
 */
export type CommitRefusal = Extract<CommitAnswer, { kind: 'refused' }> & {
  readonly cause?: RefusalCause;
};

/** Empty commit message file, for checks that require the document that an answer changes. */
const emptyMessage = {
  language: 'git-commit',
  original: [],
  before: [],
  after: [],
  path: '.git/COMMIT_EDITMSG',
};

/**
 * Reads the commit message from a complete answer. Removes the same surrounding text as in answers to edit requests,
 * such as a role line. Refuses an answer that is truncated or is not a commit message.
 * @param finishReason Reason why the model ended the answer, as reported by the service.
 */
export function readCommitMessage(
  answer: string,
  finishReason: FinishReason = 'stop',
): Extract<CommitAnswer, { kind: 'message' }> | CommitRefusal {
  if (isCutOff(finishReason)) return { kind: 'refused', reason: 'cut-off' };
  const result = readCommitAnswer(answer);
  if (result.kind === 'refused') return result;
  const last = answer.trimEnd().split('\n').at(-1) ?? '';
  const hasTextInFence = /^`{3,}[\w-]*[ \t]+[^\s={}]+[ \t]/mu.test(answer);
  const isCut = /^\W*(?:truncated|(?:to be )?continued)\b/iu.test(last);
  const text = isCut || hasTextInFence ? undefined : restoreMessage(result.text);
  if (text !== undefined && text !== '') return { kind: 'message', text };
  const lines = result.text.split('\n');
  const cause = findForeignText(lines, emptyMessage) ?? findEnvelope(lines, emptyMessage);
  return { kind: 'refused', reason: 'prose', ...(cause === undefined ? {} : { cause }) };
}

/**
 * Removes a role line, a repetition of the message, extra blank lines and extra indentation. Returns undefined if the
 * text is not a commit message.
 */
function restoreMessage(message: string): string | undefined {
  const [first = '', ...rest] = message.split('\n');
  const unlabeled = isRoleLine(first) && rest.length > 0 ? rest : [first, ...rest];
  const named = removeEnvelope(unlabeled, emptyMessage);
  const lines = restoreIndent(restoreBlankLines(removeRepetition(named)));
  return containsMoreThanMessage(lines) ? undefined : lines.join('\n').trim();
}

function removeRepetition(lines: readonly string[]): readonly string[] {
  const half = (lines.length - 1) / 2;
  const isRepeated =
    lines.length > 2 &&
    lines[half]?.trim() === '' &&
    lines.slice(0, half).every((line, index) => line === lines[half + 1 + index]);
  return isRepeated ? lines.slice(0, half) : lines;
}

/** Removes the leading white space that all lines after the subject have in common. */
function restoreIndent([subject = '', ...body]: readonly string[]): readonly string[] {
  const indents = body.filter((line) => line.trim() !== '').map((line) => /^\s*/u.exec(line)?.[0]);
  const common = indents.reduce(
    (shared, indent = '') => (indent.startsWith(shared ?? '') ? shared : indent),
    indents[0],
  );
  const width = common?.length ?? 0;
  return [subject, ...body.map((line) => (line.trim() === '' ? '' : line.slice(width)))];
}

/** Matches lines that describe the answer to the request instead of a commit. */
const answerLinePattern =
  /\b(?:kept the rest|keep the rest|rest (?:of the file )?(?:remains? )?unchanged|as requested|(?:you|you['’]d) (?:asked|requested|want)|requested change|you may need|no other changes|what you|please (?:check|review|verify|test)|wasn['’]t able to|couldn['’]t run|use code with caution)\b|^(?:\*\*|#{1,6} )?(?:explanation|changes made|instructions?|lines? \d+|follow-up|start of|end of|summary of|说明|修改说明)\b[^:：]{0,30}[:：]?(?:\*\*)?$|^(?:instructions?|changes made|follow-up|说明|修改说明)\s*[:：]|^(?:start|end) of (?:the )?(?:updated|modified|new)\b|保持不变|\s(?:<-+|←)\s|【|^\(?\[?(?:truncated|continued)\b/iu;
/** Matches a first line that is a path, a command, a label or a sentence about code instead of a commit subject. */
const nonSubjectLinePattern =
  /^(?:[\w.@-]*\/)+[\w.@-]+(?: \([^()]*\))?$|^[[{]$|^(?:from \S+ )?import \w+|^`{3,}\s*\S.*`{3}$|^(?:\$ )?(?:cat|tee|git|sed)\s|^(?:#|\/\/) ?(?:\.{3}|…)|^(?:undefined|null|none|n\/a)$|^(?:this|that|these) (?:line|code|function|file|change|method)s? [^]*\.$|^\W*(?:start|begin|end)(?: of)? (?:code|selection|answer)\b/iu;
/** Matches a last line that reports omitted text or the end of the answer. */
const nonMessageEndPattern =
  /^\W*\[?(?:\.{3}|…)\W*$|^\[[^[\]]*\b(?:rest|remaining|same|unchanged)\b[^[\]]*\]$|\bwas requested\b|^(?:pronto|listo|fertig)[!.,]|^\W*end(?: of)? (?:code|selection|answer)\b/iu;
const asianLetterPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Matches lines with escape sequences, markup or delimiters, which a commit message does not contain. */
const nonMessageFormatPattern =
  /<br\s?\/?>|&(?:quot|apos|lt|gt|amp|#\d+|nbsp);|\\[n"#]|^(?:\.{3}|…)$|^[→•]\s|^\+|^(?:<\w[^<>]*>|\||\{).*[>|}]$/u;

/**
 * Checks whether the lines contain text that is not part of a commit message, such as remarks, markup or additional
 * fenced blocks.
 */
function containsMoreThanMessage(lines: readonly string[]): boolean {
  const content = lines.filter((line) => line.trim() !== '');
  const [first = ''] = content;
  const last = content.at(-1) ?? '';
  const fences = [...lines.keys()].filter((index) => parseFence(lines[index] ?? '') !== undefined);
  const [block] = fences.slice(-2);
  const label = lines.slice(0, block).findLast((line) => line.trim() !== '') ?? '';
  const hasExtraBlock = parseFence(last) !== undefined && /[:：]\**$|^#{1,6} /u.test(label.trim());
  return (
    findEnvelope(content, emptyMessage) !== undefined ||
    findForeignText(lines, emptyMessage) !== undefined ||
    parseAnswerHunks(lines) !== undefined ||
    (content.length > 1 && parseLineNumbers(content).length > 0) ||
    /^\s*\d+(?:\t|: )|^1[.)] /u.test(first) ||
    hasUncitedReferences(content) ||
    hasExtraBlock ||
    /^(?:'{3}|"{3}|\w+:\s*[|>][-+]?$|(?:echo|printf) ["'`])/u.test(first) ||
    /^<\w[^<>]*>[\s\S]*<\/\w+>$/u.test(content.join('\n')) ||
    fences.length % 2 === 1 ||
    /^(?:updated|revised|modified) (?:version|code|text)\b|^lines? \d+/iu.test(first) ||
    nonSubjectLinePattern.test(first) ||
    [first, last].some((line) => nonMessageEndPattern.test(line.trim())) ||
    (content.length > 1 && asianLetterPattern.test(last) && !asianLetterPattern.test(first)) ||
    hasMessageBlock(lines) ||
    content.some((line) => nonMessageFormatPattern.test(line.trim())) ||
    content.some((line) => answerLinePattern.test(line.trim()))
  );
}

/**
 * Checks whether the lines end with a list of references that the lines before the list do not cite. Models add such
 * lists after a web search.
 */
function hasUncitedReferences(content: readonly string[]): boolean {
  const start = content.findLastIndex((line) =>
    /^\W*(?:references|sources|citations)\W*$/iu.test(line),
  );
  const entries = content.slice(start + 1);
  return (
    start > 0 &&
    entries.length > 0 &&
    entries.every((line) => {
      const number = /^\s*[-*]?\s*(?<number>\[\^?\d+\]):?\s*\S/u.exec(line)?.groups?.['number'];
      return (
        number !== undefined && !content.slice(0, start).some((other) => other.includes(number))
      );
    })
  );
}

/**
 * Checks whether a fenced block may contain the commit message, so that the lines before the block only describe this
 * message.
 */
function hasMessageBlock(lines: readonly string[]): boolean {
  const opening = lines.findIndex((line) => parseFence(line) !== undefined);
  if (opening < 0) return false;
  const info = parseFence(lines[opening] ?? '')?.info ?? '';
  const isAttached = opening > 0 && (lines[opening - 1] ?? '').trim() !== '';
  return (
    isAttached || /^(?:|text|txt|plaintext|git|git-commit|commit|md|markdown|json)$/u.test(info)
  );
}
