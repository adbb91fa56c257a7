/**
 * The line of `replace` that stands for text it leaves out (`// ... existing code ...`): written to a file, it would
 * be all that is left of that text. A line that the search has too is the file's own.
 */
export function elisionIn(search: string, replace: string): string | undefined {
  const own = new Set(search.split('\n').map((line) => line.trim()));
  return replace.split('\n').find((line) => isElision(line) && !own.has(line.trim()));
}

const comment =
  /^(?:\/\/+|#+|--|;+|%|\/\*+|<!--|\{\/\*|\*|"""|''')\s*(?<said>.*?)\s*(?:\*\/\}?|-->|"""|''')?$/u;
const dotsFirst = /^[[(<]?(?:\.{3,}|…)/u;
const onlyDots = /^(?:\.{3,}|…)$/u;
const leftOut =
  /\b(?:existing|rest|remaining|remainder|unchanged|previous|same|others?|omitted|snip|skipped|truncated|more|continues?|keep|before|code|here)\b/iu;
const thing =
  '(?:code|files?|functions?|methods?|class(?:es)?|contents?|components?|implementation|body|module|imports?|styles?|tests?|logic|lines|section)';
const tail =
  '(?: (?:is|are|remains?|stays?|goes|follows?|continues|here|there|below|above|unchanged|omitted|the same|as is|as before|for brevity))*';
const phrases = [
  `(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*(?:\\w+ ){0,2}${thing}${tail}`,
  `(?:keep )?(?:the |all |your )?(?:existing|unchanged|remaining|previous|other) (?:\\w+ ){0,2}${thing}${tail}`,
  `(?:code |everything else )?(?:is |remains? |stays? )?(?:unchanged|omitted|as before)(?: for brevity)?`,
];
const wholePhrase = new RegExp(`^[[(<]?(?:${phrases.join('|')})[\\]).>:…]*$`, 'iu');
const uncommented =
  /^[[(<]?(?:\.{3}|…)\s*(?:existing|rest of|remaining|unchanged|previous) [\w ]{0,40}(?:\.{3}|…)?[\])>]?$/iu;

function isElision(line: string): boolean {
  const trimmed = line.trim();
  // Longer ones say something.
  if (trimmed === '' || trimmed.length > 120) return false;
  const said = comment.exec(trimmed)?.groups?.['said'];
  if (said === undefined) return uncommented.test(trimmed);
  return (
    onlyDots.test(said) || (dotsFirst.test(said) && leftOut.test(said)) || wholePhrase.test(said)
  );
}
