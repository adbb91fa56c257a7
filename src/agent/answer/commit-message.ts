import type { RefusalCause } from './answer-marks.ts';
import { findEnvelope, removeEnvelope } from './envelope.ts';
import { restoreBlankLines } from './distortions.ts';
import { findForeignText } from './foreign-marks.ts';
import {
  canBeFence,
  canCloseFence,
  type Fence,
  isCutOff,
  isRoleLine,
  oldTextKeySource,
  parseFence,
  readVisibleText,
} from '../../base/model-answer.ts';
import {
  isAddressedToUser,
  classifyRemark,
  isAnnouncement,
  isAnswerHeading,
} from '../../base/remark.ts';
import type { FinishReason } from '../../service/chat/chat-types.ts';

/** A commit message, or the reason why an answer contains none. */
export type CommitAnswer = { readonly kind: 'message'; readonly text: string } | CommitRefusal;

/**
 * Reason why an answer contains no commit message. `cause` describes the text in the answer that caused the refusal;
 * absent if unknown.
 */
export interface CommitRefusal {
  readonly kind: 'refused';
  readonly reason: 'empty' | 'prose' | 'several-blocks' | 'cut-off';
  readonly cause?: RefusalCause;
}

/** Empty commit message file, for checks that require the document that an answer changes. */
const emptyMessage = {
  language: 'git-commit',
  original: [],
  before: [],
  after: [],
  path: '.git/COMMIT_EDITMSG',
};

const maxMessageLength = 4_000;

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
  const found = findMessage(toLines(answer));
  if (found === 'several-blocks') return { kind: 'refused', reason: found };
  const lines = restoreLayout(unwrapMessage(found));
  const text = lines.join('\n').trim();
  const cause = findForeignText(lines, emptyMessage) ?? findEnvelope(lines, emptyMessage);
  if (cause === undefined && isCommitMessage(text, found.isFenced))
    return { kind: 'message', text };
  return { kind: 'refused', reason: 'prose', ...(cause === undefined ? {} : { cause }) };
}

/**
 * Extracts the commit message from an incomplete answer, to show the message while the answer streams. Returns an empty
 * string while the received text can still turn out to be a remark of the model.
 */
export function previewCommitMessage(answer: string): string {
  const found = findMessage(toLines(answer));
  if (found === 'several-blocks') return '';
  // Only later text shows whether symbols or a label at the start belong to the message.
  const start = found.lines.join('\n').trimStart();
  if (!found.isFenced && /^(?:[<{>"'`“„«「*#$~]|\d+[.)]|git commit|option|subject)/iu.test(start))
    return '';
  const text = unwrapMessage(found).slice(0, maxMessageLength);
  const [subject = '', ...body] = text.split('\n');
  if (body.length > 0) return isSubject(subject) ? text : '';
  return possibleRemarkPattern.test(text) || /^[`~]+$/u.test(text) ? '' : text;
}

const possibleRemarkPattern =
  /^[*_]*(?:h|he|her|here|su|sur|sure|ce|certainly|of course|ok|okay|based on|given|looking|considering|the|my|your|this|below|i|i['’]\w*|commit message|git commit message|suggested)(?:[^\p{L}]|$)/iu;

const toLines = (answer: string): readonly string[] =>
  (readVisibleText(answer) ?? '').trim().split('\n');

/** Text of an answer that can be a commit message. */
interface FoundMessage {
  readonly lines: readonly string[];
  /** True if a fence that is closed encloses the lines. */
  readonly isFenced: boolean;
  /** Text after the opening fence. */
  readonly info: string;
}

/** Finds the part of an answer that can be the commit message, without the remarks before and after it. */
function findMessage(lines: readonly string[]): FoundMessage | 'several-blocks' {
  const blocks = listBlocks(lines);
  const [block] = blocks;
  if (block !== undefined && !beginsWithMessage(lines.slice(0, block.start))) {
    const outside = [...lines.slice(0, block.start), ...lines.slice(block.end + 1)];
    if (blocks.length > 1 || outside.some(offersChoice)) return 'several-blocks';
    const content = lines.slice(block.start + 1, block.end);
    const { info } = block.fence;
    return {
      lines: block.isClosed ? content : removeRemarks(content),
      isFenced: block.isClosed,
      info,
    };
  }
  const content = removeRemarks(lines);
  if (isMessageList(content)) return 'several-blocks';
  return { lines: content, isFenced: false, info: '' };
}

/** Lines from an opening to a closing fence. */
interface Block {
  readonly fence: Fence;
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean;
}

/** Parses a fence, unless the line is indented like code. */
function parseBlockFence(line: string): Fence | undefined {
  const fence = parseFence(line);
  return /^(?: {4}|\t)/u.test(fence?.indent ?? '') ? undefined : fence;
}

function listBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: Pick<Block, 'fence' | 'start'> | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = parseBlockFence(line);
    if (open === undefined && fence !== undefined) open = { fence, start: index };
    else if (open !== undefined && fence !== undefined && canCloseFence(fence, open.fence)) {
      blocks.push({ ...open, end: index, isClosed: true });
      open = undefined;
    }
  }
  if (open === undefined) return blocks;
  // While an answer arrives, its last line can be a part of the closing fence.
  const isPartial = open.start < lines.length - 1 && canBeFence(lines.at(-1) ?? '');
  return [...blocks, { ...open, end: lines.length - (isPartial ? 1 : 0), isClosed: false }];
}

/**
 * Checks whether the lines before a block begin with the subject of a commit, so that the block can be code in the body
 * of the message.
 */
function beginsWithMessage(before: readonly string[]): boolean {
  const last = before.findLast((line) => line.trim() !== '') ?? '';
  if (isColonLine(last) && messageNamePattern.test(last)) return false;
  const content = removeRemarks(before).join('\n').trim();
  const [subject = ''] = unwrapText(content).replace(openingMarksPattern, '').split('\n');
  return isSubject(subject) && !/^`[\w./-]+`$/u.test(content);
}

/** Matches marks that can enclose a message or precede its subject. */
const openingMarksPattern = /^(?:<[\w-]+>|\d+[.)]\s|["'`“„«「*#>\s-])+/u;

/** Removes the remarks of the model about its answer, before and after the commit message. */
function removeRemarks(lines: readonly string[]): readonly string[] {
  const label = lines.findLastIndex((line) => isMessageLabel(line));
  const isReasoning = label > 0 && !isSubject(lines.find((line) => line.trim() !== '') ?? '');
  let start = isReasoning ? label : 0;
  while (start < lines.length - 1 && isIntroduction(lines.slice(start, start + maxIntroduction)))
    start += 1;
  const content = lines.slice(start);
  const isQuoted = removeQuotes(content[0] ?? '') !== content[0];
  const end = content.findIndex(
    (line, index) =>
      index > 0 &&
      /^(?:\s*|-{3,})$/u.test(content[index - 1] ?? '') &&
      (isClosingRemark(line) || (isQuoted && reasonPattern.test(line))),
  );
  const rest = content.slice(end < 0 ? content.length : end);
  return removeEnding(
    rest.some(offersChoice) ? content : content.slice(0, content.length - rest.length),
  );
}

/** Maximum number of lines that decide whether the first of them is an introduction. */
const maxIntroduction = 8;
/** Matches the reason that follows a message in quotation marks. */
const reasonPattern = /^[*_]*(?:reason|explanation|rationale|note|why)\b[^:\n]{0,20}[:：]/iu;

/** Matches a line that offers another message. */
const offersChoice = (line: string): boolean =>
  /^\W*(?:or|alternatively|alternative|oder|alternativ|ou|o|或者|または)\b[^.]{0,40}[:,]|\b(?:instead of|alternatively)\b/iu.test(
    line,
  );

/** Matches a blank line, a rule, and a line of symbols such as emoji. */
const markLinePattern =
  /^\s*(?:[-*_=]{3,}|[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u200D\s]*)\s*$/u;

/** Matches text that the interface of a chat shows above an answer. */
const interfaceLinePattern =
  /^(?:text|plaintext|markdown|copy(?: code)?|copied!?|assistant|thinking(?:\.{3}|…)|thought for \d+ .*)\s*$/iu;

/** Checks whether the first line precedes the commit message: a blank line, a mark, a label or an introduction. */
function isIntroduction([line = '', ...rest]: readonly string[]): boolean {
  const isMark = markLinePattern.test(line) || interfaceLinePattern.test(line);
  if (isMark || isRoleLine(line) || isMessageLabel(line)) return true;
  if (isAnnouncement(line) && (isAnswerHeading(line) || /^[^\s\d]+\s?[:：][*_]*\s*$/u.test(line)))
    return true;
  if (/[.:!][*_\s]*$/u.test(line) && classifyRemark(line) === 'introduction') return true;
  if (!isColonLine(line) || scopePattern.test(line) || optionPattern.test(line)) return false;
  const [next = '', second = ''] = rest.filter((other) => other.trim() !== '');
  if (conventionalSubjectPattern.test(next) || changeLogPattern.test(next)) return true;
  if (startsLikeSubject(line) || (second !== '' && listItemPattern.test(next))) return false;
  return rest[0]?.trim() === '' || messageWordPattern.test(line);
}

/** Checks whether a line ends with a colon that is not part of an emoji code or a role, such as `:ref:`. */
const isColonLine = (line: string): boolean =>
  /\S[:：][*_]*\s*$/u.test(line) && !/(?:^|\s):\w+:\s*$/u.test(line);

const messageNameSource =
  '(?:commit[ -]?(?:message|nachricht)|message de commit|mensaje (?:de(?:l)? )?commit|mensagem (?:de|do) commit|messaggio di commit|(?:建议的?)?提交(?:信息|消息|说明)|コミットメッセージ|커밋 메시지|сообщение коммита)';
const messageNamePattern = new RegExp(messageNameSource, 'iu');
const messageLabelPattern = new RegExp(
  `^[*_\\s]*(?:#{1,6} [*_]*)?(?:(?:suggested|proposed|generated|final|recommended|git|the|my) )*${messageNameSource}(?: for [^:]*)?[*_]*[:：]?[*_:\\s]*$`,
  'iu',
);
/** Checks whether a line is only a label of the message, such as `**Commit message:**`. */
const isMessageLabel = (line: string): boolean =>
  messageLabelPattern.test(line.slice(0, maxRemarkLength)) &&
  /[:：*#]|^(?:suggested|proposed|generated|final)/iu.test(line);

const maxRemarkLength = 500;

/** Matches the subject of a commit with a scope, such as `parser: Read tabs` or `Here documents: keep tabs`. */
const scopePattern = /^[\p{L}\p{N}_./*-]+(?: [\p{L}\p{N}_./-]+){0,2}(?:\([^()]*\))?!?: \S/u;
const conventionalSubjectPattern =
  /^(?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^()\n]*\))?!?: \S/u;
const verbPattern =
  /^(?:cosmetic|minor|misc(?:ellaneous)?|various|small|squashed)\s|^(?:add|allow|avoid|bump|chang|clean|convert|correct|creat|delet|deprecat|disabl|document|drop|enabl|ensur|expos|extract|fix|handl|ignor|implement|improv|introduc|mak|merg|mov|prevent|refactor|remov|renam|replac|restor|revert|simplif|squash|support|switch|upgrad|set|updat)(?:e|es|ed|s|d|ing|y|ies|ied)?\s/iu;
/** Matches words with which models refer to the message or its parts in an introduction. */
const messageWordPattern =
  /\b(?:messages?|subjects?|titles?|(?<!squashed )commits?|summary|wording|suggestions?|proposals?|drafts?|revisions?|versions?|styles?|mood|(?<!commit of the )following|below|results?|options?|texts?|files(?=\W*$)|(?:this|it)(?=\W*$))\b/iu;

/** Checks whether a line begins with a verb or a scope, as the subject of a commit does, and not as an introduction. */
const startsLikeSubject = (line: string): boolean =>
  scopePattern.test(line) ||
  (verbPattern.test(line) && !(isColonLine(line) && messageWordPattern.test(line)));

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
    return index === 0 || !(isNote || isEnding || isQuestion || markLinePattern.test(text));
  });
  return lines.slice(0, end + 1);
}

/** Matches the label of one of several messages. */
const optionPattern =
  /^[*_#]*(?:(?:option|alternative|variante?|version) (?:\d|[A-C]\b)|案\s?\d|方案)/iu;

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
 * Patterns of the model's remarks after a commit message. Sentences that begin with `If you want` or `I used` match
 * only if they refer to the message. Other such sentences can be part of the message body.
 */
const closingPatterns: readonly RegExp[] = [
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
  return closingPatterns.some((pattern) => pattern.test(text));
};

/** Removes everything that encloses a commit message, such as tags, quotation marks, a label or a command. */
function unwrapMessage({ lines, info }: FoundMessage): string {
  const text = lines.join('\n').trim();
  if (/^(?:diff|patch)$/iu.test(info)) return '';
  const isShell = /^(?:bash|sh|shell|console|zsh|powershell)\b/iu.test(info);
  return isShell ? (readGitCommand(text) ?? '') : unwrapText(text);
}

function unwrapText(wrapped: string): string {
  let text = wrapped;
  for (let depth = 0; depth < maxWrappers; depth += 1) {
    const inner = wrappers.reduce((outer, unwrap) => unwrap(outer) ?? outer, text).trim();
    if (inner === text) break;
    text = inner;
  }
  return text;
}

const maxWrappers = 4;

const wrappers: readonly ((text: string) => string | undefined)[] = [
  (text) =>
    /^<(?<tag>[a-z_-]+)>(?<inner>(?:(?!<\/\k<tag>>)[^])*)<\/\k<tag>>$/iu.exec(text)?.groups?.[
      'inner'
    ],
  readJson,
  readGitCommand,
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
function readJson(text: string): string | undefined {
  if (!/^(?:\{[\s\S]*\}|"(?:[^"\\\n]|\\.)*")$/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
    const entries = Object.entries(value ?? {}).filter(([key]) => !oldTextKeyPattern.test(key));
    const [subject, ...body] = entries;
    const isMessage =
      subjectKeyPattern.test(subject?.[0] ?? '') &&
      body.every(([key]) => bodyKeyPattern.test(key)) &&
      entries.every(([, part]) => typeof part === 'string');
    return isMessage
      ? entries
          .map(([, part]) => part as string)
          .join('\n\n')
          .trim()
      : undefined;
  } catch {
    return undefined;
  }
}

const quotedSource = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*')`;
/** Matches one `git commit` command, with other commands of Git around it. */
const gitCommandPattern = new RegExp(
  String.raw`^(?:(?:\$ )?(?:git (?:add|push|status|stage)|cd)\b[^\n&]*(?:\n| && ))*(?:\$ )?git commit(?<options>(?:\s+(?:-[asSv]+|--all|--signoff|--no-verify)(?=\s)|\s+-a?s?m\s*${quotedSource})+)(?:(?:\n| && )(?:\$ )?git push\b[^\n&]*)*$`,
  'u',
);
const hereDocumentPattern =
  /^(?:(?:\$ )?git add [^\n&]*(?:\n| && ))?git commit (?:-F -|-m "\$\(cat) <<-?(?<mark>['"]?)(?<end>\w+)\k<mark>\n(?<message>[^]*)\n\k<end>(?:\n\)")?$/u;

/** Returns the message from a `git commit` command. */
function readGitCommand(text: string): string | undefined {
  const message = hereDocumentPattern.exec(text)?.groups?.['message'];
  if (message !== undefined) return message;
  const options = gitCommandPattern.exec(text)?.groups?.['options'];
  const parts = [
    ...(options ?? '').matchAll(new RegExp(`m\\s*(?<part>${quotedSource})`, 'gu')),
  ].map(({ groups }) => {
    const part = groups?.['part'] ?? '';
    const inner = part.slice(1, -1);
    return part.startsWith('"') ? inner.replaceAll(/\\(?=["$`\\!])/gu, '') : inner;
  });
  const isComplete = parts.length > 0 && !parts.some((part) => /^\$[\w({]/u.test(part));
  return isComplete ? parts.join('\n\n') : undefined;
}

const subjectNameSource = `(?:(?:(?:suggested|proposed|generated|final|recommended|git) )*${messageNameSource}|(?:commit |pr |pull request )?(?:message|subject|title)|commit|assistant|(?:final )?answer|suggestion|recommend(?:ed|ation)|vorschlag|proposition|propuesta|sugestão|betreff|titel|nachricht|objet|titre|asunto|título|mensaje|mensagem|oggetto|titolo|件名|タイトル|标题|主题|제목|тема|заголовок|сообщение)`;
/** Matches a label on the line of the subject. A single word in lower case is a scope instead. */
const subjectLabelPattern = new RegExp(
  `^(?:#{1,6} )?[*_]*${subjectNameSource}\\s?[*_]*\\s?(?:[:：]|->|→)[*_]*\\s*(?=\\S)`,
  'iu',
);
const bodyNameSource =
  '(?:body|description|details|corps|beschreibung|text|cuerpo|descripción|corpo|descrição|descrizione|本文|説明|正文|描述|본문|описание)';
const bodyLabelPattern = new RegExp(
  `^(?<subject>[^\\n]+)\\n\\s*[*_]*${bodyNameSource}\\s?[*_]*\\s?[:：][*_]*\\s*`,
  'iu',
);
/**
 * Matches an introduction on the line of the message: a sentence that refers to the diff or the message and ends with
 * a colon.
 */
const inlineIntroductionPattern =
  /^(?:based on|given|looking at|from|for|considering) (?:the|this|these|your)\b[^:\n]{0,100}:\s*(?=\S)|^(?:the|a|an|my|your|this|here(?:['’]s| is)) [^:\n]{0,200}\bmessage\b[^:\n"`]{0,60}:\s*(?=\S)|^here you (?:go|are): (?=["`])/iu;
/** Matches a sentence that proposes a message in quotation marks. */
const proposalPattern =
  /^(?:I(?:['’]d| would|['’]ll)? (?:use|suggest|recommend|propose|write|go with)|(?:use|try)(?=:)|(?:the|a) (?:\w+ )?(?:commit )?message (?:is|should be|would be)):? (?<message>["`“][^"`”\n]+["`”])(?: (?:as|for) [\w ]{1,40})?\.?$/iu;

function removeLabels(text: string): string {
  const proposed = proposalPattern.exec(text)?.groups?.['message'];
  if (proposed !== undefined) return proposed;
  const unlabeled = /^\p{Ll}+!?: /u.test(text) ? text : text.replace(subjectLabelPattern, '');
  if (unlabeled === text) return text.replace(inlineIntroductionPattern, '');
  return unlabeled.replace(bodyLabelPattern, '$<subject>\n\n');
}

const quotePairs = ['""', "''", '``', '“”', '«»', '„“', '「」', '『』'];

/** Removes quotation marks around a text, and a period after them. */
function removeQuotes(text: string): string {
  const triple = /^(?<mark>"{3}|'{3})\n(?<inner>[^]*)\n\k<mark>$/u.exec(text)?.groups?.['inner'];
  if (triple !== undefined) return triple;
  const double = /^`` (?<inner>[^\n]+) ``$/u.exec(text)?.groups?.['inner'];
  if (double !== undefined) return double;
  const quoted = text.replace(/(?<=["'`”»“」』])\.$/u, '');
  const [open = '', close = ''] =
    quotePairs.find(
      ([first = '', last = '']) => quoted.startsWith(first) && quoted.endsWith(last),
    ) ?? '';
  const inner = quoted.slice(1, -1).trim();
  if (open === '' || inner === '' || quoted.startsWith(open.repeat(2))) return text;
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

/** Removes extra blank lines, and the indentation that all lines after the subject have in common. */
function restoreLayout(text: string): readonly string[] {
  const lines = removeEnvelope(text.split('\n'), emptyMessage);
  const [subject = '', ...body] = restoreMessageBlankLines(lines);
  const indents = body.filter((line) => line.trim() !== '').map((line) => /^\s*/u.exec(line)?.[0]);
  const common = indents.reduce(
    (shared, indent = '') => (indent.startsWith(shared ?? '') ? shared : indent),
    indents[0],
  );
  const width = common?.length ?? 0;
  return [subject, ...body.map((line) => (line.trim() === '' ? '' : line.slice(width)))];
}

/** Removes extra blank lines, but not the only blank line after the subject. */
function restoreMessageBlankLines(lines: readonly string[]): readonly string[] {
  const restored = restoreBlankLines(lines);
  const [, second = ''] = restored;
  if (second.trim() === '' || lines[1]?.trim() !== '') return restored;
  return lines.filter((line, index) => line.trim() !== '' || lines[index - 1]?.trim() !== '');
}

/**
 * Checks whether a text has the form of a commit message: a subject in one line, and a body after a blank line or as a
 * list. A text of another form can contain a label or a remark of the model.
 * @param isFenced True if a fence encloses the text, so that headings and rules belong to the body.
 */
function isCommitMessage(text: string, isFenced: boolean): boolean {
  const [subject = '', ...body] = text.split('\n');
  const [second = ''] = body;
  if (text.length > maxMessageLength || wrongTextPattern.test(text) || isEscapedHtml(text))
    return false;
  if (isChangeLog([subject, ...body])) return true;
  return (
    isSubject(subject) &&
    (second.trim() === '' || listItemPattern.test(second)) &&
    isBody(body, subject, isFenced)
  );
}

/** Checks for a message in the style of GNU change logs, such as `* src/a.c (run): Stop early.` */
const isChangeLog = (lines: readonly string[]): boolean =>
  changeLogPattern.test(lines[0] ?? '') &&
  lines.every((line) => /^(?:\* [\w./-]+|\([^()]+\))[^:]*: \S|^\s|^$/u.test(line));

const changeLogPattern = /^\* [\w./-]+(?: \([^()]*\))?: \S/u;
const listItemPattern = /^\s*[-*•+] /u;

const maxSubjectLength = 100;

/** Patterns of lines that are not the subject of a commit, but markup, code or the text of an error. */
const nonSubjectPatterns: readonly RegExp[] = [
  // Markup, enumerations and text in brackets.
  /^(?:[“„«‘「『<|{>=+~•→\\]|\*\*|__|#{1,6}\s|-{2}|[-*]\s|`{2}|["']{2}|\.{3}|…|@@|:::)/u,
  /^(?:\d+(?:[.)]\s|\t|: )|\d{4}-\d\d-\d\d\s{2})|^[*_]\S.*[*_]$|^[([][^()[\]]*[)\]]\.?$|^[^\p{L}\p{N}]*$/u,
  // Code, commands, paths and keys with values.
  /^\[$|^(?:\/\/|#!)|^import [\w.]+(?: as \w+| from ["'].*)?;?$|^from \S+ import \w|^\w+\((?:\w+=)?["']/u,
  /^(?:\$ |(?:git|npm|npx|yarn|pnpm|pip|docker|cargo|cat|tee|sed|echo|printf)\s)|^(?:undefined|null|[Nn]one|[Nn]\/?[Aa])$/u,
  /^(?:[\w.@-]*\/)+[\w.@-]+(?: \([^()]*\))?$|^\w+\s?[:=]\s?(?:["'].*["']|[|>][-+]?)$/u,
  // Statistics, hashes, errors of a service, several messages, and a subject with a missing end.
  /^\d+ files? changed\b|^lines? \d+|^(?=[a-f]*\d)[\da-f]{7,40}\s|^[45]\d\d [A-Z]|^(?:internal server error|rate limit|too many requests)/iu,
  /^\p{Lu}[\p{L}\d ]*: (?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^()\n]*\))?!?: |^type(?:\(scope\))?: (?:subject|description)|^[\w-]+-by: |^(?:true|false|yes|ok|no|\d+)$|[(#—] ?\d+ char(?:acter)?s\)?$|: \.{3}$/iu,
  /["`] or ["`]|\sOR\s|\w…$|[?？,;{]$/u,
];
/** Matches the label of a part of an answer instead of a scope. */
const partLabelPattern =
  /^(?:[*_]*(?:subject|title|message|commit message|body|description|summary|overview|analysis|explanation|instructions?|notes?|hint|warning|error|reason|author|date|type|scope|answer|final answer|result|short|long|before|after|user|assistant|usage|output|changes|todo)|what [\w ]+)\s?[:：]/iu;

/** Checks whether a line can be the subject of a commit. */
function isSubject(subject: string): boolean {
  const isMarked =
    isWrapped(subject) || nonSubjectPatterns.some((pattern) => pattern.test(subject));
  if (subject.length > maxSubjectLength || isMarked) return false;
  const line = subject
    .replace(/^(?:fixup|squash|amend)! /u, '')
    .replaceAll(/"[^"]*"|`[^`]*`|\bI\/O\b/gu, 'x');
  const isPart = /^[A-Z*]/u.test(line) && partLabelPattern.test(line);
  if (isPart || hasSeveralSentences(line) || ownWordPattern.test(line)) return false;
  return startsLikeSubject(line) || !(isColonLine(line) || resemblesRemark(line));
}

/** Matches words that refer to the model or to its answer. */
const ownWordPattern = /\bI\b(?!-)|\b(?:[Yy]our|[Tt]his) (?:commit )?message\b/u;
const statementPattern =
  /^(?:(?:the|this|these|that|there|here(?= (?:is|are|you|it)\b|['’])|either|it|we|both|no|not enough|nothing|empty|need more|successfully|in this|an?|keine?r?|leider|ohne|es gibt|diese[rs]?|aucune?|il n|não|nenhum|nessun|non|нет|не)\s|conventional commits\b|lgtm$|[请没无该此这])|[。]$|ません$|없습니다/iu;
const diffPattern = /\bstaged changes\b|\b(?:the|this|a|empty) (?:diff|patch)\b|^diff\b/iu;

/** Checks whether a line without a verb or scope at its start resembles a sentence of the model about the diff. */
const resemblesRemark = (line: string): boolean =>
  statementPattern.test(line) ||
  diffPattern.test(line) ||
  (messageNamePattern.test(line) && !/: \S/u.test(line)) ||
  isAddressedToUser(line) ||
  classifyRemark(line) !== 'none';

/** Checks for several sentences, except for a reference such as `Closes #12` after the first. */
const hasSeveralSentences = (line: string): boolean =>
  /\p{L}{2}[.!?][)"”]?\s+(?!(?:Close|Fix|Resolve|See|Ref|Part|Issue)\w*\b)\p{Lu}|[。！？]./u.test(
    line,
  );

/** Checks whether marks still enclose the whole line. */
const isWrapped = (line: string): boolean =>
  removeQuotes(line) !== line ||
  (/^["'`]/u.test(line) && line.split(line[0] ?? '').length % 2 === 0);

/** Matches escape sequences, placeholders and marks of citations, which a commit message does not contain. */
const wrongTextPattern =
  /[\w.)"'](?:\\r)?\\n|\\["#*_`<]|[^\s`"'(]<br\s?\/?>|【|\s(?:<-+|←)\s|(?<!`)<[a-z]+(?: [a-z]+)+>|\[(?:[a-z]+ )*(?:description|your|summary|reason|why|explain|describe|insert|add)(?: [a-z]+)*\]/iu;
/** Checks for character references, unless the text is about them or also contains the characters themselves. */
const isEscapedHtml = (text: string): boolean =>
  /&(?:quot|apos|lt|gt|amp|nbsp|#\d+);/u.test(text) &&
  (/&amp;(?:\w|#)/u.test(text) || !/[<>]|(?:de|en|un)?(?:escap|[ck]od)|entit|html/iu.test(text));

/** Matches lines of a body that describe the answer instead of the commit. */
const remarkLinePattern =
  /\b(?:kept the rest|keep the rest|rest (?:of the file )?(?:remains? )?unchanged|as requested|was requested|you (?:asked|requested)|requested change|you may need|no other changes|please (?:check|review|verify|test)|wasn['’]t able to|couldn['’]t run|use code with caution)\b|保持不变|^\W*(?:(?:start|end) of|begin|end) (?:the )?(?:updated|modified|new|code|selection|answer)\b|^\W*(?:explanation|changes made|instructions?|follow-up|verification|alternatives?|checklist|how to test|test plan|说明|修改说明)\b[^:：]{0,30}(?:[:：]|\W*$)|^\W*\d+ files? changed\b|^diff --git a\/|^[→]\s|^(?:\.{3}|…)$|^(?:none|n\/a)\b|^\(?\[?(?:truncated|(?:to be )?continued)\b|^(?:pronto|listo|fertig)[!.,]|^p\.?s\.?[:.,]|^(?:type|scope|rating|confidence|score|tokens(?: used)?|length|word count|user|human|assistant)\s?: /iu;
/** Matches lines that structure an answer in Markdown. Inside a fence, they structure the body. */
const structurePattern =
  /^(?:#{1,6}\s+(?!(?:(?:bug )?fix(?:es|ed)?|added|changed|removed|deprecated|features?|breaking changes|security|performance|other)\W*$)|(?:-{3,5}|\*{3}|_{3}|={3,})$|\*\*[^*]+\*\*[:：]?(?:\s|$))/iu;
const bodyLabelLinePattern = new RegExp(
  `^[*_]*${bodyNameSource}\\s?[*_]*\\s?[:：](?:\\s|[*_]|$)`,
  'iu',
);

/** Checks whether all lines can be the body of a commit message with this subject. */
function isBody(body: readonly string[], subject: string, isFenced: boolean): boolean {
  const text = body.join('\n').replace(dependabotPattern, '').trim();
  const lines = text
    .replaceAll(codeBlockPattern, (block) => (block.includes('git commit') ? block : ''))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1) ?? '';
  const lastParagraph = text.slice(text.lastIndexOf('\n\n') + 1);
  const reference = /^\s*[-*]?\s*(?<mark>\[\^?\d+\]):? \S/mu.exec(text);
  const isCited = text.slice(0, reference?.index).includes(reference?.groups?.['mark'] ?? '');
  return (
    !lines.some(
      (line) =>
        line === subject ||
        conventionalSubjectPattern.test(line) ||
        remarkLinePattern.test(line) ||
        bodyLabelLinePattern.test(line),
    ) &&
    (isFenced ||
      !lines.some((line) => structurePattern.test(line) || parseBlockFence(line) !== undefined)) &&
    !hasRemarkLabel(text) &&
    !(
      /^\*?[([].*[)\]]\.?\*?$/u.test(last) &&
      !/^\((?:cherry picked|#\d+|note: (?!.*\b(?:I|you)\b))/iu.test(last)
    ) &&
    !(asianLetterPattern.test(last) && !asianLetterPattern.test(subject)) &&
    !finalRemarkPattern.test(last) &&
    (answerWordPattern.test(subject) || !answerWordPattern.test(lastParagraph)) &&
    isCited
  );
}

/** Matches a last line that is a question, a report of the model or a mark of the end. */
const finalRemarkPattern =
  /^(?:Should|Do|Does|Would|Shall|Is this|Want)\b.*\?$|^I (?:chose|kept|picked|wrote|assumed|would)\b|(?<!\b[Ii]f )\b[Yy]ou (?:may|might|need|would|should)\b|\b[Yy]our (?:changes|commits?|diff|log|history|request|project|repo\w*|previous)\b|\bI (?:could|can)(?:n['’]t| ?not)\b|^(?:Adjust|Modify|Edit|Tweak|Copy) (?:as|it|this|and)\b|^Make sure to (?:run|review|check|test)\b|\b(?:[Jj]ust ask|as needed)\.$|^(?:END|EOF|DONE|#{1,6}|.*\b(?:your|an AI) assistant\.?)$|^🤖/u;
/** Matches words with which models describe their message in the last paragraph. */
const answerWordPattern =
  /\b(?:imperative mood|present tense|conventional commits|(?:follow|match|adher|conform)\w*\b.{0,40}\bconventions?|best practices|commit message|(?:this|above) message|\d+[ -]characters?|(?:diese|ce|este|esta) (?:message|nachricht|mensaje|mensagem)|imperativ)\b|提交(?:信息|消息)|コミットメッセージ|커밋 메시지|сообщени/iu;

/** Matches a code block, unless the block can contain the commit message. */
const codeBlockPattern =
  /^`{3}(?!(?:text|txt|plaintext|git|commit|gitcommit|git-commit|md|markdown|json|diff|patch)?$)\S+\n[^]*?\n`{3}$/gmu;
/** Matches the YAML document at the end of messages about updated dependencies. */
const dependabotPattern = /^---\n(?:[\w-]+:.*\n|[- ].*\n)+\.{3}$/mu;
const asianLetterPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Checks for a paragraph that ends with a colon, unless a list, code or indented text follows it. */
const hasRemarkLabel = (text: string): boolean =>
  /(?:^|\n\n)[^\n]*[:：][*_]*\n\n(?![\s\-*•+|]|\d+[.)])/u.test(text);
