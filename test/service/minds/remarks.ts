import type { Code } from './code-reading.ts';

export interface Remark {
  readonly line: number;
  readonly text: string;
}

const smells: readonly {
  readonly pattern: RegExp;
  /** Not when one of the three lines before says this. */
  readonly unless?: RegExp;
  readonly text: string;
}[] = [
  { pattern: /\bTODO\b|\bFIXME\b/, text: 'an open `TODO` says something is unfinished.' },
  {
    pattern: /:\s*any\b|\bas any\b/,
    text: '`any` switches type checking off; a precise type costs one line.',
  },
  { pattern: /catch\s*(?:\(\w*\))?\s*\{\s*\}/, text: 'errors are swallowed silently here.' },
  {
    pattern: /except\s*:|except Exception\s*:/,
    text: 'a bare `except` also hides mistakes in the code itself.',
  },
  { pattern: /\bvar\s/, text: '`var` is function-scoped; `const` or `let` says more.' },
  { pattern: /[^=!]==[^=]/, text: '`==` converts its operands; `===` compares what you wrote.' },
  {
    pattern: /console\.log|\bprint\(|println!/,
    text: 'output meant for debugging is still in place.',
  },
  {
    pattern: /JSON\.parse\(/,
    unless: /\btry\b/,
    text: '`JSON.parse` throws on bad input, and nothing catches it here.',
  },
  {
    pattern: /\bawait\b(?!.*catch)/,
    unless: /\btry\b/,
    text: 'a rejected promise leaves this function; decide who handles it.',
  },
  { pattern: /\[0\]|\.at\(-1\)/, text: 'the list may be empty, and then this is `undefined`.' },
  { pattern: /\/\s*\w+\.length|\/ len\(/, text: 'an empty list makes this a division by zero.' },
  { pattern: /<=\s*\w+\.length/, text: '`<=` runs one step past the end of the list.' },
  {
    pattern: /Number\(|parseInt\(|parseFloat\(/,
    text: 'text that is not a number becomes `NaN` without a word.',
  },
];

/** What a reviewer would point at, at most one remark of each kind. */
export function remarksOn({ text }: Code): Remark[] {
  const lines = text.split('\n');
  return smells.flatMap(({ pattern, unless, text: remark }) => {
    const index = lines.findIndex(
      (line, at) =>
        pattern.test(line) && !unless?.test(lines.slice(Math.max(0, at - 3), at).join('\n')),
    );
    return index < 0 ? [] : [{ line: index + 1, text: remark }];
  });
}
