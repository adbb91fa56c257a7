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
const finalToken = /<\|(?:return|end|im_end|eot_id|endoftext)\|>\s*$/u;

/**
 * Removes the reasoning that some models write before the answer, in tags or in a channel. Returns
 * undefined if the reasoning has no end. Some models omit the opening tag.
 */
export function stripThinking(answer: string): string | undefined {
  const pattern = leadingThinking.find((candidate) => candidate.test(answer));
  if (pattern !== undefined) return stripThinking(answer.replace(pattern, ''));
  if (openThinking.test(answer)) return undefined;
  return answer.replace(orphanThinkingEnd, '').replace(finalToken, '');
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
