import { type Masked, mask, mark, valueOf } from './literals.ts';
import { isPathLike } from './path-like.ts';

/** One wish of a request: a verb with what belongs to it. */
export interface Clause {
  /** Lower and upper case as written, literals masked, politeness gone. */
  readonly text: string;
  readonly masked: Masked;
  /** The paths it names, in their order. */
  readonly paths: readonly string[];
}

const verbs =
  'read|open|list|find|search|grep|show|display|print|cat|run|execute|create|make|write|add|append|insert|delete|remove|rename|move|replace|change|edit|call|use|invoke|ask|check|fix|tell|stop|end|kill|look|locate|go|get|jump|explain|summari[sz]e|describe|review|view';

const polite =
  /^(?:(?:please|kindly|now|first|next|also|finally|and|ok(?:ay)?|hey|hi|hello|(?:can|could|would|will) you|(?:can|could) we|i(?:'d| would) like (?:you )?to|i (?:want|need)(?: you)? to|let'?s|let us|(?:tell|show) me(?= (?:what|where|who|which)\b)|go ahead and|try to|you should|the agent should|then)[,:]?\s+)+/i;

const sequence = /(?:[,;.]\s*|\s+)(?:and\s+)?(?:then|afterwards|after that)\b,?\s*/i;
const line = new RegExp(`\\n+(?!\\s*${mark})(?:\\s*(?:[-*•]|\\d+[.)])\\s+)?`);
const sentence = /(?<=[\w)\u27e7][.!?;])\s+(?=[A-Z\u27e6])/;
const sameTime = new RegExp(
  `\\s*(?:,|\\s)\\s*(?:and\\s+)(?=(?:also\\s+|please\\s+)?(?:${verbs})\\b)|,\\s+(?=(?:${verbs})\\b)`,
  'i',
);

/** What belongs together over several verbs, before the request is taken apart. */
const joined = [
  // "In a.ts, replace …"
  [
    new RegExp(
      `((?:^|[.;!?\\n]\\s*)in\\s+(?:the\\s+file\\s+)?(?:${mark}|[^\\s,;]+)),\\s+(?=(?:${verbs})\\b)`,
      'gi',
    ),
    '$1 ',
  ],
  // "Find where x is defined and rename it"
  [
    /(\b(?:find|look for|locate|see|search for)\s+(?:where\b|(?:the\s+)?(?:function|symbol|class|variable|constant|type|method)\b)[^.;\n,]*?),?\s+(?:and\s+)?(?:then\s+)?(?=rename\s+(?:it|them|that)\b)/gi,
    '$1 \u2192 ',
  ],
  // "Run the tests and fix what fails"
  [
    /(\b(?:run|execute)\b[^.;\n]*?)[.,;]?\s+(?:and\s+)?(?:then\s+)?(?=(?:fix|repair|correct)\b)/gi,
    '$1 \u2192 ',
  ],
] as const;

/** The rounds of a request, each with the clauses that may be done together: "A and B, then C" is two rounds. */
export function clausesOf(request: string): Clause[][] {
  const masked = mask(request);
  const text = joined.reduce((whole, [from, to]) => whole.replaceAll(from, to), masked.text);
  return text
    .split(sequence)
    .flatMap((part) => part.split(line))
    .flatMap((part) => part.split(sentence))
    .map((round) => round.split(sameTime).flatMap((text) => clauseOf(text, masked)))
    .filter((round) => round.length > 0);
}

function clauseOf(raw: string | undefined, masked: Masked): Clause[] {
  const text = plain(raw ?? '');
  return text === '' ? [] : [{ text, masked, paths: pathsOf(text, masked) }];
}

const plain = (text: string): string =>
  text
    .trim()
    .replace(polite, '')
    .replace(/[\s.!?]+$/, '')
    .trim();

function pathsOf(text: string, masked: Masked): string[] {
  const tokens = text.match(new RegExp(`${mark}|[^\\s,;]+`, 'g')) ?? [];
  const values = tokens.flatMap((token) => {
    const value = valueOf(token, masked).replace(/:\d+(?:-\d+)?$/, '');
    return isPathLike(value) ? [value] : [];
  });
  return [...new Set(values)];
}
