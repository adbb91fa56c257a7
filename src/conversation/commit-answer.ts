import { canCloseFence, parseFence, readVisibleText } from '../base/model-answer.ts';
import { classifyProse } from '../base/prose.ts';
import {
  isAddressedToUser,
  classifyRemark,
  isAnnouncement,
  isAnswerHeading,
} from '../base/remark.ts';

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
  const tag = /^<(?<name>[a-z_-]+)>\s*(?<inner>[\s\S]*?)\s*<\/\k<name>>$/iu.exec(text)?.groups;
  if (tag?.['inner'] !== undefined) return unwrapMessage(tag['inner']);
  const parsed = parseJson(text);
  if (parsed !== undefined) return parsed;
  const command = /^(?:\$ )?git commit\b(?<options>[\s\S]*)$/u.exec(text)?.groups?.['options'];
  const parts = [
    ...(command ?? '').matchAll(/ -a?m (?<mark>["'])(?<part>[\s\S]*?)(?<!\\)\k<mark>/gu),
  ];
  if (parts.length > 0)
    return parts
      .map(({ groups: { mark = '', part = '' } = { mark: '' } }) =>
        mark === '"' ? part.replaceAll(/\\(?=["$`\\])/gu, '') : part,
      )
      .join('\n\n');
  const quoted = text.split('\n').every((line) => /^>(?: |$)/u.test(line));
  const plain = quoted ? text.replaceAll(/^> ?/gmu, '') : text;
  const unlabeled = plain.replace(inlineLabelPattern, '');
  const lines = unlabeled === plain ? plain : unlabeled.replace(bodyLabelPattern, '$<subject>\n\n');
  // A subject is neither a heading nor the item of a list.
  const subject = lines.replace(/^(?:#{1,6} (?!\.{3}|…)|[-*•] (?=[^\n]*(?:\n\n|$)))\s*(?=\S)/u, '');
  const bold = subject.replace(/^\*\*(?<subject>[^*\n]+)\*\*(?=\n|$)/u, '$<subject>').trim();
  return removeQuotes(bold).trim();
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

/**
 * Returns the message from a JSON string, or from a JSON object whose values are all strings. Joins several values
 * with empty lines. Returns undefined for any other text.
 */
function parseJson(text: string): string | undefined {
  if (!/^(?:\{[\s\S]*\}|"(?:[^"\\\n]|\\.)*")$/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const parts = typeof value === 'string' ? [value] : Object.values(value ?? {});
    return parts.every((part) => typeof part === 'string') ? parts.join('\n\n').trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Checks whether the lines are a list of alternative commit messages. */
function isMessageList(lines: readonly string[]): boolean {
  const content = lines.filter((line) => line.trim() !== '');
  const items = content.filter((line) =>
    /^(?:[*_#]*(?:option|alternative) (?:\d|[A-C]\b)|\d+[.)] )/iu.test(line),
  );
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
    const isPartial = index === rest.length - 1 && /^(?:`{1,2}|~{1,2})$/u.test(line);
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
      // A subject does not end with a colon.
      (/\S[:：][*_]*\s*$/u.test(lines[start] ?? '') &&
        (lines[start + 1]?.trim() === '' || /\bmessage\b/iu.test(lines[start] ?? ''))))
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
      /^[([].*\b(?:characters?|chars?|words?|tokens?|subject|message)\b.*[)\]]$/iu.test(line);
    const isEnding =
      isAnnouncement(line) && /[!！]$|^[^\p{L}\p{N}]+$|\p{Extended_Pictographic}/u.test(line);
    if (line !== '' && !isQuestion && !isCount && !isEnding) break;
  }
  return lines.slice(0, end);
}

const isRemarkOnly = (lines: readonly string[]): boolean =>
  isSingleIntroduction(lines) ||
  lines.every(
    (line) => isIntroduction(line) || isClosingRemark(line) || classifyProse(line, true) === 'yes',
  );

/**
 * Checks whether the lines before a code fence are a single line that ends with a colon. Such a line is an
 * introduction, because the subject of a commit message does not end with a colon.
 */
function isSingleIntroduction(lines: readonly string[]): boolean {
  const [line = '', ...others] = lines.filter((text) => text.trim() !== '');
  return others.length === 0 && /\S[:：][*_]*\s*$/u.test(line);
}

/**
 * Checks whether a line is blank, or a remark of the model that precedes the message: a label, a refusal or an
 * introduction.
 */
const isIntroduction = (line: string): boolean =>
  line.trim() === '' ||
  commitLabelPattern.test(line) ||
  classifyRemark(line) === 'refusal' ||
  noMessagePatterns.some((pattern) => pattern.test(line)) ||
  (/[.:!][*_\s]*$/u.test(line) && classifyRemark(line) === 'introduction');

/**
 * Patterns of lines that occur in answers without a commit message. Examples are a report of a missing diff, advice on
 * messages, and a review of the diff.
 */
const noMessagePatterns: readonly RegExp[] = [
  /^(?:the|your) (?:diff|changes?) (?:is|are|seems?|appears?) (?:to be )?(?:empty|missing|incomplete)/iu,
  /^there (?:is|are) (?:nothing|no (?:\w+ )?(?:changes?|files?|diff))\b/iu,
  /^(?:to (?:write|create|get|generate)|you (?:can|could|should|need to)|when(?:ever)? you|an?|good|great)\b.*\bcommit messages?\b.*[.!]$/iu,
  /^(?:the|this|your) (?:diff|changes?|commit|code)\b.*\b(?:looks? (?:good|fine|correct)|(?:found|see) no (?:\w+ )?(?:problems?|issues?|errors?))\b/iu,
];

const commitLabelPattern =
  /^[*_\s]*(?:#{1,6} )?[*_]*(?:suggested |proposed |generated |git )?commit message(?: for [^:]*)?[*_]*:[*_\s]*$|^(?:#{1,6} |\*\*|(?=suggested |proposed |generated ))(?:suggested |proposed |generated )?(?:git )?commit message[*_\s]*$/iu;

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
