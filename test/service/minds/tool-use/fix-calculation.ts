import { evaluate, parseValue } from './expression.ts';
import type { Failure } from './failure.ts';
import type { FileLines } from './file-lines.ts';
import { type Fix, fixAt, linesAt, type Source } from './fix.ts';

const swaps: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '*'],
  '-': ['+', '*', '/'],
  '*': ['+', '/', '-', '**'],
  '/': ['*', '-', '+'],
  '%': ['/', '*'],
  '<': ['<=', '>', '>='],
  '<=': ['<', '>=', '>'],
  '>': ['>=', '<', '<='],
  '>=': ['>', '<=', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
};

/** A function of one expression that gives the expected value when one sign or number in it is another. */
export function calculationFix(
  { expected, actual, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  const [want, got] = [parseValue(expected), parseValue(actual)];
  if (want === undefined || got === undefined) return undefined;
  const calls = sources.flatMap((source) =>
    linesAt(places, source).flatMap((line) => callsIn(source.lines.get(line) ?? '')),
  );
  for (const source of sources) {
    for (const { line, text, name, parameters } of functionsOf(source.lines)) {
      const fitting = calls.filter((call) => call.name === name);
      for (const { args } of fitting) {
        const scope = new Map(parameters.map((parameter, index) => [parameter, args[index]]));
        const found = mutations(text).find(({ code }) => evaluate(code, scope) === want);
        if (found === undefined || evaluate(text, scope) !== got) continue;
        const whole = source.lines.get(line)!;
        return fixAt(
          source,
          line,
          whole.replace(text, () => found.code),
          `\`${name}\` had \`${found.from}\` where \`${found.to}\` belongs`,
        );
      }
    }
  }
  return undefined;
}

function mutations(code: string): { code: string; from: string; to: string }[] {
  const tokens = [...code.matchAll(/===|!==|<=|>=|&&|\|\||\*\*|[-+*/%<>]|\b\d+\b/g)];
  return tokens.flatMap(({ 0: token, index }) => {
    const others = /\d/.test(token)
      ? [String(Number(token) + 1), String(Number(token) - 1)]
      : (swaps[token] ?? []);
    return others.map((to) => ({
      code: code.slice(0, index) + to + code.slice(index + token.length),
      from: token,
      to,
    }));
  });
}

/** Calls with plain values, such as `add(2, 3)`. */
function callsIn(line: string): { name: string; args: unknown[] }[] {
  return [...line.matchAll(/\b([A-Za-z_$][\w$]*)\(([^()]*)\)/g)].map(
    ([, name = '', list = '']) => ({
      name,
      args: list.split(',').map((each) => parseValue(each.trim())),
    }),
  );
}

interface SmallFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Where its value is worked out. */
  readonly line: number;
  readonly text: string;
}

function functionsOf(lines: FileLines): SmallFunction[] {
  return [...lines].flatMap(([line, text]) => {
    const head =
      /\b(?:function\s+|def\s+|func\s+|fn\s+)([\w$]+)\s*\(([^)]*)\)/.exec(text) ??
      /\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?\(?([^)=]*)\)?[^=]*=>/.exec(text);
    if (head === null) return [];
    const [, name = '', list = ''] = head;
    const parameters = list.split(',').map((each) => /[\w$]+/.exec(each)?.[0] ?? '');
    const own = /(?:\breturn\s+|=>\s*(?!\{))([^;{}]+?)\s*[;}]?\s*$/.exec(text)?.[1];
    if (own !== undefined) return [{ name, parameters, line, text: own }];
    for (let next = line + 1; next <= line + 12 && lines.has(next); next++) {
      const found = /^\s*return\s+([^;]+?)\s*;?\s*$/.exec(lines.get(next)!)?.[1];
      if (found !== undefined) return [{ name, parameters, line: next, text: found }];
    }
    return [];
  });
}
