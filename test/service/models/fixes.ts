import { wordPattern } from './file-edits.ts';

export interface Source {
  readonly path: string;
  readonly lines: readonly string[];
}

/** A replacement of one line. */
export interface Fix {
  readonly path: string;
  /** Index in the lines, from 0. */
  readonly at: number;
  readonly line: string;
  /** The cause, as a sentence without its period. */
  readonly why: string;
}

/** Results of operators, as source code writes them. */
const value = String.raw`-?\d+(?:\.\d+)?|true|false`;

/** Values in the output of test runners. */
const comparisons: readonly RegExp[] = [
  new RegExp(`(?<got>${value}) !==? (?<want>${value})`),
  new RegExp(`expected (?<got>${value}) to (?:be|equal) (?<want>${value})`, 'i'),
  new RegExp(
    `expected:? +(?<want>${value}),?\\s+(?:but )?(?:received|got):? +(?<got>${value})`,
    'i',
  ),
];

/** A message about an unknown name, with the proposal of the compiler. */
const unknownName = /'(?<wrong>[\w$]+)'[^\n]*Did you mean:? (?:to access )?['"`](?<right>[\w$]+)/i;

/** Returns a fix for the cause that the output shows: a misspelled name or a wrong operator. */
export function fixFor(output: string, sources: readonly Source[]): Fix | undefined {
  const { wrong, right } = unknownName.exec(output)?.groups ?? {};
  if (wrong !== undefined && right !== undefined) return nameFix(wrong, right, sources);
  const values = comparisons.map((pattern) => pattern.exec(output)).find((match) => match !== null);
  const { got = '', want = '' } = values?.groups ?? {};
  return got === want ? undefined : operatorFix(got, want, sources);
}

/** Puts the proposed name in the place of an unknown one. */
function nameFix(wrong: string, right: string, sources: readonly Source[]): Fix | undefined {
  for (const { path, lines } of sources) {
    const at = lines.findIndex((line) => wordPattern(wrong).test(line));
    if (at < 0) continue;
    const line = lines[at]!.replace(wordPattern(wrong), right);
    return { path, at, line, why: `\`${wrong}\` was misspelled; it is called \`${right}\`` };
  }
  return undefined;
}

const operators: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const header =
  /\bfunction ([\w$]+)\(([^)]*)\)|\bdef (\w+)\(([^)]*)\)|\bconst ([\w$]+) = \(([^)]*)\) =>/;
const result = /(?:\breturn|=>) ([\w$.]+) ([-+*/<>=]+) ([\w$.]+);?\s*\}?;?$/;

/** Changes the operator of a function such as `return a - b` if another one gives the expected value for a call. */
function operatorFix(got: string, want: string, sources: readonly Source[]): Fix | undefined {
  const all = sources.flatMap(({ lines }) => lines).join('\n');
  for (const { path, lines } of sources) {
    for (const [at, line] of lines.entries()) {
      const [, left = '', sign = '', right = ''] = result.exec(line) ?? [];
      const head = lines.slice(Math.max(0, at - 3), at + 1).findLast((each) => header.test(each));
      const [name, list] = (header.exec(head ?? '') ?? []).slice(1).filter(Boolean);
      if (name === undefined || operators[sign] === undefined) continue;
      const parameters = (list ?? '')
        .split(',')
        .map((parameter) => parameter.replace(/:.*/, '').trim());
      for (const [, given = ''] of all.matchAll(new RegExp(`\\b${name}\\(([-\\d., ]+)\\)`, 'g'))) {
        const values = given.split(',').map(Number);
        const scope = new Map(values.map((argument, index) => [parameters[index], argument]));
        const [a = 0, b = 0] = [left, right].map((token) => scope.get(token) ?? Number(token));
        const valueOf = (operator: string): string => String(operators[operator]!(a, b));
        const fitting = Object.keys(operators).filter((operator) => valueOf(operator) === want);
        const better = fitting.find((operator) => operator.startsWith(sign)) ?? fitting[0];
        if (valueOf(sign) !== got || better === undefined) continue;
        return {
          path,
          at,
          line: line.replace(`${left} ${sign} ${right}`, `${left} ${better} ${right}`),
          why: `\`${name}\` had \`${sign}\` where \`${better}\` belongs`,
        };
      }
    }
  }
  return undefined;
}
