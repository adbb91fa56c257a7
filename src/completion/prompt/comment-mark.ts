/** What begins a comment up to the end of the line, per language; `//` for the others. */
export const commentMark = (languageId: string): string => marks.get(languageId) ?? '//';

const marks = new Map(
  Object.entries({
    '#': 'python ruby shellscript yaml toml perl perl6 raku r julia elixir makefile cmake dockerfile powershell coffeescript nix gdscript graphql terraform properties crystal nim ignore',
    '--': 'sql lua haskell elm ada vhdl purescript applescript',
    ';': 'clojure lisp scheme racket ini asm',
    '%': 'latex tex erlang matlab prolog bibtex',
    "'": 'vb',
    '"': 'viml vim',
    '!': 'fortran FortranFreeForm',
    REM: 'bat',
  }).flatMap(([mark, languages]) => languages.split(' ').map((language) => [language, mark])),
);
