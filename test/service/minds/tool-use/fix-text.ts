import type { Failure } from './failure.ts';
import { type Fix, fixAt, linesAt, type Source } from './fix.ts';
import { definesWord } from './rename-plan.ts';

const isTest = (path: string): boolean => /\btests?\b|\bspec\b|_test\.|test_|\.test\./i.test(path);

/** A value that stands in the source as it came out, where another was expected; what tests expect stays. */
export function textFix(
  { expected, actual, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  if (expected === undefined || actual === undefined) return undefined;
  const own = sources.filter(({ path }) => !isTest(path));
  for (const source of own) {
    for (const line of [...linesAt(places, source), ...source.lines.keys()]) {
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
