import { parseAnswerHunks } from './answer-hunks.ts';
import type { RefusalCause } from './answer-marks.ts';
import { findEnvelope, removeEnvelope } from './envelope.ts';
import { restoreBlankLines } from './distortions.ts';
import { findForeignText } from './foreign-marks.ts';
import { parseLineNumbers } from '../edit/unwrap.ts';
import {
  canBeFence,
  canCloseFence,
  isCutOff,
  isRoleLine,
  oldTextKeySource,
  parseFence,
  readVisibleText,
} from '../../base/model-answer.ts';
import { classifyProse } from '../../base/prose.ts';
import {
  isAddressedToUser,
  classifyRemark,
  isAnnouncement,
  isAnswerHeading,
} from '../../base/remark.ts';
import type { FinishReason } from '../../service/chat/chat-types.ts';

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
function restoreMessage(text: string): string | undefined {
  const [first = '', ...rest] = text.split('\n');
  const message = isRoleLine(first) && rest.length > 0 ? rest : [first, ...rest];
  const own = removeOwnText(message);
  if (own === undefined) return undefined;
  const unlabeled = removeGitComments(own);
  const named = removeEnvelope(unlabeled, emptyMessage);
  const lines = restoreIndent(restoreMessageBlankLines(removeRepetition(named)));
  return containsMoreThanMessage(lines) ? undefined : lines.join('\n').trim();
}

/**
 * Removes a role before the subject, and a note about the message in parentheses after it. Returns undefined if another
 * note addresses the user, because it may be part of the message.
 */
function removeOwnText([first = '', ...rest]: readonly string[]): readonly string[] | undefined {
  const lines = [first.replace(/^Assistant:\s+(?=\S)/u, ''), ...rest];
  const last = lines.at(-1) ?? '';
  const isNote = /^\((?:note|p\.?s\.?)[:.,] .*\)$/iu.test(last) && lines.at(-2)?.trim() === '';
  if (!isNote || !/\b(?:I|you|your)\b/u.test(last)) return lines;
  return /\b(?:message|subject line|answer|response|wording)\b/iu.test(last)
    ? lines.slice(0, -2)
    : undefined;
}

/** Removes the comments that Git adds to a commit message in an editor. */
function removeGitComments(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) =>
    /^# (?:Please enter the commit message|On branch \S+$|Changes to be committed:|Your branch )/u.test(
      line,
    ),
  );
  const isEnd = lines.slice(start).every((line) => line.trim() === '' || /^#(?:\s|$)/u.test(line));
  return start > 0 && isEnd ? lines.slice(0, start) : lines;
}

function removeRepetition(lines: readonly string[]): readonly string[] {
  const half = (lines.length - 1) / 2;
  const isRepeated =
    lines.length > 2 &&
    lines[half]?.trim() === '' &&
    lines.slice(0, half).every((line, index) => line === lines[half + 1 + index]);
  return isRepeated ? lines.slice(0, half) : lines;
}

/** Removes extra blank lines, but not the only blank line after the subject. */
function restoreMessageBlankLines(lines: readonly string[]): readonly string[] {
  const restored = restoreBlankLines(lines);
  const [, second = ''] = restored;
  if (second.trim() === '' || lines[1]?.trim() !== '') return restored;
  return lines.filter((line, index) => line.trim() !== '' || lines[index - 1]?.trim() !== '');
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
  /^(?:[\w.@-]*\/)+[\w.@-]+(?: \([^()]*\))?$|^[[{]$|^import [\w.]+(?: as \w+| from ["'].*)?;?$|^from \S+ import \w+|^`{3,}\s*\S.*`{3}$|^(?:\$ )?(?:cat|tee|git|sed)\s|^(?:#|\/\/) ?(?:\.{3}|…)|^(?:undefined|null|none|n\/a)$|^(?:this|that|these) (?:line|code|function|file|change|method)s? [^]*\.$|^\W*(?:start|begin|end)(?: of)? (?:code|selection|answer)\b/iu;
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
    /^(?:updated|revised|modified) (?:version|code|text)(?:\W*$|\s*[:：]| (?:below|here|is|of (?:the|your))\b)|^lines? \d+/iu.test(
      first,
    ) ||
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

/** A commit message, or the reason why an answer contains none. */
export type CommitAnswer =
  | { readonly kind: 'message'; readonly text: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'empty' | 'prose' | 'several-blocks' | 'cut-off';
    };

/** Reads the commit message from a complete answer. Removes the model's remarks before and after the message. */
export function readCommitAnswer(answer: string): CommitAnswer {
  const lines = toLines(answer);
  const opening = lines.findIndex((line) => parseFence(line) !== undefined);
  const blocks = lines.filter((line) => parseFence(line)?.indent === '').length;
  if (opening >= 0 && isRemarkOnly(lines.slice(0, opening)) && blocks > 2)
    return { kind: 'refused', reason: 'several-blocks' };
  if (isMessageList(removeRemarks(lines))) return { kind: 'refused', reason: 'several-blocks' };
  const text = extractCommitMessage(answer);
  if (text !== '') return { kind: 'message', text };
  return { kind: 'refused', reason: answer.trim() === '' ? 'empty' : 'prose' };
}

/**
 * Extracts the commit message from a complete or partial answer. Removes reasoning, remarks, a code fence, quotation
 * marks and hidden characters. Returns an empty string if the answer contains only remarks. Returns at most 4,000
 * characters.
 */
export function extractCommitMessage(answer: string): string {
  const lines = toLines(answer);
  const opening = lines.findIndex((line) => parseFence(line) !== undefined);
  const isFenced = opening >= 0 && isRemarkOnly(lines.slice(0, opening));
  const text = (isFenced ? readFenced(lines, opening) : removeRemarks(lines)).join('\n').trim();
  return unwrapMessage(text).slice(0, maxMessageLength);
}

/**
 * Removes everything that encloses a commit message: tags, quotation marks, emphasis, a label, JSON syntax or a `git
 * commit` command.
 */
function unwrapMessage(text: string): string {
  const untagged = removeTags(text);
  const parsed = parseJson(untagged);
  if (parsed !== undefined) return parsed;
  const command = /^(?:\$ )?git commit\b(?<options>[\s\S]*)$/u.exec(untagged)?.groups?.['options'];
  const parts = [
    ...(command ?? '').matchAll(/ -a?m (?<mark>["'])(?<part>[\s\S]*?)(?<!\\)\k<mark>/gu),
  ];
  if (parts.length > 0)
    return parts
      .map(({ groups: { mark = '', part = '' } = { mark: '' } }) =>
        mark === '"' ? part.replaceAll(/\\(?=["$`\\])/gu, '') : part,
      )
      .join('\n\n');
  const quoted = untagged.split('\n').every((line) => /^>(?: |$)/u.test(line));
  const plain = quoted ? untagged.replaceAll(/^> ?/gmu, '') : untagged;
  const unlabeled = plain.replace(inlineLabelPattern, '');
  const lines = unlabeled === plain ? plain : unlabeled.replace(bodyLabelPattern, '$<subject>\n\n');
  // A subject is neither a heading nor the item of a list.
  const subject = lines.replace(/^(?:#{1,6} (?!\.{3}|…)|[-*•] (?=[^\n]*(?:\n\n|$)))\s*(?=\S)/u, '');
  const bold = subject.replace(/^\*\*(?<subject>[^*\n]+)\*\*(?=\n|$)/u, '$<subject>').trim();
  return removeQuotes(bold).trim();
}

/** Removes tags around a text, such as `<message>` and `</message>`. */
function removeTags(text: string): string {
  let inner = text;
  for (;;) {
    const tag = /^<[a-z_-]+>/iu.exec(inner)?.[0];
    if (tag === undefined) return inner;
    const end = `</${tag.slice(1)}`.toLowerCase();
    if (inner.slice(-end.length).toLowerCase() !== end) return inner;
    inner = inner.slice(tag.length, -end.length).trim();
  }
}

/** Matches a message from its subject up to and including the label of its body, such as `**Body:**`. */
const bodyLabelPattern =
  /^(?<subject>[^\n]+)\n\s*[*_]*(?:body|description|details)[*_]*:[*_]*\s*/iu;

const quotePairs = ['""', "''", '``', '“”', '«»', '„“'];

function removeQuotes(text: string): string {
  const [open = '', close = ''] =
    quotePairs.find(([first = '', last = '']) => text.startsWith(first) && text.endsWith(last)) ??
    '';
  const inner = text.slice(1, -1);
  if (open === '' || text.length < 3 || text.startsWith(open.repeat(3))) return text;
  const words = inner.replaceAll(/(?<=\p{L})'(?=\p{L})/gu, '');
  const [first, last] = [words.indexOf(open), words.lastIndexOf(close)];
  if (first < 0 && last < 0) return inner;
  // Marks inside the message are in pairs. In `"a" and "b"`, the first inner mark closes a quotation.
  const isPaired =
    first >= 0 &&
    last > first &&
    /^(?:^|[\s([{])$/u.test(words.slice(0, first).slice(-1)) &&
    /^(?:$|[\s)\]}.,;:!?])$/u.test(words.slice(last + 1, last + 2));
  return isPaired ? inner : text;
}

/**
 * Matches text before a commit message on the same line: a label such as `Commit message:`, or an introduction that
 * ends with a colon.
 */
const inlineLabelPattern =
  /^(?:based on|given|looking at|from|for|considering) (?:the|this|these|your)\b[^:\n]{0,100}:\s*(?=\S)|^(?:the|a|an|my|your|this|here(?:['’]s| is)) [^:\n]{0,60}\bmessage\b[^:\n]{0,60}:\s*(?=\S)|^(?:#{1,6} )?[*_]*(?:suggested |proposed |generated |git )?(?:commit message|subject|title)[*_]*(?::[*_]*\s*|\n+)(?=\S)/iu;

const oldTextKeyPattern = new RegExp(`^(?:${oldTextKeySource})$`, 'iu');

/**
 * Returns the message from a JSON string, or from a JSON object whose values are all strings. Joins several values
 * with empty lines. Omits the text that an edit replaces. Returns undefined for any other text.
 */
function parseJson(text: string): string | undefined {
  if (!/^(?:\{[\s\S]*\}|"(?:[^"\\\n]|\\.)*")$/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const parts =
      typeof value === 'string'
        ? [value]
        : Object.entries(value ?? {}).flatMap(([key, part]) =>
            oldTextKeyPattern.test(key) ? [] : [part as unknown],
          );
    return parts.every((part) => typeof part === 'string') ? parts.join('\n\n').trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Matches the label of one of several messages. */
const optionPattern = /^[*_#]*(?:option|alternative) (?:\d|[A-C]\b)/iu;

/** Checks whether the lines are a list of alternative commit messages. */
function isMessageList(lines: readonly string[]): boolean {
  const content = lines.filter((line) => line.trim() !== '');
  const items = content.filter((line) => optionPattern.test(line) || /^\d+[.)] /u.test(line));
  const isNumbered = items.length > 1 && items[0] === content[0];
  return (
    isNumbered || content.some((line) => /^(?:or|alternatively|oder|ou|或者)[:,]?$/iu.test(line))
  );
}

/**
 * Extracts the commit message from an incomplete answer, to show the message while the answer streams. Returns an empty
 * string while the received text can still turn out to be a remark of the model.
 */
export function previewCommitMessage(answer: string): string {
  const message = extractCommitMessage(answer);
  // Only later text shows whether symbols or a label at the start belong to the message.
  if (/^\s*(?:[<{>"'`“«„*#$]|\d+[.)]|git commit|option|subject)/iu.test(toLines(answer).join('\n')))
    return isFencedAnswer(answer) ? message : '';
  const isOpen =
    !message.includes('\n') && (possibleRemarkPattern.test(message) || /^[`~]+$/u.test(message));
  return isOpen ? '' : message;
}

const isFencedAnswer = (answer: string): boolean =>
  toLines(answer).some(
    (line, index, lines) => parseFence(line) !== undefined && index < lines.length - 1,
  );

const possibleRemarkPattern =
  /^[*_]*(?:h|he|her|here|su|sur|sure|ce|certainly|of course|ok|okay|based on|given|looking|considering|the|my|your|this|below|i|i['’]\w*|commit message|git commit message|suggested)(?:[^\p{L}]|$)/iu;

const toLines = (answer: string): readonly string[] =>
  (readVisibleText(answer) ?? '').trim().split('\n');

/**
 * Returns the lines inside the code fence that starts at line `opening`. The closing fence may be missing or
 * incomplete.
 */
function readFenced(lines: readonly string[], opening: number): readonly string[] {
  const fence = parseFence(lines[opening] ?? '');
  const rest = lines.slice(opening + 1);
  const close = rest.findIndex((line, index) => {
    const isPartial = index === rest.length - 1 && line.length < 3 && canBeFence(line);
    const closing = parseFence(line);
    return (
      isPartial || (fence !== undefined && closing !== undefined && canCloseFence(closing, fence))
    );
  });
  const content = close < 0 ? rest : rest.slice(0, close);
  // Some models close the fence on the last line of the message.
  return close < 0 ? content.map((line) => line.replace(/`{3}$/u, '')) : content;
}

/** Removes the remarks of the model about its answer, before and after the commit message. */
function removeRemarks(lines: readonly string[]): readonly string[] {
  let start = 0;
  while (
    start < lines.length &&
    (isIntroduction(lines[start] ?? '') ||
      isLabel(lines, start) ||
      isUnknownIntroduction(lines.slice(start)))
  )
    start += 1;
  const content = lines.slice(start);
  const end = content.findIndex(
    (line, index) =>
      index > 0 && /^(?:\s*|-{3,})$/u.test(content[index - 1] ?? '') && isClosingRemark(line),
  );
  const message = removeEnding(end < 0 ? content : content.slice(0, end));
  return /^-{3,}$/u.test(message.findLast((line) => line.trim() !== '') ?? '')
    ? message.slice(
        0,
        message.findLastIndex((line) => line.startsWith('---')),
      )
    : message;
}

/**
 * Checks whether the first line is an introduction with unknown words. Such a line ends with a colon and does not
 * resemble the subject of a commit, unless the next lines begin with a conventional subject.
 */
function isUnknownIntroduction([line = '', next = '', ...others]: readonly string[]): boolean {
  if (!isColonLine(line) || scopePattern.test(line) || optionPattern.test(line)) return false;
  const isNextBlank = next.trim() === '';
  const [body = '', second] = isNextBlank
    ? others.filter((other) => other.trim() !== '')
    : [next, ...others];
  if (conventionalSubjectPattern.test(body)) return true;
  if (startsLikeSubject(line)) return false;
  const isList = second !== undefined && /^\s*[-*•] /u.test(body);
  if (!isNextBlank) return !isList && messageWordPattern.test(line);
  return !isList && !trailerPattern.test(body);
}

/** Checks whether a line ends with a colon that is not part of an emoji code or a role, such as `:ref:`. */
const isColonLine = (line: string): boolean =>
  /\S[:：][*_]*\s*$/u.test(line) && !/(?:^|\s):\w+:\s*$/u.test(line);

/** Matches a reference or signature at the end of a commit message. */
const trailerPattern =
  /^(?:(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see):? #?\d|[\w-]+-by: )/iu;

/** Checks whether a line begins with a verb or a scope, as the subject of a commit does, and not as an introduction. */
const startsLikeSubject = (line: string): boolean =>
  scopePattern.test(line) || (subjectStartPattern.test(line) && !messageWordPattern.test(line));
const subjectStartPattern =
  /^(?:cosmetic|minor|misc(?:ellaneous)?|various|small|squashed)\s|^(?:add|allow|avoid|bump|chang|clean|convert|correct|creat|delet|deprecat|disabl|document|drop|enabl|ensur|expos|extract|fix|handl|ignor|implement|improv|introduc|mak|merg|mov|prevent|refactor|remov|renam|replac|restor|revert|simplif|squash|support|switch|upgrad|set|updat)(?:e|es|ed|s|d|ing|y|ies|ied)?\s/iu;
/** Matches a subject that begins with a scope, such as `parser: Read tabs`. */
const scopePattern = /^[\w./-]+(?:\([^()]*\))?!?: \S/u;
const conventionalSubjectPattern =
  /^(?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^()\n]*\))?!?: \S/u;
/** Matches words with which models refer to the message in an introduction. */
const messageWordPattern =
  /\b(?:messages?|subjects?|titles?|(?<!squashed )commits?|summary|wording|suggestions?|proposals?|drafts?|revisions?|versions?|styles?|mood|(?<!commit of the )following|below|results?|options?|texts?|(?:this|it)(?=\W*$))\b/iu;

/**
 * Checks whether the line at `index` is text before the commit message: a label such as `Commit message:`, or a line
 * that contains only symbols. A single word such as `Cleanup.` is not a label, because it can be the message.
 */
const isLabel = (lines: readonly string[], index: number): boolean => {
  const line = lines[index] ?? '';
  const isMark = isAnswerHeading(line) || /^[^\s\d]+\s?[:：][*_]*\s*$|^[^\p{L}\p{N}]+$/u.test(line);
  return (
    isAnnouncement(line) && isMark && lines.slice(index + 1).some((other) => other.trim() !== '')
  );
};

/**
 * Removes lines at the end that state the length of the message, address the user or conclude the answer. Keeps at
 * least the first line.
 */
function removeEnding(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  for (; end > 1; end -= 1) {
    const line = lines[end - 1]?.trim() ?? '';
    const isQuestion = /[?？]$/u.test(line) && isAddressedToUser(line);
    const isCount =
      /^[([]/u.test(line) && /[)\]]$/u.test(line) && lengthWordPattern.test(line.slice(1, -1));
    const isEnding =
      isAnnouncement(line) && /[!！]$|^[^\p{L}\p{N}]+$|\p{Extended_Pictographic}/u.test(line);
    if (line !== '' && !isQuestion && !isCount && !isEnding) break;
  }
  return lines.slice(0, end);
}

const lengthWordPattern = /\b(?:characters?|chars?|words?|tokens?|subject|message)\b/iu;

function isRemarkOnly(lines: readonly string[]): boolean {
  const [first = ''] = lines.filter((line) => line.trim() !== '');
  if (!isIntroduction(first) && startsLikeSubject(first)) return false;
  return (
    isSingleIntroduction(lines) ||
    lines.every(
      (line) =>
        isIntroduction(line) || isClosingRemark(line) || classifyProse(line, true) === 'yes',
    )
  );
}

/**
 * Checks whether the lines before a code fence are a single line that ends with a colon. Such a line is an
 * introduction, because the subject of a commit message does not end with a colon.
 */
function isSingleIntroduction(lines: readonly string[]): boolean {
  const [line = '', ...others] = lines.filter((text) => text.trim() !== '');
  return others.length === 0 && isColonLine(line);
}

/**
 * Checks whether a line is blank, or a remark of the model that precedes the message: a label, a refusal or an
 * introduction.
 */
const isIntroduction = (line: string): boolean =>
  line.trim() === '' ||
  commitLabelPattern.test(line) ||
  (!unchangedSubjectPattern.test(line) &&
    (classifyRemark(line) === 'refusal' ||
      noMessagePatterns.some((pattern) => pattern.test(line)))) ||
  (/[.:!][*_\s]*$/u.test(line) && classifyRemark(line) === 'introduction');

/** Matches a sentence that a part of the program does not change, unlike a report that the diff is empty. */
const unchangedSubjectPattern =
  /^there (?:is|are) no (?:\w+ )?changes? (?:to|in|of) (?!(?:the |this |these |your )?(?:(?:\w+ed|given) )?(?:commit|descri|summari|review|report|diff|changes?|files?|repositor|index|work|stag))/iu;

/**
 * Patterns of lines that occur in answers without a commit message. Examples are a report of a missing diff, advice on
 * messages, and a review of the diff.
 */
const noMessagePatterns: readonly RegExp[] = [
  /^(?:the|your) (?:diff|changes?) (?:is|are|seems?|appears?) (?:to be )?(?:empty|missing|incomplete)/iu,
  /^there (?:is|are) (?:nothing|no (?:\w+ )?(?:changes?|files?|diff))\b/iu,
  /^(?=.*[.!]$)(?:to (?:write|create|get|generate)|you (?:can|could|should|need to)|when(?:ever)? you|an?|good|great)\b.*\bcommit messages?\b/iu,
  /^(?:the|this|your) (?:diff|changes?|commit|code)\b.*\b(?:looks? (?:good|fine|correct)|(?:found|see) no (?:\w+ )?(?:problems?|issues?|errors?))\b/iu,
];

const commitLabelPattern =
  /^[*_\s]*(?:#{1,6} [*_]*)?(?:suggested |proposed |generated |git )?commit message(?: for [^:]*)?[*_]*:[*_\s]*$|^(?:#{1,6} |\*\*|(?=suggested |proposed |generated ))(?:suggested |proposed |generated )?(?:git )?commit message[*_\s]*$/iu;

/**
 * Patterns of the model's remarks after a commit message. Sentences that begin with `If you want` or `I used` match
 * only if they refer to the message. Other such sentences can be part of the message body.
 */
const closingPatterns: readonly RegExp[] = [
  /^(?:let me know (?:if|whether|when|how|what)|would you like|want me to|i hope|hope (?:this|that) (?:helps|works|message|commit))\b/iu,
  /^feel free to (?:adjust|edit|modify|tweak|change|shorten|ask|use|let me)\b/iu,
  /^if you(?:['’]d| want| need| would| prefer)\b.*(?:\bi can\b|\bi['’]ll\b|let me know|tell me|just ask|\b(?:message|subject|shorter|longer|style|wording)\b)/iu,
  /^(?:\**note\W+)?(?:the |this )?(?:commit )?(?:subject|message|title|summary)(?: line)? (?:has|is|uses|stays|contains|remains|fits)(?: (?:only|just|exactly|about|around|under|below|within|well|kept|less|fewer|shorter|than|at|most|in|into|the|limit|of))* \d+[ -]characters?\b/iu,
  /^explanation\W*$|^explanation[*_]*:|^explanation of (?:the|this) (?:commit )?message\b/iu,
  /^(?:this|the) (?:commit )?message (?:follows|uses|summari[sz]es|describes|captures|adheres|keeps|highlights|explains|starts|begins|conforms|reflects|is (?:concise|short|written|in the|under))\b/iu,
  /^(?:note that )?i (?:have |also )?(?:kept|used|wrote|chose|followed|left|assumed)\b.*\b(?:message|subject|conventional|format|style|imperative|mood|characters|prefix|scope|diff|body|concise)\b/iu,
  /^(?:lass mich wissen|lassen sie mich wissen|sag(?:en sie)? mir bescheid|sag bescheid|ich hoffe)\b|^falls (?:du|sie)\b.*(?:änder|anpass|wünsch|möcht)/iu,
  /^(?:n['’]hésitez pas|dites-moi|j['’]espère que)|^(?:ce message|cette ligne|ce titre) .*\P{L}caractères(?:\P{L}|$)/iu,
  /^(?:avísame|dime si|espero que (?:esto|isso|te|ajude|ayude)|me avise|fammi sapere|spero che)(?=\P{L})/iu,
  /^(?:希望这|希望對|希望对|如果(?:您|你)(?:需要|想|希望)|如需(?:修改|调整)|请告诉我|ご希望|必要であれば|お知らせください|도움이 되|필요하시면|дайте знать|надеюсь, это)/iu,
];

const isClosingRemark = (line: string): boolean => {
  const text = line.replace(/^\*\*/u, '');
  return closingPatterns.some((pattern) => pattern.test(text));
};

const maxMessageLength = 4_000;
