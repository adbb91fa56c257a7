import { languageOf } from '../language/language.ts';

/** What makes a line a comment, before and behind it; both empty where there are no comments. */
export function commentMarks(languageId: string): readonly [before: string, after: string] {
  const mark = marks.get(languageId);
  if (mark !== undefined) return [`${mark} `, ''];
  const { lineComments, blockComments } = languageOf(languageId);
  const [line] = lineComments;
  if (line !== undefined) return [`${line} `, ''];
  const [block] = blockComments;
  return block === undefined ? ['', ''] : [`${block[0]} `, ` ${block[1]}`];
}

/** Languages whose scopes are like those of others, but not their comments. */
const marks = new Map(
  Object.entries({
    '#': 'ruby toml perl perl6 raku r julia elixir cmake dockerfile dockercompose powershell coffeescript nix gdscript graphql terraform properties crystal nim ignore',
    '--': 'sql lua haskell elm ada vhdl purescript applescript',
    ';': 'clojure lisp scheme racket ini asm',
    '%': 'latex tex erlang matlab prolog bibtex',
    "'": 'vb',
    '"': 'viml vim',
    '!': 'fortran FortranFreeForm',
    REM: 'bat',
  }).flatMap(([mark, languages]) =>
    languages.split(' ').map((language) => [language, mark] as const),
  ),
);
