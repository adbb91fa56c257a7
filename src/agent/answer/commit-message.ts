import type { RefusalCause } from './answer-marks.ts';
import { findEnvelope, removeEnvelope } from './envelope.ts';
import { reduceBlankLines } from './distortions.ts';
import { findForeignText } from './foreign-marks.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import {
  canBeFence,
  canCloseFence,
  type Fence,
  isCutOff,
  isRoleLine,
  oldTextKeySource,
  readVisibleText,
} from '../../base/model-answer.ts';
import {
  isAddressedToUser,
  classifyRemark,
  isAnnouncement,
  isAnswerHeading,
} from '../../base/remark.ts';
import {
  bodyNameSource,
  changeLogPattern,
  conventionalSubjectPattern,
  isColonLine,
  isCommitMessage,
  isSubject,
  listItemPattern,
  maxMessageLength,
  maxSubjectLength,
  messageNamePattern,
  messageNameSource,
  messageWordPattern,
  parseBlockFence,
  removeQuotes,
  scopePattern,
  startsLikeSubject,
} from './commit-message-form.ts';
import type { FinishReason } from '../../service/chat/chat-types.ts';

/** A commit message, or the reason why an answer contains none. */
export type CommitAnswer = { readonly kind: 'message'; readonly text: string } | CommitRefusal;

/**
 * Reason why an answer contains no commit message. `cause` is the kind of text in the answer that caused the refusal;
 * absent if unknown.
 */
export interface CommitRefusal {
  readonly kind: 'refused';
  readonly reason: 'empty' | 'prose' | 'several-blocks' | 'cut-off';
  readonly cause?: RefusalCause;
}

/**
 * Empty Git commit message file. Used as the document in checks that commit messages share with answers to edit
 * requests.
 */
const emptyMessageDocument = {
  language: 'git-commit',
  original: [],
  before: [],
  after: [],
  path: '.git/COMMIT_EDITMSG',
};

/**
 * Reads the commit message from a complete answer. Refuses an answer that is truncated, and an answer whose message is
 * not certain: one part of the answer must have the form of a commit message, and all other text must be recognized as
 * remarks of the model.
 * @param finishReason Reason why the model ended the answer, as reported by the service.
 */
export function readCommitMessage(
  answer: string,
  finishReason: FinishReason = 'stop',
): CommitAnswer {
  if (isCutOff(finishReason)) return { kind: 'refused', reason: 'cut-off' };
  if (answer.trim() === '') return { kind: 'refused', reason: 'empty' };
  const foundMessage = findMessage(toLines(answer));
  if (foundMessage === 'several-blocks') return { kind: 'refused', reason: foundMessage };
  const lines = restoreLayout(unwrapMessage(foundMessage));
  const text = lines.join('\n').trim();
  const cause =
    findForeignText(lines, emptyMessageDocument) ?? findEnvelope(lines, emptyMessageDocument);
  if (cause === undefined && isCommitMessage(text, foundMessage.fenceState === 'closed'))
    return { kind: 'message', text };
  return { kind: 'refused', reason: 'prose', ...(cause === undefined ? {} : { cause }) };
}

/**
 * Extracts the commit message from an incomplete answer, to show the message while the answer streams. Returns an empty
 * string while the received text can still turn out to be a remark of the model.
 */
export function previewCommitMessage(answer: string): string {
  const foundMessage = findMessage(toLines(answer));
  if (foundMessage === 'several-blocks') return '';
  // Only later text shows whether symbols or a label at the start belong to the message.
  const messageText = foundMessage.lines.join('\n').trimStart();
  if (foundMessage.fenceState === undefined && openingPattern.test(messageText)) return '';
  const text = unwrapMessage(foundMessage).slice(0, maxMessageLength);
  const [subject = '', secondLine] = text.split('\n');
  if (!isSubject(subject.slice(0, maxSubjectLength))) return '';
  if (secondLine === undefined) return /\S\s+\S/u.test(subject) ? text : '';
  return /^\s*(?:$|[-*•+])/u.test(secondLine) ? text : '';
}

/**
 * Matches the beginning of an incomplete answer that can turn out to be a label, an introduction or a mark around the
 * message.
 */
const openingPattern =
  /^(?:[<{>"'`“„«「*#$~]|\d+[.)]|(?:git commit|option|subject|sure|certainly|of course|ok|okay|based on|given|looking|considering|my|below|commit message|suggested)(?:[^\p{L}]|$))/iu;

const toLines = (answer: string): readonly string[] =>
  (readVisibleText(answer) ?? '').trim().split('\n');

/** Part of an answer that can be the commit message. */
interface FoundMessage {
  readonly lines: readonly string[];
  /** State of the code fence around the lines; `open` without a closing fence, undefined without a fence. */
  readonly fenceState: 'open' | 'closed' | undefined;
  /** Text after the opening fence on its line, such as the language id `text`. */
  readonly info: string;
}

/** Finds the part of an answer that can be the commit message, without the remarks before and after it. */
function findMessage(lines: readonly string[]): FoundMessage | 'several-blocks' {
  const blocks = listBlocks(lines);
  const [block] = blocks;
  if (block !== undefined && !beginsWithMessage(lines.slice(0, block.start))) {
    const outsideLines = [...lines.slice(0, block.start), ...lines.slice(block.end + 1)];
    if (blocks.length > 1 || outsideLines.some(offersChoice)) return 'several-blocks';
    const content = lines.slice(block.start + 1, block.end);
    const { info } = block.fence;
    return block.isClosed
      ? { lines: content, fenceState: 'closed', info }
      : { lines: removeRemarks(content), fenceState: 'open', info };
  }
  const content = removeRemarks(lines);
  if (isMessageList(content)) return 'several-blocks';
  return { lines: content, fenceState: undefined, info: '' };
}

/** Lines from an opening to a closing fence. */
interface Block {
  readonly fence: Fence;
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean;
}

function listBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let openBlock: Pick<Block, 'fence' | 'start'> | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = parseBlockFence(line);
    if (openBlock === undefined && fence !== undefined) openBlock = { fence, start: index };
    else if (
      openBlock !== undefined &&
      fence !== undefined &&
      canCloseFence(fence, openBlock.fence)
    ) {
      blocks.push({ ...openBlock, end: index, isClosed: true });
      openBlock = undefined;
    }
  }
  if (openBlock === undefined) return blocks;
  // While an answer arrives, its last line can be a part of the closing fence.
  const isPartial = openBlock.start < lines.length - 1 && canBeFence(lines.at(-1) ?? '');
  return [...blocks, { ...openBlock, end: lines.length - (isPartial ? 1 : 0), isClosed: false }];
}

/**
 * Checks whether the lines before a block begin with the subject of a commit, so that the block can be code in the body
 * of the message.
 */
function beginsWithMessage(linesBefore: readonly string[]): boolean {
  const lastLine = linesBefore.findLast((line) => line.trim() !== '') ?? '';
  if (isColonLine(lastLine) && messageNamePattern.test(lastLine)) return false;
  const content = removeRemarks(linesBefore).join('\n').trim();
  const [subject = ''] = unwrapText(content).replace(openingMarksPattern, '').split('\n');
  return isSubject(subject) && !/^`[\w./-]+`$/u.test(content);
}

/** Matches characters, such as a tag or a quotation mark, that can enclose a message or precede its subject. */
const openingMarksPattern = /^(?:<[\w-]+>|\d+[.)]\s|["'`“„«「*#>\s-])+/u;

/** Removes the remarks of the model about its answer, before and after the commit message. */
function removeRemarks(lines: readonly string[]): readonly string[] {
  const labelIndex = lines.findLastIndex((line) => isMessageLabel(line));
  const isReasoning = labelIndex > 0 && !isSubject(lines.find((line) => line.trim() !== '') ?? '');
  let start = isReasoning ? labelIndex : 0;
  while (
    start < lines.length - 1 &&
    isIntroduction(lines.slice(start, start + maxIntroductionLines))
  )
    start += 1;
  const content = lines.slice(start);
  const isQuoted = removeQuotes(content[0] ?? '') !== content[0];
  const end = content.findIndex(
    (line, index) =>
      index > 0 &&
      /^(?:\s*|-{3,})$/u.test(content[index - 1] ?? '') &&
      (isClosingRemark(line) || (isQuoted && reasonLabelPattern.test(line))),
  );
  const rest = content.slice(end < 0 ? content.length : end);
  return removeEnding(
    rest.some(offersChoice) ? content : content.slice(0, content.length - rest.length),
  );
}

/** Maximum number of lines to examine when deciding whether the first of them is an introduction. */
const maxIntroductionLines = 8;
/** Matches the label of an explanation, such as `Reason:`, that follows a message in quotation marks. */
const reasonLabelPattern = /^[*_]*(?:reason|explanation|rationale|note|why)\b[^:\n]{0,20}[:：]/iu;

/** Checks whether a line offers an alternative message, such as `Or:`. */
const offersChoice = (line: string): boolean =>
  /^\W*(?:or|alternatively|alternative|oder|alternativ|ou|o|或者|または)\b[^.]{0,40}[:,]|\balternatively\b/iu.test(
    line,
  );

/** Matches a blank line, a horizontal rule such as `---`, and a line of only emoji. */
const separatorLinePattern =
  /^\s*(?:[-*_=]{3,}|[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u200D\s]*)\s*$/u;

/** Matches labels and buttons of chat pages that are copied with an answer, such as `Copy code`. */
const interfaceLinePattern =
  /^(?:text|plaintext|markdown|copy(?: code)?|copied!?|assistant|thinking(?:\.{3}|…)|thought for \d+ .*)\s*$/iu;

/**
 * Checks whether the first line precedes the commit message instead of being its subject: a blank line, a rule, a label
 * or an introduction.
 */
function isIntroduction([line = '', ...rest]: readonly string[]): boolean {
  const isMark = separatorLinePattern.test(line) || interfaceLinePattern.test(line);
  if (isMark || isRoleLine(line) || isMessageLabel(line)) return true;
  if (isAnnouncement(line) && (isAnswerHeading(line) || /^[^\s\d]+\s?[:：][*_]*\s*$/u.test(line)))
    return true;
  if (/[.:!][*_\s]*$/u.test(line) && classifyRemark(line) === 'introduction') return true;
  if (!isColonLine(line) || scopePattern.test(line) || optionLabelPattern.test(line)) return false;
  const [nextLine = '', secondLine = ''] = rest.filter((otherLine) => otherLine.trim() !== '');
  if (conventionalSubjectPattern.test(nextLine) || changeLogPattern.test(nextLine)) return true;
  if (startsLikeSubject(line) || (secondLine !== '' && listItemPattern.test(nextLine)))
    return false;
  return rest[0]?.trim() === '' || messageWordPattern.test(line);
}

const messageLabelPattern = new RegExp(
  `^[*_\\s]*(?:#{1,6} [*_]*)?(?:(?:suggested|proposed|generated|final|recommended|git|the|my) )*${messageNameSource}(?: for [^:]*)?[*_]*[:：]?[*_:\\s]*$`,
  'iu',
);
/** Checks whether a line is only a label of the message, such as `**Commit message:**`. */
const isMessageLabel = (line: string): boolean =>
  messageLabelPattern.test(line.slice(0, maxRemarkLength)) &&
  /[:：*#]|^(?:suggested|proposed|generated|final)/iu.test(line);

const maxRemarkLength = 500;

/** Removes lines at the end that state the length of the message, address the user or conclude the answer. */
function removeEnding(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line, index) => {
    const text = line.trim();
    const isNote =
      /^[([].*[)\]]$/u.test(text) &&
      /^\W*(?:[^.]{0,20}\b\d+ (?:characters?|chars?|words?|tokens?)\b|(?:note|p\.?s\.?)[:.,].*\b(?:subject|messages?|mood|wording|answer)\b)/iu.test(
        text,
      );
    const isEnding =
      isAnnouncement(text) &&
      !listItemPattern.test(text) &&
      /[!！]$|\p{Extended_Pictographic}/u.test(text);
    const isQuestion = /[?？]$/u.test(text) && isAddressedToUser(text);
    return index === 0 || !(isNote || isEnding || isQuestion || separatorLinePattern.test(text));
  });
  return lines.slice(0, end + 1);
}

/** Matches the label of one of several alternative messages, such as `Option 1:`. */
const optionLabelPattern =
  /^[*_#]*(?:(?:option|alternative|variante?|version) (?:\d|[A-C]\b)|案\s?\d|方案)/iu;

/** Checks whether the lines are a list of alternative commit messages. */
function isMessageList(lines: readonly string[]): boolean {
  const nonBlankLines = lines.filter((line) => line.trim() !== '');
  const itemLines = nonBlankLines.filter(
    (line) => optionLabelPattern.test(line) || /^\d+[.)] /u.test(line),
  );
  const isNumbered = itemLines.length > 1 && itemLines[0] === nonBlankLines[0];
  return (
    isNumbered ||
    nonBlankLines.some((line) => /^(?:or|alternatively|oder|ou|或者)[:,]?$/iu.test(line))
  );
}

/**
 * Patterns of the model's remarks after a commit message. Sentences that begin with `If you want` or `I used` match
 * only if they refer to the message. Other such sentences can be part of the message body.
 */
const closingRemarkPatterns: readonly RegExp[] = [
  /^(?:let me know (?:if|whether|when|how|what)|would you like|want me to|i hope|hope (?:this|that) (?:helps|works|message|commit))\b/iu,
  /^feel free to (?:adjust|edit|modify|tweak|change|shorten|ask|use|let me)\b/iu,
  /^if you(?:['’]d| want| need| would| prefer)\b.*(?:\bi can\b|\bi['’]ll\b|let me know|tell me|just ask|\b(?:message|subject|shorter|longer|style|wording)\b)/iu,
  /^(?:\**note\W+)?(?:the |this )?(?:commit )?(?:subject|message|title|summary)(?: line)? (?:has|is|uses|stays|contains|remains|fits)(?: (?:only|just|exactly|about|around|under|below|within|well|kept|less|fewer|shorter|than|at|most|in|into|the|limit|of))* \d+[ -]characters?\b/iu,
  /^\d+ (?:characters|chars)\b/iu,
  /^explanation\W*$|^explanation[*_]*:|^explanation of (?:the|this) (?:commit )?message\b/iu,
  /^(?:this|the) (?:commit )?message (?:follows|uses|summari[sz]es|describes|captures|adheres|keeps|highlights|explains|starts|begins|conforms|reflects|is (?:concise|short|written|in the|under))\b/iu,
  /^(?:note that )?i (?:have |also )?(?:kept|used|wrote|chose|followed|left|assumed)\b.*\b(?:message|subject|conventional|format|style|imperative|mood|characters|prefix|scope|diff|body|concise)\b/iu,
  /^(?:lass mich wissen|lassen sie mich wissen|sag(?:en sie)? mir bescheid|sag bescheid|ich hoffe)\b|^falls (?:du|sie)\b.*(?:änder|anpass|wünsch|möcht)|^ich habe die nachricht\b/iu,
  /^(?:n['’]hésitez pas|dites-moi|j['’]espère que)|^(?:ce message|cette ligne|ce titre) .*\P{L}caractères(?:\P{L}|$)/iu,
  /^(?:avísame|dime si|espero (?:ter|haber)|espero que (?:esto|isso|te|ajude|ayude)|me avise|fammi sapere|spero che)(?=\P{L})/iu,
  /^(?:希望这|希望對|希望对|如果(?:您|你)(?:需要|想|希望)|如需(?:修改|调整)|请告诉我|ご希望|必要であれば|必要に応じて|お知らせください|도움이 되|필요하시면|дайте знать|надеюсь, это)/iu,
  /^(?:bei bedarf|wenn (?:du|sie)|se (?:quiser|precisar|vuoi|preferisci)|si (?:quieres|necesitas|prefieres|vous (?:voulez|souhaitez))|laat (?:het )?me|als je|если (?:нужно|хотите|вы)|при необходимости|如有)(?!\p{L})/iu,
  /^(?:best|kind) regards\b/iu,
  /^# (?:Please enter the commit message|On branch \S+$|Changes to be committed:|Your branch )/u,
];

const isClosingRemark = (line: string): boolean => {
  const text = line.replace(/^\*\*/u, '');
  return closingRemarkPatterns.some((pattern) => pattern.test(text));
};

/** Removes everything that encloses a commit message, such as tags, quotation marks, a label or a command. */
function unwrapMessage({ lines, info }: FoundMessage): string {
  const text = lines.join('\n').trim();
  if (/^(?:diff|patch)$/iu.test(info)) return '';
  const isShell = /^(?:bash|sh|shell|console|zsh|powershell)\b/iu.test(info);
  const message = isShell ? (readGitCommandMessage(text) ?? '') : unwrapText(text);
  // Escape sequences of JSON can contain hidden characters.
  return stripHiddenCharacters(message.replaceAll('\r', '')).text;
}

function unwrapText(wrappedText: string): string {
  let text = wrappedText;
  for (let depth = 0; depth < maxWrappers; depth += 1) {
    const innerText = unwrappers
      .reduce((outerText, unwrap) => unwrap(outerText) ?? outerText, text)
      .trim();
    if (innerText === text) break;
    text = innerText;
  }
  return text;
}

const maxWrappers = 4;

const unwrappers: readonly ((text: string) => string | undefined)[] = [
  (text) =>
    /^<(?<tag>[a-z_-]+)>(?<inner>(?:(?!<\/\k<tag>>)[^])*)<\/\k<tag>>$/iu.exec(text)?.groups?.[
      'inner'
    ],
  readJsonMessage,
  readGitCommandMessage,
  (text) =>
    text.split('\n').every((line) => /^>(?: |$)/u.test(line))
      ? text.replaceAll(/^> ?/gmu, '')
      : undefined,
  removeLabels,
  // A subject is neither a heading nor the only item of a list.
  (text) =>
    /^#{1,6} .*[^]*\n#{1,6} /u.test(text)
      ? undefined
      : text.replace(/^(?:#{1,6} (?!\.{3}|…)|[-*•] (?=[^\n]*(?:\n\n|$)))\s*(?=\S)/u, ''),
  (text) =>
    text.replace(/^\*\*(?<subject>(?:[^*\n]|(?<=\s)\*\*(?=\s))+)\*\*(?=\n|$)/u, '$<subject>'),
  removeQuotes,
];

const oldTextKeyPattern = new RegExp(`^(?:${oldTextKeySource})$`, 'iu');
const subjectKeyPattern =
  /^(?:(?:commit_?)?message|commit|subject|title|header|summary|text|content|answer|result|output|new_?\w*)$/iu;
const bodyKeyPattern = /^(?:body|description|details|footer)$/iu;

/** Returns the message from a JSON string, or from a JSON object with a subject and optionally a body. */
function readJsonMessage(text: string): string | undefined {
  if (!/^(?:\{[\s\S]*\}|"(?:[^"\\\n]|\\.)*")$/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
    const entries = Object.entries(value ?? {}).filter(([key]) => !oldTextKeyPattern.test(key));
    const [subjectEntry, ...bodyEntries] = entries;
    const isMessage =
      subjectKeyPattern.test(subjectEntry?.[0] ?? '') &&
      bodyEntries.every(([key]) => bodyKeyPattern.test(key)) &&
      entries.every(([, content]) => typeof content === 'string');
    return isMessage
      ? entries
          .map(([, content]) => content as string)
          .join('\n\n')
          .trim()
      : undefined;
  } catch {
    return undefined;
  }
}

const quotationSource = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*')`;
/** Matches a script with exactly one `git commit` command, optionally with other Git commands around it. */
const gitCommandPattern = new RegExp(
  String.raw`^(?:(?:\$ )?(?:git (?:add|push|status|stage)|cd)\b[^\n&]*(?:\n| && ))*(?:\$ )?git commit(?<options>(?:\s+(?:-[asSv]+|--all|--signoff|--no-verify)(?=\s)|\s+-a?s?m\s*${quotationSource})+)(?:(?:\n| && )(?:\$ )?git push\b[^\n&]*)*$`,
  'u',
);
const hereDocumentPattern =
  /^(?:(?:\$ )?git add [^\n&]*(?:\n| && ))?git commit (?:-F -|-m "\$\(cat) <<-?(?<mark>['"]?)(?<end>\w+)\k<mark>\n(?<message>[^]*)\n\k<end>(?:\n\)")?$/u;

/** Returns the message from a `git commit` command. */
function readGitCommandMessage(text: string): string | undefined {
  const message = hereDocumentPattern.exec(text)?.groups?.['message'];
  if (message !== undefined) return message;
  const options = gitCommandPattern.exec(text)?.groups?.['options'];
  const paragraphs = [
    ...(options ?? '').matchAll(new RegExp(`m\\s*(?<part>${quotationSource})`, 'gu')),
  ].map(({ groups }) => {
    const argument = groups?.['part'] ?? '';
    const innerText = argument.slice(1, -1);
    return argument.startsWith('"') ? innerText.replaceAll(/\\(?=["$`\\!])/gu, '') : innerText;
  });
  const isComplete =
    paragraphs.length > 0 && !paragraphs.some((paragraph) => /^\$[\w({]/u.test(paragraph));
  return isComplete ? paragraphs.join('\n\n') : undefined;
}

const subjectNameSource = `(?:(?:(?:suggested|proposed|generated|final|recommended|git) )*${messageNameSource}|(?:commit |pr |pull request )?(?:message|subject|title)|commit|assistant|(?:final )?answer|suggestion|recommend(?:ed|ation)|vorschlag|proposition|propuesta|sugestão|betreff|titel|nachricht|objet|titre|asunto|título|mensaje|mensagem|oggetto|titolo|件名|タイトル|标题|主题|제목|тема|заголовок|сообщение)`;
/**
 * Matches a label before the subject on the same line, such as `Subject:`. Not used for a single word in lower case,
 * such as `title:`, because this word is part of the subject.
 */
const subjectLabelPattern = new RegExp(
  `^(?:#{1,6} )?(?:\\p{Extended_Pictographic}\\uFE0F?\\s)?[*_]*${subjectNameSource}\\s?[*_]*\\s?(?:[:：]|->|→)[*_]*\\s*(?=\\S)`,
  'iu',
);
const bodyLabelPattern = new RegExp(
  `^(?<subject>[^\\n]+)\\n\\s*[*_]*${bodyNameSource}\\s?[*_]*\\s?[:：][*_]*\\s*`,
  'iu',
);
/**
 * Matches an introduction on the line of the message, such as `Based on the diff:`: a sentence that refers to the diff
 * or the message and ends with a colon.
 */
const inlineIntroductionPattern =
  /^(?:based on|given|looking at|from|for|considering) (?:the|this|these|your)\b[^:\n]{0,100}:\s*(?=\S)|^(?:the|a|an|my|your|this|here(?:['’]s| is)) [^:\n]{0,200}\bmessage\b[^:\n"`]{0,60}:\s*(?=\S)|^here (?:you|it) (?:go|are|is): (?=\S)/iu;
/** Matches a sentence that suggests a message in quotation marks, such as `I would use "Fix typo".` */
const proposalPattern =
  /^(?:I(?:['’]d| would|['’]ll)? (?:use|suggest|recommend|propose|write|go with)|(?:use|try)(?=:)|(?:the|a) (?:\w+ )?(?:commit )?message (?:is|should be|would be)):? (?<message>["`“][^"`”\n]+["`”])(?: (?:as|for) [\w ]{1,40})?\.?$/iu;

function removeLabels(text: string): string {
  const proposedMessage = proposalPattern.exec(text)?.groups?.['message'];
  if (proposedMessage !== undefined) return proposedMessage;
  const unlabeledText = /^\p{Ll}+!?: /u.test(text) ? text : text.replace(subjectLabelPattern, '');
  if (unlabeledText === text) return text.replace(inlineIntroductionPattern, '');
  return unlabeledText.replace(bodyLabelPattern, '$<subject>\n\n');
}

/** Removes extra blank lines, and the indentation that all lines after the subject have in common. */
function restoreLayout(text: string): readonly string[] {
  const lines = removeEnvelope(text.split('\n'), emptyMessageDocument);
  const [subject = '', ...body] = reduceMessageBlankLines(lines);
  const indents = body.filter((line) => line.trim() !== '').map((line) => /^\s*/u.exec(line)?.[0]);
  const commonIndent = indents.reduce(
    (sharedIndent, indent = '') => (indent.startsWith(sharedIndent ?? '') ? sharedIndent : indent),
    indents[0],
  );
  const width = commonIndent?.length ?? 0;
  return [subject, ...body.map((line) => (line.trim() === '' ? '' : line.slice(width)))];
}

/** Removes extra blank lines, but retains one blank line between the subject and the body. */
function reduceMessageBlankLines(lines: readonly string[]): readonly string[] {
  const restoredLines = reduceBlankLines(lines);
  const [, secondLine = ''] = restoredLines;
  if (secondLine.trim() === '' || lines[1]?.trim() !== '') return restoredLines;
  return lines.filter((line, index) => line.trim() !== '' || lines[index - 1]?.trim() !== '');
}
