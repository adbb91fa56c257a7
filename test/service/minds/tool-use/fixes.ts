import type { LineChange } from './edit-plan.ts';
import type { Failure, Place } from './failure.ts';
import type { FileLines } from './file-lines.ts';
import { evaluate, parseValue } from './expression.ts';
import { definesWord, wordOf } from './rename-plan.ts';

export interface Source {
  readonly path: string;
  readonly lines: FileLines;
}

export interface Fix {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly change: LineChange;
  /** What was wrong, as a sentence. */
  readonly why: string;
}

/** The first of the obvious fixes that explains the failure; none is made up. */
export function fixFor(failure: Failure, sources: readonly Source[]): Fix | undefined {
  return renamed(failure, sources) ?? recalculated(failure, sources) ?? reworded(failure, sources);
}

const isTest = (path: string): boolean => /\btests?\b|\bspec\b|_test\.|test_|\.test\./i.test(path);

const at = (places: readonly Place[], { path }: Source): number[] =>
  places.filter((place) => samePath(place.path, path)).map(({ line }) => line);

const samePath = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

const fixAt = (source: Source, line: number, text: string, why: string): Fix => ({
  path: source.path,
  line,
  change: (current, number) => (number === line ? text : current),
  why,
});

/** A misspelt name: the one that was proposed, else the nearest in the file. */
function renamed(
  { unknownName, proposal, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  if (unknownName === undefined) return undefined;
  for (const source of sources) {
    const right = proposal ?? nearest(unknownName, source.lines, sources);
    const lines = [...at(places, source), ...source.lines.keys()];
    const line = lines.find((each) => wordOf(unknownName).test(source.lines.get(each) ?? ''));
    if (right === undefined || line === undefined) continue;
    const text = source.lines.get(line)!.replace(wordOf(unknownName), right);
    return fixAt(source, line, text, `\`${unknownName}\` was misspelt; it is called \`${right}\``);
  }
  return undefined;
}

function nearest(name: string, lines: FileLines, sources: readonly Source[]): string | undefined {
  const texts = [[...lines.values()], ...sources.map((each) => [...each.lines.values()])].flat();
  const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  words.delete(name);
  const [best] = [...words]
    .map((word) => ({ word, far: distance(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ far }) => far <= Math.min(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.far - b.far);
  return best?.word;
}

/** Letters to change, add or take away. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}

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
function recalculated(
  { expected, actual, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  const [want, got] = [parseValue(expected), parseValue(actual)];
  if (want === undefined || got === undefined) return undefined;
  const calls = sources.flatMap((source) =>
    at(places, source).flatMap((line) => callsIn(source.lines.get(line) ?? '')),
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

/** A value that stands in the source as it came out, where another was expected; what tests expect stays. */
function reworded(
  { expected, actual, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  if (expected === undefined || actual === undefined) return undefined;
  const own = [
    ...sources.filter(({ path }) => !isTest(path)),
    ...sources.filter(({ path }) => isTest(path) && places.length === 1),
  ];
  for (const source of own) {
    for (const line of [...at(places, source), ...source.lines.keys()]) {
      const text = source.lines.get(line) ?? '';
      const changed = withValue(text, actual, expected);
      if (changed !== undefined)
        return fixAt(
          source,
          line,
          changed,
          `it said \`${actual}\` where \`${expected}\` was expected`,
        );
    }
  }
  return undefined;
}

function withValue(text: string, actual: string, expected: string): string | undefined {
  const [inner, wanted] = [actual, expected].map((each) => /^(['"])(.*)\1$/.exec(each)?.[2]);
  if (inner === undefined || wanted === undefined) {
    if (!/\w/.test(actual) || definesWord(actual).test(text)) return undefined;
    const pattern = new RegExp(
      `(?<![\\w.])${actual.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.])`,
    );
    return pattern.test(text) ? text.replace(pattern, () => expected) : undefined;
  }
  if (inner === '') return undefined;
  if (text.includes(inner)) return text.replace(inner, () => wanted);
  return differing(text, inner, wanted);
}

/** The word that differs, replaced where the line has it between quotes: parts of a longer text may be put in. */
function differing(text: string, inner: string, wanted: string): string | undefined {
  const [was, is] = [inner.split(/(?<=\W)|(?=\W)/), wanted.split(/(?<=\W)|(?=\W)/)];
  if (was.length !== is.length) return undefined;
  const places = was.flatMap((word, index) => (word === is[index] ? [] : [index]));
  const [place] = places;
  if (places.length !== 1 || place === undefined || !/\w{2}|\W/.test(was[place]!)) return undefined;
  const pattern = /(['"`])((?:\\.|(?!\1).)*)\1/g;
  let done = false;
  const changed = text.replace(pattern, (whole) => {
    if (done || !whole.includes(was[place]!)) return whole;
    done = true;
    return whole.replace(was[place]!, () => is[place]!);
  });
  return done ? changed : undefined;
}
