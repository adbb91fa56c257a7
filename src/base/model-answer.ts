import { stripHiddenCharacters } from './hidden-characters.ts';

/** A line that opens or closes a fenced code block. */
export interface Fence {
  readonly indent: string;
  /** Backticks or tildes, at least three. */
  readonly marks: string;
  /** Text after the marks, such as a language id. */
  readonly info: string;
}

/** Parses a fence with any indentation. Returns undefined for other lines. */
export function parseFence(line: string): Fence | undefined {
  const groups = /^(?<indent>[\t ]*)(?<marks>`{3,}|~{3,})(?<info>[^`]*)$/u.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { indent = '', marks = '', info = '' } = groups;
  return { indent, marks, info: info.trim() };
}

/** Checks whether `fence` can close the block that `opening` opens. */
export const canClose = (fence: Fence, opening: Fence): boolean =>
  fence.info === '' && fence.indent === opening.indent && fence.marks.startsWith(opening.marks);

/** Names of the tags in which models reason. */
export const thinkingTags = [
  'think',
  'thinking',
  'thought',
  'thoughts',
  'reasoning',
  'analysis',
  'scratchpad',
  'reflection',
] as const;
const thinkingTag = thinkingTags.join('|');
const leadingThinking: readonly RegExp[] = [
  new RegExp(`^\\s*<(?<tag>${thinkingTag})>[\\s\\S]*?</\\k<tag>>[^\\S\\n]*\\n?`, 'iu'),
  /^\s*\[THINK\][\s\S]*?\[\/THINK\][^\S\n]*\n?/u,
  /^\s*◁think▷[\s\S]*?◁\/think▷[^\S\n]*\n?/u,
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b[\s\S]*?<\|end\|>/u,
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>final(?:<\|constrain\|>\w*)?<\|message\|>/u,
];
const openThinking = new RegExp(
  `^\\s*(?:<(?:${thinkingTag})>|\\[THINK\\]|◁think▷|<\\|channel\\|>)`,
  'iu',
);
const thinkingEnd = `(?:</(?:${thinkingTag})>|\\[/THINK\\]|◁/think▷)`;
/** The end of reasoning whose opening tag is missing: a line that ends with the tag, and no opening before it. */
const orphanThinkingEnd = new RegExp(
  `^(?:(?!<(?:${thinkingTag})>|${thinkingEnd})[\\s\\S])*${thinkingEnd}[^\\S\\n]*\\n`,
  'iu',
);
/**
 * Removes the reasoning that some models write before the answer, in tags or in a channel. Returns
 * undefined if the reasoning has no end. Some models omit the opening tag.
 */
export function stripThinking(answer: string): string | undefined {
  const pattern = leadingThinking.find((candidate) => candidate.test(answer));
  if (pattern !== undefined) return stripThinking(answer.replace(pattern, ''));
  if (openThinking.test(answer)) return undefined;
  return answer.replace(orphanThinkingEnd, '');
}

/** Tokens with which chat templates end a turn. A server with a wrong template returns them as text. */
export const turnEndTokens: readonly string[] = [
  ...['<|endoftext|>', '<|end_of_text|>', '<|eot_id|>', '<|im_end|>', '<|end|>', '<|EOT|>'],
  ...['<end_of_turn>', '<EOT>', '<eos>', '<｜end▁of▁sentence｜>', '[/INST]'],
];
const templateToken =
  '(?:<\\|[\\w/-]{1,40}\\|?>|<[\\w/-]{1,40}\\|>|<｜[^<>｜\\n]{1,40}｜>|</?s>|<(?:eos|bos|pad|EOT|(?:start|end)_of_[a-z]{1,20})>|\\[/?INST\\])';
/** A token before an answer, with the role of the turn. The tokens of a channel belong to the reasoning. */
const leadingToken = new RegExp(
  `^(?:<\\|start\\|>assistant(?=<\\|message\\|>)|(?!<\\|(?:start|channel)\\|>)${templateToken})(?:(?<=_start\\|>|header_id\\|>|turn>)(?:assistant|model)(?=\\s*[\\n<]))?`,
  'u',
);
const trailingToken = new RegExp(`${templateToken}$`, 'u');
/** The start of another turn, which a model writes that does not stop at the end of its own. */
const nextTurn = new RegExp(
  `${templateToken}\\s{0,9}(?:<\\|(?:im_start|start_header_id)\\|>|<start_of_turn>)?(?:<\\|)?(?:user|human|system)\\b`,
  'iu',
);

/**
 * Removes the tokens of chat templates around an answer, but none that the document or the
 * instruction contains. Returns undefined if tokens can be tags of the document.
 */
export function stripTemplateTokens(answer: string, document: string): string | undefined {
  const isStruck = /^\s*<s>/u.test(answer) && /<\/s>\s*$/u.test(answer);
  if (isStruck && /<\/?[a-z][^<>]*>/u.test(document)) return undefined;
  const started = stripLeadingTokens(answer, { document, isStruck });
  let text = started.slice(0, findToken(nextTurn, started, document)?.index);
  const isElement = !isStruck && /<s>[^<]*<\/s>\s*$/u.test(text.slice(-maxElementLength));
  for (;;) {
    const end = text.trimEnd();
    const tail = end.slice(-maxTokenLength);
    const token = findToken(trailingToken, tail, document)?.[0] ?? findClosingTag(end, document);
    const rest = end.slice(0, end.length - (token ?? '').length);
    // A value of a document can be a token.
    if (token === undefined || isElement || /[:=,] $/u.test(rest)) return text;
    text = rest;
  }
}

function stripLeadingTokens(
  answer: string,
  { document, isStruck }: { readonly document: string; readonly isStruck: boolean },
): string {
  let text = answer;
  for (;;) {
    const start = text.trimStart();
    const token = findToken(leadingToken, start, document)?.[0];
    if (token === undefined || (token === '<s>' && !isStruck && start.includes('</s>')))
      return text;
    const rest = start.slice(token.length);
    text = rest.replace(token.endsWith(']') ? /^ |^[^\S\n]*\n/u : /^[^\S\n]*\n/u, '');
  }
}

/** Returns a tag at the end of an answer that closes nothing. */
function findClosingTag(text: string, document: string): string | undefined {
  const pattern = /<\/(?<name>answer|response|result|output|completion|assistant|final)>$/iu;
  const found = pattern.exec(text.slice(-maxTokenLength));
  const isTag = new RegExp(`<${found?.groups?.['name'] ?? ''}\\b`, 'iu');
  return found === null || isTag.test(text) || isTag.test(document) ? undefined : found[0];
}

function findToken(pattern: RegExp, text: string, document: string): RegExpExecArray | undefined {
  const found = pattern.exec(text);
  const tokens = found?.[0].match(new RegExp(templateToken, 'gu')) ?? [];
  return found === null || tokens.some((token) => document.includes(token)) ? undefined : found;
}

/** Maximum lengths in characters of a token, and of a struck text at the end of an answer. */
const maxTokenLength = 60;
const maxElementLength = 500;

/**
 * Returns the visible text of an answer: without hidden characters, carriage returns, tokens of a chat
 * template, and reasoning. Undefined if the reasoning has no end, or if tokens can be tags of the
 * document.
 */
export function readVisibleText(answer: string, document = ''): string | undefined {
  const visible = stripHiddenCharacters(answer.replaceAll('\r', '')).text;
  const text = stripTemplateTokens(visible, document);
  return text === undefined ? undefined : stripThinking(text);
}

/** Checks whether two sets of words have more than half of their words in common. */
export const shareWords = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  shareRatio(a, b) > 0.5;

/** Returns the ratio of common words in two sets, from 0 to 1. */
export function shareRatio(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  return (2 * common) / (a.size + b.size);
}

export const toWords = (line: string): ReadonlySet<string> =>
  new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
