/** One instruction in a request: a verb with its objects. */
export interface Clause {
  /** Instruction without polite phrases. Placeholders replace quoted texts. */
  readonly text: string;
  /** Instruction with the quoted texts in place of the placeholders. */
  readonly unmaskedText: string;
  readonly paths: readonly string[];
  /** Quoted texts in the instruction that are not paths. */
  readonly literals: readonly string[];
  /** Returns the quoted text for a placeholder, or a word without its punctuation. */
  readonly resolveToken: (token: string) => string;
}

/** Matches the placeholder of a quoted text, such as `⟦0⟧`. */
const placeholderPattern = '\u27e6\\d+\u27e7';
/** Matches the placeholder of a quoted text, or a word. */
const tokenPattern = `(?:${placeholderPattern}|[^\\s,;]+)`;

/**
 * Creates a pattern from `source`, in which each `<name>` becomes a named group. The group matches the placeholder of a
 * quoted text, or a word.
 */
export const createPhrasePattern = (source: string): RegExp =>
  new RegExp(source.replaceAll(/<(\w+)>/g, `(?<$1>${tokenPattern})`), 'i');

/** Matches quoted texts: fenced blocks, JSON objects with up to three levels, inline code, and quotations. */
const literalPattern =
  /(`{3,}|~{3,})[^\n]*\n(?<fence>[\s\S]*?)\n?\1|(?<json>\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})|`(?<code>[^`\n]+)`|"(?<double>[^"\n]*)"|“(?<curly>[^”\n]*)”|(?<=[\s(])'(?<single>[^'\n]*)'(?=[\s.,;:!?)]|$)/g;

const verbAlternatives =
  'read|open|list|find|search|grep|show|run|execute|create|make|write|add|append|insert|delete|remove|rename|move|replace|change|call|use|ask|fix|stop|explain|get|go';

const politePhrasePattern =
  /^(?:(?:please|now|first|next|also|finally|and|then|(?:can|could|would|will) you|i want you to|let'?s|go ahead and)[,:]?\s+)+/i;

/**
 * Patterns that match two related instructions, such as "run the tests and fix the errors", each with a replacement
 * that joins them into one instruction.
 */
const joinedPhrases: readonly (readonly [RegExp, string])[] = [
  [
    /(\b(?:find|look for|search for)\b[^.;\n,]*?),?\s+(?:and\s+)?(?:then\s+)?(?=rename\s+(?:it|them)\b)/gi,
    '$1 \u2192 ',
  ],
  [
    /(\b(?:run|execute)\b[^.;\n]*?)[.,;]?\s+(?:and\s+)?(?:then\s+)?(?=(?:fix|repair|correct)\b)/gi,
    '$1 \u2192 ',
  ],
];

const nextClausePattern = new RegExp(
  `(?:[,;.]\\s*|\\s+)(?:and\\s+)?(?:then|after that)\\b,?\\s*|\\n+(?!\\s*${placeholderPattern})(?:\\s*(?:[-*•]|\\d+[.)])\\s+)?|(?<=[\\w)\u27e7][.!?;])\\s+(?=[A-Z\u27e6])|(?:,?\\s+and|,)\\s+(?=(?:${verbAlternatives})\\b)`,
  'i',
);

/** Splits a request into its instructions. They are separate lines or sentences, or are joined by "and" or "then". */
export function splitClauses(request: string): Clause[] {
  const literals: string[] = [];
  const sources: string[] = [];
  const maskedRequest = request.replaceAll(literalPattern, (source: string, ...rest: unknown[]) => {
    const { fence, ...groups } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const quotedText = Object.values(groups).find((group) => group !== undefined) ?? '';
    literals.push(fence === undefined ? quotedText : `${fence}\n`);
    return `\u27e6${sources.push(source) - 1}\u27e7`;
  });
  const resolveToken = (token: string): string => {
    const index = /\u27e6(\d+)\u27e7/.exec(token)?.[1];
    if (index !== undefined) return literals[Number(index)] ?? '';
    return token.replace(/^[("'<]+|[.,;:!?)"'>]+$/g, '');
  };
  return joinedPhrases
    .reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), maskedRequest)
    .split(nextClausePattern)
    .map((clause) =>
      clause
        .trim()
        .replace(politePhrasePattern, '')
        .replace(/[\s.!?]+$/, ''),
    )
    .filter(Boolean)
    .map((text) => {
      const tokens = (text.match(new RegExp(tokenPattern, 'g')) ?? []).map(resolveToken);
      const paths = tokens.map((token) => token.replace(/:\d+(?:-\d+)?$/, '')).filter(isPathLike);
      const quotedTexts = (text.match(new RegExp(placeholderPattern, 'g')) ?? []).map(resolveToken);
      return {
        text,
        unmaskedText: text.replaceAll(
          /\u27e6(\d+)\u27e7/g,
          (_, index: string) => sources[Number(index)]!,
        ),
        paths: [...new Set(paths)],
        literals: quotedTexts.filter((text) => !isPathLike(text)),
        resolveToken,
      };
    });
}

const extensionAlternatives =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|md|mdx|txt|log|py|ipynb|rs|go|java|kt|c|h|cpp|cs|rb|php|sh|css|scss|html|xml|svg|ya?ml|toml|ini|env|lock|sql|png|jpe?g|gif|webp|vue|svelte|csv|lua';

const pathPattern = new RegExp(
  `^(?!(?:node|next|vue|three|express|react|d3)\\.js$)(?:[\\w@.+-]+\\.(?:${extensionAlternatives})|[\\w@~.+-]*/[\\w@.+/*-]*|Makefile|Dockerfile|README|LICENSE)$`,
  'i',
);

/** Checks whether a text is a path such as `src/a.ts`, `README.md` or `src/`, but not `Node.js` or `JSON.parse`. */
const isPathLike = (text: string): boolean => /\w/.test(text) && pathPattern.test(text);
