import { type Fence, haveMostWordsInCommon, parseFence, toWords } from '../../base/model-answer.ts';
import { classifyRemark, isAddressedToUser } from '../../base/remark.ts';

export const maxMessageLength = 4_000;

/**
 * Checks whether a line ends with a colon that is not part of an emoji code such as `:bug:` or a role such as `:ref:`.
 */
export const isColonLine = (line: string): boolean =>
  /\S[:：][*_]*\s*$/u.test(line) && !/(?:^|\s):\w+:\s*$/u.test(line);

export const messageNameSource =
  '(?:commit[ -]?(?:message|nachricht)|message de commit|mensaje (?:de(?:l)? )?commit|mensagem (?:de|do) commit|messaggio di commit|(?:建议的?)?提交(?:信息|消息|说明)|コミットメッセージ|커밋 메시지|сообщение коммита)';
export const messageNamePattern = new RegExp(messageNameSource, 'iu');
export const bodyNameSource =
  '(?:body|description|details|corps|beschreibung|text|cuerpo|descripción|corpo|descrição|descrizione|本文|説明|正文|描述|본문|описание)';
/** Matches a commit subject that begins with a scope, such as `parser: Read tabs` or `Here documents: keep tabs`. */
export const scopePattern = /^[\p{L}\p{N}_./*-]+(?: [\p{L}\p{N}_./-]+){0,2}(?:\([^()]*\))?!?: \S/u;
export const conventionalSubjectPattern =
  /^(?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^()\n]*\))?!?: \S/u;
const verbPattern =
  /^(?:cosmetic|minor|misc(?:ellaneous)?|various|small|squashed)\s|^(?:add|allow|avoid|bump|chang|clean|convert|correct|creat|delet|deprecat|disabl|document|drop|enabl|ensur|expos|extract|fix|handl|ignor|implement|improv|introduc|mak|merg|mov|prevent|refactor|remov|renam|replac|restor|revert|simplif|squash|support|switch|upgrad|set|updat)(?:e|es|ed|s|d|ing|y|ies|ied)?\s/iu;
/** Matches words, such as `subject` or `draft`, with which a model introduces the commit message or a part of it. */
export const messageWordPattern =
  /\b(?:messages?|subjects?|titles?|(?<!squashed )commits?|summary|wording|suggestions?|proposals?|drafts?|revisions?|versions?|styles?|mood|(?<!commit of the )following|below|results?|options?|texts?|files(?=\W*$)|(?:this|it)(?=\W*$))\b/iu;

/** Checks whether a line begins with a verb or a scope, as the subject of a commit does, and not as an introduction. */
export const startsLikeSubject = (line: string): boolean =>
  scopePattern.test(line) ||
  (verbPattern.test(line) && !(isColonLine(line) && messageWordPattern.test(line)));

/**
 * Checks whether a text has the form of a commit message: a subject in one line, and a body after a blank line or as a
 * list. A text of another form can contain a label or a remark of the model.
 * @param isFenced True if a fence encloses the text, so that headings and rules belong to the body.
 */
export function isCommitMessage(text: string, isFenced: boolean): boolean {
  const [subject = '', ...body] = text.split('\n');
  const [secondLine = ''] = body;
  if (text.length > maxMessageLength || foreignTextPattern.test(text) || isEscapedHtml(text))
    return false;
  if (escapedLineBreakPattern.test(text.replaceAll(quotePattern, 'x'))) return false;
  if (isChangeLog([subject, ...body])) return true;
  return isSubject(subject) && canFollowSubject(secondLine) && isBody(body, subject, isFenced);
}

/** Checks whether a line can follow the subject: a blank line or the first item of a list. */
const canFollowSubject = (line: string): boolean =>
  line.trim() === '' || listItemPattern.test(line);

/** Checks for a message in the style of GNU change logs, such as `* src/a.c (run): Stop early.` */
const isChangeLog = (lines: readonly string[]): boolean =>
  changeLogPattern.test(lines[0] ?? '') &&
  lines.every((line) => /^(?:\* [\w./-]+|\([^()]+\))[^:]*: \S|^\s|^$/u.test(line));

export const changeLogPattern = /^\* [\w./-]+(?: \([^()]*\))?: \S/u;
export const listItemPattern = /^\s*[-*•+] /u;

export const maxSubjectLength = 120;
/** Maximum length in characters of a subject that does not begin with a verb or a scope. */
const maxStatementLength = 100;

/** Patterns of first lines that are not the subject of a commit, such as markup, code and the text of an error. */
const nonSubjectPatterns: readonly RegExp[] = [
  // Markup, enumerations and text in brackets.
  /^(?:[“„«‘「『<|{>=+~•→\\]|\*\*|__|#{1,6}\s|-{2}|[-*]\s|`{2}|["']{2}|\.{3}|…|@@|:::)/u,
  /^(?:\d+(?:[.)]\s|\t|: )|\d{4}-\d\d-\d\d\s{2})|^[*_]\S.*[*_]$|^[([][^()[\]]*[)\]]\.?$|^[^\p{L}\p{N}]*$/u,
  // Code, commands, paths and keys with values.
  /^\[$|^(?:\/\/|#!)|^import [\w.]+(?: as \w+| from ["'].*)?;?$|^from \S+ import \w|^\w+\((?:(?:\w+=)?["']|\)$)|^!\[|^https?:\S+$/u,
  /^(?:\$ |(?:git|npm|npx|yarn|pnpm|pip|docker|cargo|cat|tee|sed|echo|printf)\s)|^(?:undefined|null|[Ee]mpty|[Nn]one|[Nn]\/?[Aa])$/u,
  /^(?:[\w.@-]*\/)+[\w.@-]+(?: \([^()]*\))?$|^\w+\s?[:=]\s?(?:["'].*["']|[|>][-+]?)$/u,
  // Statistics, hashes, errors of a service, several messages, and a subject with a missing end.
  /^\d+ files? changed\b|^lines? \d+|^(?=[a-f]*\d)[\da-f]{7,40}\s|^[45]\d\d [A-Z]|^(?:internal server error|rate limit|too many requests|request (?:failed|timed out)\b|fatal: |\w+error: )|\b(?<word>\w+)(?: \k<word>){2}/iu,
  /^\p{Lu}[\p{L}\d ]*: (?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^()\n]*\))?!?: |^type(?:\(scope\))?: (?:subject|description)|^[\w-]+-by: |^(?:true|false|yes|ok|no|\d+)$|[(#—] ?\d+ char(?:acter)?s\)?$|: \.{3}$/iu,
  /["`][^"`\s]+\s[^"`]*["`] or ["`]|^["`].*["`] (?:->|→|or) ["`]|\sOR\s(?![a-z]+$)|\w…$|[?？,;{]$/u,
  // Reports about the work of the model.
  /^(?:thinking|working|processing|looking|analy[sz]ing)(?:\W*$| (?:about|at|into|on|through) (?:it|this|that|what)\b)|^(?:creating|writing|composing) (?:a|the|your) (?:commit )?message\b/iu,
  /^(?:thinking|reasoning|analy[sz]ing|looking|reading|reviewing|checking|examining|inspecting|waiting|working|summari[sz]ing|generating|preparing)\b.{0,40}\b(?:changes?|diffs?|files?|code|message|request)[\s.…]*$|^(?:summari[sz]e|describe|review|analy[sz]e) (?:the|these|your) (?:changes?|diff|code)\W*$|^changes (?:include|are|were)\b|\s[—–-] (?:short|brief|concise) and \w+$|\byou (?:asked|requested|provided|shared|pasted)\b/iu,
];
/** Matches a label, such as `Subject:`, that looks like the scope of a commit subject. */
const partLabelPattern =
  /^(?:[*_]*(?:subject|title|message|commit message|body|description|summary|overview|analysis|explanation|instructions?|notes?|hint|warning|error|reason|author|date|type|scope|answer|final answer|result|short|long|before|after|user|assistant|usage|output|changes|todo|thinking|reasoning|plan|draft|revised)|what [\w ]+)\s?[:：]/iu;

/** Checks whether a line can be the subject of a commit. */
export function isSubject(subject: string): boolean {
  const isMarked = isQuoted(subject) || nonSubjectPatterns.some((pattern) => pattern.test(subject));
  if (subject.length > maxSubjectLength || isMarked) return false;
  const line = subject
    .replace(/^(?:fixup|squash|amend)! /u, '')
    .replaceAll(/"[^"]*"|`[^`]*`|\bI\/O\b/gu, 'x');
  const isPartLabel =
    /^[A-Z*]/u.test(line) &&
    partLabelPattern.test(line) &&
    !(scopedVerbPattern.test(line) && /: \p{Ll}/u.test(line));
  if (isPartLabel || hasSeveralSentences(line) || selfReferencePattern.test(line)) return false;
  if (startsLikeSubject(line)) return true;
  return subject.length <= maxStatementLength && !isColonLine(line) && !resemblesRemark(line);
}

/** Matches a subject whose scope could also be a label but precedes a verb, such as `usage: fix typo`. */
const scopedVerbPattern =
  /^(?:(?:output|usage|user): (?:accept|add|allow|avoid|change|document|drop|fix|flush|improve|make|move|remove|rename|replace|split|validate|wrap)|(?:error|warning): (?:explain|hide|improve|include|omit|print|remove|rename|replace)) (?!.*\b(?:changes|commit|diff|files?|git|it|patch|this|your?)\b)/iu;

/** Matches words that refer to the model or to its answer, such as `I` or `This message`. */
const selfReferencePattern =
  /\bI\b(?!-)|\b[Yy]our (?:commit )?message\b|^This (?:commit )?message\b/u;
const statementPattern =
  /^(?:(?:the|this|these|that|there|either|it|we|both|no|not enough|nothing|empty(?= (?:changes?|commit|diff|input|message|patch)\b| \S+$)|need more|successfully|in this|basically|great|nice|running git|ce|cette|este|esta|questo|questa|этот|эта|это|keine?r?|leider|ohne|es gibt|diese[rs]?|aucune?|il n|não|nenhum|nessun|non|нет|не)\s|an? (?:.*\s)?(?:messages?|subject|commit|summary|overview|description|title|diffs?|changes?|patch|files?|errors?|problem|is|are|was|were|has|have|would|could|can|be)(?!\p{L})|an? [^:]*: |conventional commits\b|here(?:['’]s| (?:is|are|you|it))\b|lgtm$|[请没无该此这])|[。]$|ません$|없습니다/iu;
const diffReferencePattern = /\bstaged changes\b|\b(?:the|this|a|empty) (?:diff|patch)\b|^diff\b/iu;

/**
 * Matches a subject such as `Parse renames in the diff`, whose verb describes a change of a program that itself reads
 * diffs or messages. Other verbs, such as `Write` or `Review`, can begin an instruction to the model or the user.
 */
const diffToolVerbPattern =
  /^(?:apply|ask|cache|collect|compare|compute|cover|detect|display|escape|find|format|hide|highlight|import|judge|limit|list|load|log|mark|match|measure|name|offer|open|parse|prove|read|record|refuse|reject|render|report|separate|shorten|show|skip|sort|split|start|state|store|stream|strip|tell|test|trim|truncate|validate)\s(?=(?:\S+\s+){3}\S)(?!.*\b(?:above|below|first|git|me|provided|staged|the commit message)\b)/iu;

/** Checks whether a subject without a verb or scope at its start resembles a remark of the model about the diff. */
const resemblesRemark = (line: string): boolean =>
  statementPattern.test(line) ||
  (!diffToolVerbPattern.test(line) &&
    (diffReferencePattern.test(line) || (messageNamePattern.test(line) && !/: \S/u.test(line)))) ||
  isAddressedToUser(line) ||
  classifyRemark(line) !== 'none';

/**
 * Checks whether a line contains several sentences. A reference such as `Closes #12` after the first sentence does not
 * count.
 */
const hasSeveralSentences = (line: string): boolean =>
  /\p{L}{2}[.!?][)"”]?\s+(?!(?:Close|Fix|Resolve|Deliver|See|Ref|Part|Issue)\w*\b|This (?:close|fixe|resolve)s \S*#\d)\p{Lu}|[。！？]./u.test(
    line,
  );

/** Checks whether quotation marks or backticks enclose the whole line. */
const isQuoted = (line: string): boolean =>
  removeQuotes(line) !== line ||
  (/^["'`]/u.test(line) && line.split(line[0] ?? '').length % 2 === 0);

/** Matches escape sequences, placeholders and citation marks that do not occur in commit messages. */
const foreignTextPattern =
  /\\["#*_`<]|[^\s`"'(]<br\s?\/?>|【|\s(?:<-+|←)\s|(?<!`)<(?!(?:a|button|div|html|iframe|img|input|meta|script|select|span|svg|table|textarea|video) \S+>)[a-z]+(?: [a-z]+)+>|\[(?:[a-z]+ )*(?:description|your|summary|reason|why|explain|describe|insert|add)(?: [a-z]+)*\]/iu;
/** Matches the escape sequence of a line break (`\n`) after a word or punctuation. Quotations must be removed first. */
const escapedLineBreakPattern = /(?:(?<!\\)\w|[.)"'])(?:\\r)?\\n/u;
const quotePattern = /"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)/gu;
/**
 * Checks whether a text contains HTML escapes such as `&lt;` by mistake: it is not about escapes and does not also
 * contain the unescaped characters.
 */
const isEscapedHtml = (text: string): boolean =>
  /&(?:quot|apos|lt|gt|amp|nbsp|#\d+);/u.test(text) &&
  (/&amp;(?:\w|#)/u.test(text) || !/[<>]|(?:de|en|un)?(?:escap|[ck]od)|entit|html/iu.test(text));

/** Patterns of lines about the model's answer instead of the commit. No line of a message body may match them. */
const remarkLinePatterns: readonly RegExp[] = [
  /\b(?:kept the rest|keep the rest|rest (?:of the file )?(?:remains? )?unchanged|as requested|was requested|you (?:asked|requested|described|mentioned)|requested change|you may need|no other changes|please (?:check|review|verify|test)|wasn['’]t able to|couldn['’]t run|use code with caution)\b|保持不变/iu,
  // Labels and headings of other parts of an answer.
  /^\W*(?:explanation|changes made|instructions?|follow-up(?! (?:for|to|of))|verification|alternatives?(?! to\b)|checklist|how to test|test plan|next steps|(?:modified|changed) files|files (?:modified|changed)|disclaimer|tip|to commit, run|说明|修改说明)\b[^:：]{0,30}(?:[:：]|\W*$)/iu,
  /^(?:type|scope|rating|confidence|score|tokens(?: used)?|length|word count|user|human|assistant)\s?: |^p\.?s\.?[:.,]/iu,
  // Offers of another version.
  /^\(?(?:or|alternatively)[,:]|\byou (?:could|can|might) (?:write|use|also)\b/iu,
  new RegExp(`^[*_]*${bodyNameSource}\\s?[*_]*\\s?[:：](?:\\s|[*_]|$)`, 'iu'),
  // Marks of omitted text, of the end, and of a diff.
  /^(?:\.{3}|…)$|^(?:none|n\/a)\b(?! of the\b)|^[([](?:truncated|(?:to be )?continued)\b|^(?:truncated|(?:to be )?continued)(?:\W*$| (?:in|below|next|output|here|due|for|because)\b)|^(?:pronto|listo|fertig)[!.,]|^→\s/iu,
  /^\W*(?:(?:start|end) of|begin|end) (?:the )?(?:updated|modified|new|code|selection|answer)\b|^\W*\d+ files? changed\b|^diff --git a\//iu,
];
/** Patterns of remarks of the model in the last line of a message body. */
const lastLinePatterns: readonly RegExp[] = [
  /^(?:Should|Do|Does|Would|Shall|Is this|Want)\b.*\?$|\b(?:Is this|Does this|Do you|Would you)\b.*\?$|^(?:Would|Does|Is) (?:that|this|it) (?:work|help|fit|fine|ok)\b|^By the way\b|^#\p{L}\w+(?: #\p{L}\w+)*$|\b(?:[Jj]ust ask|as needed)\.$/u,
  /^I (?:chose|kept|picked|wrote|assumed|would)\b|\bI (?:could|can)(?:n['’]t| ?not)\b(?! reproduce (?:it|this|the (?:bug|crash|failure|issue|problem|race))\b)/u,
  /(?<!\b[Ii]f )\b[Yy]ou (?:may|might|need|would|should)\b|\b[Yy]our (?:changes|commits?|diff|log|history|request|project|repo\w*|previous)\b/u,
  /^(?:Adjust|Modify|Edit|Tweak|Copy) (?:as|it|this|and)\b|^Make sure to (?:run|review|check|test)\b/u,
  /^(?:END|EOF|DONE|#{1,6}|.*\b(?:your|an AI) assistant\.?)$|^🤖|^(?:Generated|Written) (?:with|by) .*\b(?:AI|[Mm]odel|assistant)\.?$|^This keeps (?:it|the (?:message|subject|title))\b/u,
  // Text in brackets, except for a reference or a note about the commit.
  /^\*?(?!\((?:cherry picked|(?:(?:[Ss]ee|[Cc]los|[Ff]ix|[Rr]esolv|[Rr]ef|via|from|PR|[Ii]ssue)\w*(?: also)?:? )?\S*#\d+|[Nn]ote: (?!.*\b(?:I|you)\b))|\[(?:(?:skip|no) (?:ci|actions|travis|release)|ci skip)\]$)[([].*[)\]]\.?\*?$/u,
];
/** Matches words, such as `imperative mood`, with which models describe their message in its last paragraph. */
const messageDescriptionPattern =
  /\b(?:imperative mood|present tense|conventional commits|(?:follow|match|adher|conform)\w*\b.{0,40}\bconventions?|best practices|(?<!\b(?:in|of|or|with) a )commit message|(?:this|above) message|\bthe message (?:is|uses|follows)|(?<![\d,.])(?:\d{1,2}|(?<!\bto )\d{3})[ -]characters?|(?:diese|ce|este|esta) (?:message|nachricht|mensaje|mensagem)|imperativ)\b|提交(?:信息|消息)|コミットメッセージ|커밋 메시지|сообщени/iu;
/**
 * Matches Markdown headings and rules. Outside a fence, they separate parts of an answer; inside a fence, they belong
 * to the message body.
 */
const headingOrRulePattern =
  /^(?:#{1,6}\s+(?!(?:(?:bug )?fix(?:es|ed)?|added|changed|removed|deprecated|features?|breaking changes|security|performance|other)\W*$)|(?:-{3,5}|\*{3}|_{3}|={3,})$|\*\*[^*]+\*\*[:：]?(?:\s|$))/iu;

/** Matches a subject, such as `Squashed 3 commits`, of a message that lists the subjects of other commits. */
const squashPattern =
  /^(?:squash(?:ed)?|merged?) (?:the )?(?:following )?(?:\d+ )?(?:commits?|branch|pull request|changes)\b/iu;

/** Checks whether all lines can be the body of a commit message with this subject. */
function isBody(body: readonly string[], subject: string, isFenced: boolean): boolean {
  const text = body.join('\n').replace(dependabotPattern, '').trim();
  const lines = text
    .replaceAll(codeBlockPattern, (block) => (block.includes('git commit') ? block : ''))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const isForeignLine = (line: string): boolean =>
    line === subject ||
    remarkLinePatterns.some((pattern) => pattern.test(line)) ||
    (conventionalSubjectPattern.test(line) && !squashPattern.test(subject)) ||
    (!isFenced && (headingOrRulePattern.test(line) || parseBlockFence(line) !== undefined));
  return !(lines.some(isForeignLine) || hasUncitedReference(text) || endsWithRemark(text, subject));
}

/**
 * Checks whether a message ends with text that does not belong to it: a labeled paragraph, a variant of the subject, or
 * a remark of the model.
 */
function endsWithRemark(text: string, subject: string): boolean {
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1);
  const lastLine = text.split('\n').at(-1) ?? '';
  const isOtherLanguage =
    asianLetterPattern.test(lastLine) &&
    !asianLetterPattern.test(subject) &&
    !/-by: /iu.test(lastLine);
  const isVariant =
    /^\p{Lu}[^\n]*[^.\n]$/u.test(text) &&
    !/\(#\d+\)$/u.test(subject) &&
    !/#\d+$/u.test(text) &&
    haveMostWordsInCommon(toWords(text), toWords(subject));
  const describesMessage =
    messageDescriptionPattern.test(paragraph) && !messageDescriptionPattern.test(subject);
  return (
    labelPattern.test(text) ||
    lastLinePatterns.some((pattern) => pattern.test(lastLine)) ||
    isOtherLanguage ||
    isVariant ||
    describesMessage
  );
}

/** Checks for a reference such as `[1] https://…` whose number the preceding text does not contain. */
function hasUncitedReference(text: string): boolean {
  const match = /^\s*[-*]?\s*(?<mark>\[\^?\d+\]):? \S/mu.exec(text);
  return match !== null && !text.slice(0, match.index).includes(match.groups?.['mark'] ?? '');
}

/** Matches a code block, unless the block can contain the commit message. */
const codeBlockPattern =
  /^`{3}(?!(?:text|txt|plaintext|git|commit|gitcommit|git-commit|md|markdown|json|diff|patch)?$)\S+\n[^]*?\n`{3}$/gmu;
/** Matches the YAML document that Dependabot adds to its commit messages. */
const dependabotPattern = /^---\n(?:[\w-]+:.*\n|[- ].*\n)+\.{3}$/mu;
const asianLetterPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Matches a paragraph that ends with a colon, such as a label of the model. Does not match if the text is about the
 * commit, or if a list, a table or indented text follows.
 */
const labelPattern =
  /(?:^|\n\n)(?!(?:This|It) (?:also )?(?:adds|allows|changes|contains|fixes|includes|introduces|means|removes)\b[^\n]*:\n)[^\n]*[:：][*_]*\n\n(?![\s\-*•+|]|\d+[.)])/u;

/** Parses a code fence. Returns undefined for other lines, and for a fence that is indented like code. */
export function parseBlockFence(line: string): Fence | undefined {
  const fence = parseFence(line);
  return /^(?: {4}|\t)/u.test(fence?.indent ?? '') ? undefined : fence;
}

const quotePairs = ['""', "''", '``', '“”', '«»', '„“', '「」', '『』'];

/** Removes quotation marks around a text, and a period after them. */
export function removeQuotes(text: string): string {
  const tripleQuotedText = /^(?<mark>"{3}|'{3})\n(?<inner>[^]*)\n\k<mark>$/u.exec(text)?.groups?.[
    'inner'
  ];
  if (tripleQuotedText !== undefined) return tripleQuotedText;
  const doubleQuotedText = /^`` (?<inner>[^\n]+) ``$/u.exec(text)?.groups?.['inner'];
  if (doubleQuotedText !== undefined) return doubleQuotedText;
  const quotedText = text.replace(/(?<=["'`”»“」』])\.$/u, '');
  const [openMark = '', closeMark = ''] =
    quotePairs.find(
      ([first = '', last = '']) => quotedText.startsWith(first) && quotedText.endsWith(last),
    ) ?? '';
  const innerText = quotedText.slice(1, -1).trim();
  if (openMark === '' || innerText === '' || quotedText.startsWith(openMark.repeat(2))) return text;
  const plainText = innerText.replaceAll(/(?<=\p{L})'(?=\p{L})/gu, '');
  const [firstIndex, lastIndex] = [plainText.indexOf(openMark), plainText.lastIndexOf(closeMark)];
  if (firstIndex < 0 && lastIndex < 0) return innerText;
  // Marks inside the message are in pairs. In `"a" and "b"`, the first inner mark closes a quotation.
  const isPaired =
    firstIndex >= 0 &&
    lastIndex > firstIndex &&
    /^(?:^|[\s([{])$/u.test(plainText.slice(0, firstIndex).slice(-1)) &&
    /^(?:$|[\s)\]}.,;:!?])$/u.test(plainText.slice(lastIndex + 1, lastIndex + 2));
  return isPaired ? innerText : text;
}
