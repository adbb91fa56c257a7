import { stripHiddenCharacters } from './hidden-characters.ts';

/** A line that opens or closes a fenced code block. */
export interface Fence {
  readonly indent: string;
  /** Fence characters: at least three backticks or tildes. */
  readonly marks: string;
  /** Text after the fence characters, such as a language id. */
  readonly info: string;
}

/**
 * Parses a line that opens or closes a fenced code block, with any indentation. Returns undefined
 * for other lines.
 */
export function parseFence(line: string): Fence | undefined {
  const groups = /^(?<indent>[\t ]*)(?<marks>`{3,}|~{3,})(?<info>[^`]*)$/u.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { indent = '', marks = '', info = '' } = groups;
  return { indent, marks, info: info.trim() };
}

/** Checks whether a trimmed, incomplete line may turn out to be a fence. */
export const canBeFence = (text: string): boolean => /^(?:`{1,2}$|~{1,2}$|```|~~~)/u.test(text);

/** Checks whether `fence` can close the fenced code block that `openingFence` opens. */
export const canCloseFence = (fence: Fence, openingFence: Fence): boolean =>
  fence.info === '' &&
  fence.indent === openingFence.indent &&
  fence.marks.startsWith(openingFence.marks);

/** Names of the tags, such as `<think>`, in which models write their reasoning. */
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
/** Start and end markers of reasoning, for models that do not use tags. */
export const thinkingMarkers: readonly (readonly [start: string, end: string])[] = [
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
];
const thinkingTagSource = thinkingTags.join('|');
const leadingThinkingPatterns: readonly RegExp[] = [
  new RegExp(`^\\s*<(?<tag>${thinkingTagSource})>[\\s\\S]*?</\\k<tag>>[^\\S\\n]*\\n?`, 'iu'),
  ...thinkingMarkers.map(([start, end]) => {
    const [openPattern, closePattern] = [start, end].map((mark) =>
      mark.replaceAll(/[[\]/]/gu, String.raw`\$&`),
    );
    return new RegExp(`^\\s*${openPattern}[\\s\\S]*?${closePattern}[^\\S\\n]*\\n?`, 'u');
  }),
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b[\s\S]*?<\|end\|>/u,
  // Servers that remove the tokens of the channels leave their names.
  /^\s*analysis(?=\p{Lu})[\s\S]*?assistantfinal/u,
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>final(?:<\|constrain\|>\w*)?<\|message\|>/u,
];
const openThinkingPattern = new RegExp(
  `^\\s*(?:<(?:${thinkingTagSource})>|\\[THINK\\]|◁think▷|<\\|channel\\|>)`,
  'iu',
);
const thinkingEndSource = `(?:</(?:${thinkingTagSource})>|\\[/THINK\\]|◁/think▷)`;
/**
 * Matches reasoning whose opening tag is missing: all text up to and including the first closing tag, such as
 * `</think>`, if no opening tag precedes it. The closing tag must be at the start of a line, at the end of a line or after a sentence. A closing tag
 * elsewhere, such as in a string or after a comment mark, counts as part of the answer.
 */
const orphanThinkingEndPattern = new RegExp(
  `^(?:(?!<(?:${thinkingTagSource})>|${thinkingEndSource})[\\s\\S])*${thinkingEndSource}(?:(?<=(?:^\\s*|\\n[^\\S\\n]*|\\p{L}[.!?…。！？] ?)${thinkingEndSource})|(?<!(?:\\/\\/|\\*|#|--)[^\\S\\n]*${thinkingEndSource})(?=[^\\S\\n]*(?:\\n|$)))[^\\S\\n]*\\n?`,
  'iu',
);
/**
 * Matches an answer up to a closing tag such as `</think>`, if no opening tag precedes it, and it is neither quoted nor
 * in a comment. If the closing tag is inside a line, the text before it can be reasoning or part of the answer.
 */
const unclearThinkingEndPattern = new RegExp(
  `^(?:(?!<(?:${thinkingTagSource})>|${thinkingEndSource})[\\s\\S])*(?<!(?:["'\`(]|\\/\\/|\\*|#|--)[^\\S\\n]*)${thinkingEndSource}(?![^\\S\\n]*["'\`)])`,
  'iu',
);
/**
 * Removes the reasoning that some models write before their answer, in tags or in a separate channel of the chat
 * template, even if the opening tag is missing. Returns undefined if the reasoning has no closing tag, or if a tag
 * inside a line may or may not end the reasoning.
 */
export function stripThinking(answer: string): string | undefined {
  const pattern = leadingThinkingPatterns.find((candidate) => candidate.test(answer));
  if (pattern !== undefined) return stripThinking(answer.replace(pattern, ''));
  if (openThinkingPattern.test(answer)) return undefined;
  if (orphanThinkingEndPattern.test(answer)) return answer.replace(orphanThinkingEndPattern, '');
  const isJson = /^\s*[{[]/u.test(answer);
  return !isJson && unclearThinkingEndPattern.test(answer) ? undefined : answer;
}

/**
 * Tokens with which chat templates end a turn. If a server uses the wrong template, its answers contain these tokens as
 * text.
 */
export const turnEndTokens: readonly string[] = [
  ...['<|endoftext|>', '<|end_of_text|>', '<|eot_id|>', '<|im_end|>', '<|end|>', '<|EOT|>'],
  ...['<end_of_turn>', '<EOT>', '<eos>', '<｜end▁of▁sentence｜>', '[/INST]'],
];
/** Tokens with which chat templates begin the turn of the model. */
export const turnStartTokens: readonly string[] = [
  ...['<|im_start|>', '<|begin_of_text|>', '<|assistant|>', '<|im_sep|>', '<|return|>'],
  ...['<｜begin▁of▁sentence｜>', '<｜Assistant｜>', '<start_of_turn>', '<bos>', '<s>'],
];
/**
 * Source of a regular expression for the names of tags in which models enclose an answer, such as `answer`. Documents
 * can contain the same tags.
 */
export const answerTagSource =
  'answer|pre(?=>\\s*<code\\b)|code|code_?(?:block|snippet)|snippet|new_?code|(?:updated|edited|modified|revised|final|replaced)[_-]?(?:code|text|lines|content)?|replacement|result|output|response|solution|edit|text|content|file|file_?content|(?:ant)?artifact';
/** Pattern of the start of a tool call, such as `<tool_call>`, that a model writes as text in its answer. */
export const toolCallPattern =
  /^[^\S\n]*(?:<(?:tool_calls?|function_calls?|tool_use|invoke|function=|use_mcp_tool)\b|\[TOOL_CALLS\]|<\|(?:tool|python_tag))/mu;
/** Checks whether a line contains only a role, such as `assistant`, which chat templates write before an answer. */
export const isRoleLine = (line: string): boolean => /^\s*(?:assistant|model)\s*$/u.test(line);
/** Checks whether an incomplete line may turn out to be a {@link isRoleLine role line}. */
export const canBeRoleLine = (text: string): boolean =>
  ['assistant', 'model'].some((role) => role.startsWith(text));

/**
 * Matches the marker line `<<<<<<< SEARCH`, or a similar line, that starts a SEARCH/REPLACE block or a merge conflict.
 */
export const searchMarkerPattern =
  /^\s*<{5,9} ?(?:SEARCH|ORIGINAL|HEAD|LOCAL|ours|mine|[Cc]urrent(?: [Cc]hange)?|[Bb]efore|[Oo]ld)\b/u;
/** Matches the header of a change in the output format of `diff` without options, such as `2,4c2,5`. */
export const normalDiffHeaderPattern = /^\d+(?:,\d+)?[cd]\d+(?:,\d+)?$/u;
/** Checks whether a line is the first line of a patch in the format of the `apply_patch` tool. */
export const isPatchStart = (line: string): boolean => /^\*{3} Begin Patch\s*$/u.test(line);
/** Checks whether an answer that begins with this line consists of edits: SEARCH/REPLACE blocks, a patch or a diff. */
export const isEditStart = (line: string): boolean =>
  searchMarkerPattern.test(line) ||
  normalDiffHeaderPattern.test(line) ||
  isPatchStart(line) ||
  /^(?:@@ -\d|diff --git |--- a\/)/u.test(line);
/**
 * Source of a regular expression for the JSON keys, such as `code` or `new_text`, under which models return the
 * replacement text.
 */
export const textKeySource =
  'code|text|lines|content|answer|result|replacement|output|updated_?\\w*|new_?\\w*|edit';
/**
 * Source of a regular expression for the JSON keys, such as `search` or `old_text`, under which models repeat the text
 * to replace.
 */
export const oldTextKeySource =
  'old_?(?:string|str|text|code)|search|find|original(?:_?(?:text|code))?';

/** Source of a regular expression for chat template tokens, such as `<|im_end|>` or `</s>`. */
export const templateTokenSource =
  '(?:<\\|[\\w/-]{1,40}\\|?>|<[\\w/-]{1,40}\\|>|<｜[^<>｜\\n]{1,40}｜>|</?s>|<(?:eos|bos|pad|EOT|(?:start|end)_of_[a-z]{1,20})>|\\[/?INST\\])';
/**
 * Matches a chat template token before an answer, and the role that can follow the token, such as
 * `<|im_start|>assistant`. Does not match tokens that start a channel, because a channel can contain reasoning.
 */
const leadingTokenPattern = new RegExp(
  `^(?:<\\|start\\|>assistant(?=<\\|message\\|>)|(?!<\\|(?:start|channel)\\|>)${templateTokenSource})(?:(?<=_start\\|>|header_id\\|>|turn>)(?:assistant|model)(?=\\s*[\\n<]))?`,
  'u',
);
const trailingTokenPattern = new RegExp(`${templateTokenSource}$`, 'u');
/**
 * Matches the start of another turn, such as `<|im_start|>user`, which a model writes if it does not stop at the end of
 * its own turn.
 */
const nextTurnPattern = new RegExp(
  `${templateTokenSource}\\s{0,9}(?:<\\|(?:im_start|start_header_id)\\|>|<start_of_turn>)?(?:<\\|)?(?:user|human|system)\\b`,
  'iu',
);

/**
 * Removes chat template tokens before and after an answer, and everything from the start of another turn. Retains
 * tokens that also occur in `documentText`. Returns undefined if a token can also be part of the answer. Examples are an
 * unfamiliar token such as `<|cursor|>`, and `<s>` and `</s>` around the answer if `documentText` contains HTML tags.
 * @param documentText Text that the answer changes. Empty for an answer without a document.
 */
export function stripTemplateTokens(answer: string, documentText: string): string | undefined {
  const isStrikethrough = /^\s*<s>/u.test(answer) && /<\/s>\s*$/u.test(answer);
  if (isStrikethrough && /<\/?[a-z][^<>]*>/u.test(documentText)) return undefined;
  const textAfterLeadingTokens = stripLeadingTokens(answer, { documentText, isStrikethrough });
  let text = textAfterLeadingTokens.slice(
    0,
    findTemplateToken(nextTurnPattern, textAfterLeadingTokens, documentText)?.index,
  );
  const isElement = !isStrikethrough && /<s>[^<]*<\/s>\s*$/u.test(text.slice(-maxElementLength));
  for (;;) {
    const end = text.trimEnd();
    const tail = end.slice(-maxTokenLength);
    const token =
      findTemplateToken(trailingTokenPattern, tail, documentText)?.[0] ??
      findClosingTag(end, documentText);
    const rest = end.slice(0, end.length - (token ?? '').length);
    // After a colon, an equals sign or a comma, the token can be a value in the document.
    if (token === undefined || isElement || /[:=,] $/u.test(rest))
      return hasUnknownToken(text, documentText) ? undefined : text;
    text = rest;
  }
}

/**
 * Words in the names of chat template tokens, such as `im` and `end` in `<|im_end|>`. A document can contain other
 * tokens in the same notation, such as `<|cursor|>`.
 */
const templateTokenWords: ReadonlySet<string> = new Set([
  ...['im', 'eot', 'eom', 'eos', 'eod', 'bos', 'pad', 'sep', 'end', 'endoftext', 'endofprompt'],
  ...[
    'start',
    'begin',
    'return',
    'channel',
    'message',
    'call',
    'calls',
    'constrain',
    'inst',
    'header',
    'tool',
  ],
  ...[
    'tools',
    'python',
    'fim',
    'file',
    'repo',
    'turn',
    'assistant',
    'user',
    'system',
    'human',
    'model',
    'observation',
  ],
]);

function isTemplateToken(token: string): boolean {
  const name = /^<(?=.*\|)\|?(?<name>[\w/-]+)\|?>$/u.exec(token)?.groups?.['name'];
  const words = [...(name?.toLowerCase().match(/[a-z\d]+/gu) ?? [])];
  return (
    name === undefined ||
    (!words.includes('cursor') && words.some((word) => templateTokenWords.has(word)))
  );
}

const outerTokenPattern = /^<\|[\w/-]{1,40}\|>(?=\s*\n)|(?<=\n[^\S\n]*)<\|[\w/-]{1,40}\|>$/gu;

/** Checks whether a token is the only text in the first or the last line. */
const isTokenOnOwnLine = (text: string, token: string): boolean => {
  const [start, end] = [text.slice(0, maxElementLength), text.slice(-maxElementLength)];
  const lines = [start.trimStart().split('\n', 1)[0], end.trimEnd().split('\n').at(-1)];
  return lines.some((line) => line?.trim() === token);
};

/**
 * Checks whether the first or last line is an unknown token, such as `<|cursor|>`, that `documentText` does not
 * contain.
 */
const hasUnknownToken = (text: string, documentText: string): boolean =>
  (text.trim().match(outerTokenPattern) ?? []).some(
    (token) => !isTemplateToken(token) && documentText !== '' && !documentText.includes(token),
  );

function stripLeadingTokens(
  answer: string,
  {
    documentText,
    isStrikethrough,
  }: { readonly documentText: string; readonly isStrikethrough: boolean },
): string {
  let text = answer;
  for (;;) {
    const start = text.trimStart();
    const token = findTemplateToken(leadingTokenPattern, start, documentText)?.[0];
    if (token === undefined || (token === '<s>' && !isStrikethrough && start.includes('</s>')))
      return text;
    const rest = start.slice(token.length);
    text = rest.replace(token.endsWith(']') ? /^ |^[^\S\n]*\n/u : /^[^\S\n]*\n/u, '');
  }
}

/**
 * Returns the closing tag, such as `</answer>`, at the end of an answer. Returns undefined if there is none, or if the
 * answer or `documentText` contains the opening tag.
 */
function findClosingTag(text: string, documentText: string): string | undefined {
  const pattern = /<\/(?<name>answer|response|result|output|completion|assistant|final)>$/iu;
  const match = pattern.exec(text.slice(-maxTokenLength));
  const openingTagPattern = new RegExp(`<${match?.groups?.['name'] ?? ''}\\b`, 'iu');
  return match === null || openingTagPattern.test(text) || openingTagPattern.test(documentText)
    ? undefined
    : match[0];
}

function findTemplateToken(
  pattern: RegExp,
  text: string,
  documentText: string,
): RegExpExecArray | undefined {
  const match = pattern.exec(text);
  const tokens = match?.[0].match(new RegExp(templateTokenSource, 'gu')) ?? [];
  const isRemovable = tokens.every(
    (token) =>
      !documentText.includes(token) &&
      (documentText === '' || isTemplateToken(token) || !isTokenOnOwnLine(text, token)),
  );
  return isRemovable ? (match ?? undefined) : undefined;
}

/** Maximum length of a chat template token in characters. */
const maxTokenLength = 60;
const maxElementLength = 500;

/**
 * Returns the visible text of an answer. Removes hidden characters, carriage returns, chat template tokens and
 * reasoning. Returns undefined if the reasoning has no end, or if {@link stripTemplateTokens} returns undefined.
 */
export function readVisibleText(answer: string, documentText = ''): string | undefined {
  const visibleText = stripHiddenCharacters(answer.replaceAll('\r', '')).text;
  const text = stripTemplateTokens(visibleText, documentText);
  return text === undefined ? undefined : stripThinking(text);
}

/**
 * Checks whether the end of an answer is missing, because the answer reached the maximum length or a content filter
 * stopped it.
 * @param finishReason value of `finish_reason`
 */
export const isCutOff = (finishReason: string): boolean =>
  finishReason === 'length' || finishReason === 'content_filter';

/** Checks whether two sets have more than half of their words in common. */
export const haveMostWordsInCommon = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  computeCommonWordRatio(a, b) > 0.5;

/**
 * Returns the ratio of the words that two sets have in common to all their words, from 0 to 1 (Sørensen–Dice
 * coefficient). Returns 0 if a set is empty.
 */
export function computeCommonWordRatio(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let commonCount = 0;
  for (const word of a) if (b.has(word)) commonCount += 1;
  return (2 * commonCount) / (a.size + b.size);
}

export const toWords = (line: string): ReadonlySet<string> =>
  new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
