import { createWordPattern } from './file-edits.ts';

export interface SourceFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Replacement of one line. */
export interface Fix {
  readonly path: string;
  /** Index of the line, from 0. */
  readonly lineIndex: number;
  readonly line: string;
  /** Cause of the error: a sentence without its period. */
  readonly reason: string;
}

/** Matches a number or a boolean in source code. This module can fix only functions that return such a value. */
const valuePattern = String.raw`-?\d+(?:\.\d+)?|true|false`;

/** Patterns for the actual and the expected value in the output of test runners, such as `3 !== 5`. */
const comparisonPatterns: readonly RegExp[] = [
  new RegExp(`(?<got>${valuePattern}) !==? (?<want>${valuePattern})`),
  new RegExp(`expected (?<got>${valuePattern}) to (?:be|equal) (?<want>${valuePattern})`, 'i'),
  new RegExp(
    `expected:? +(?<want>${valuePattern}),?\\s+(?:but )?(?:received|got):? +(?<got>${valuePattern})`,
    'i',
  ),
];

/** Matches a compiler message such as `Cannot find name 'tdie'. Did you mean 'tide'?`. */
const unknownNamePattern =
  /'(?<wrong>[\w$]+)'[^\n]*Did you mean:? (?:to access )?['"`](?<right>[\w$]+)/i;

/**
 * Returns a fix for a misspelled name or a wrong operator that the output reports. Returns undefined if no fix is
 * found.
 */
export function createFix(output: string, sources: readonly SourceFile[]): Fix | undefined {
  const { wrong: unknownName, right: correctName } = unknownNamePattern.exec(output)?.groups ?? {};
  if (unknownName !== undefined && correctName !== undefined)
    return createNameFix(unknownName, correctName, sources);
  const comparisonMatch = comparisonPatterns
    .map((pattern) => pattern.exec(output))
    .find((match) => match !== null);
  const { got: actual = '', want: expected = '' } = comparisonMatch?.groups ?? {};
  return actual === expected ? undefined : createOperatorFix(actual, expected, sources);
}

/** Replaces an unknown name with the name that the compiler suggests. */
function createNameFix(
  unknownName: string,
  correctName: string,
  sources: readonly SourceFile[],
): Fix | undefined {
  for (const { path, lines } of sources) {
    const index = lines.findIndex((line) => createWordPattern(unknownName).test(line));
    if (index < 0) continue;
    const line = lines[index]!.replace(createWordPattern(unknownName), correctName);
    return {
      path,
      lineIndex: index,
      line,
      reason: `\`${unknownName}\` was misspelled; it is called \`${correctName}\``,
    };
  }
  return undefined;
}

const operatorFunctions: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const headerPattern =
  /\bfunction ([\w$]+)\(([^)]*)\)|\bdef (\w+)\(([^)]*)\)|\bconst ([\w$]+) = \(([^)]*)\) =>/;
const resultPattern = /(?:\breturn|=>) ([\w$.]+) ([-+*/<>=]+) ([\w$.]+);?\s*\}?;?$/;

/** Changes the operator of a function such as `return a - b`, so that the function returns the expected value. */
function createOperatorFix(
  actual: string,
  expected: string,
  sources: readonly SourceFile[],
): Fix | undefined {
  const allText = sources.flatMap(({ lines }) => lines).join('\n');
  for (const { path, lines } of sources) {
    for (const [lineIndex, line] of lines.entries()) {
      const [, leftOperand = '', sign = '', rightOperand = ''] = resultPattern.exec(line) ?? [];
      const declaration = lines
        .slice(Math.max(0, lineIndex - 3), lineIndex + 1)
        .findLast((text) => headerPattern.test(text));
      const [name, parameterList] = (headerPattern.exec(declaration ?? '') ?? [])
        .slice(1)
        .filter(Boolean);
      if (name === undefined || operatorFunctions[sign] === undefined) continue;
      const parameters = (parameterList ?? '')
        .split(',')
        .map((parameter) => parameter.replace(/:.*/, '').trim());
      for (const [, argumentList = ''] of allText.matchAll(
        new RegExp(`\\b${name}\\(([-\\d., ]+)\\)`, 'g'),
      )) {
        const argumentValues = argumentList.split(',').map(Number);
        const argumentsByName = new Map(
          argumentValues.map((argument, index) => [parameters[index], argument]),
        );
        const [a = 0, b = 0] = [leftOperand, rightOperand].map(
          (token) => argumentsByName.get(token) ?? Number(token),
        );
        const computeResult = (operator: string): string =>
          String(operatorFunctions[operator]!(a, b));
        const matchingOperators = Object.keys(operatorFunctions).filter(
          (operator) => computeResult(operator) === expected,
        );
        const correctOperator =
          matchingOperators.find((operator) => operator.startsWith(sign)) ?? matchingOperators[0];
        if (computeResult(sign) !== actual || correctOperator === undefined) continue;
        return {
          path,
          lineIndex,
          line: line.replace(
            `${leftOperand} ${sign} ${rightOperand}`,
            `${leftOperand} ${correctOperator} ${rightOperand}`,
          ),
          reason: `\`${name}\` had \`${sign}\` where \`${correctOperator}\` belongs`,
        };
      }
    }
  }
  return undefined;
}
