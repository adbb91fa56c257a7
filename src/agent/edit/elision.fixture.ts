/** Lines that are placeholders for omitted text in every edit. */
export const placeholders = String.raw`
<!-- rest of the page -->
// rest of the form
# rest of the script
# Rest of MyClass stays as it was
// ... (rest of component)
// (other handlers omitted)
/* other rules unchanged */
/* remaining styles stay the same */
// ... all other cases stay the same ...
// other imports...
// previous imports
// existing imports
// ... more fields
// more methods here...
# ... more tests below
// [unchanged code]
// <existing code>
// {existing code}
// <snip>
// --- snip ---
// [snip]
# [...]
// [...]
/* [...] */
// ....
// .. rest
// continue as before
// ...continued
// code above unchanged
// code below remains unchanged
// no change
// no changes here
// unchanged from here
// unchanged from original
// leave as is
// leave this as is
// keep this unchanged
// keep as is
// keep everything else the same
// same as original
// same as in the previous version
// as before
// identical to before
// (truncated for brevity)
// shortened for brevity
// ... abbreviated ...
// ... your code here ...
// your existing code here
// your existing logic goes here
// insert existing code here
// existing code remains unchanged
// original code here
// original implementation
// ... original body ...
// same implementation as above
// implementation unchanged
// body unchanged
// function body remains the same
// the rest is the same
// the rest remains unchanged
// the remaining code stays unchanged
// remaining lines unchanged
// lines 12-48 unchanged
// lines 12 to 48 remain the same
// (lines 12–48 omitted)
// 36 lines unchanged
// ... 36 lines omitted ...
// ... 20 more lines ...
// not shown
// (not shown)
// rest not shown
# Other settings remain unchanged
# ... other dependencies ...
# existing configuration
{/* ...other props */}
{/* rest of the JSX */}
{/* existing children */}
{/* Same as before */}
-- remaining columns stay the same
% rest of the document
% unchanged preamble
"""... rest of docstring ..."""
""" (unchanged) """
# ... docstring unchanged ...
# same docstring as before
// ... constructor and other methods ...
// constructor, getters and setters unchanged
// ... getters/setters ...
// ... helper functions remain unchanged ...
// ... (keep existing error handling) ...
// existing error handling
// TODO: rest of the implementation
// TODO: keep the rest of the code
// ... Rest of your code ...
// ...rest
// ... and the rest
// *** rest of file unchanged ***
// === existing code ===
//----- existing code -----
// … unchanged …
// ⋮
⋮
// ⋯
⋯
…
  ...existing code...
{existing code}
<existing code>
[existing code]
[rest of file]
[unchanged]
rest of the file
rest of the code
other functions unchanged
' (unchanged)
' [unchanged]
' unchanged
<rest of the file unchanged>
(unchanged)
(no changes)
... unchanged ...
--- unchanged ---
*** unchanged ***
// restlicher Code
// ... restlicher Code unverändert ...
// ... bestehender Code ...
// unverändert
// Rest bleibt gleich
// ... reste du code ...
// reste inchangé
// ... code existant ...
// inchangé
// ... resto del código ...
// sin cambios
// código existente
// ... código existente ...
// 其余代码不变
// ... 其他代码 ...
// 省略
// 保持不变
// ... 现有代码 ...
// 以下代码不变
// 既存のコード
// ... 残りのコード ...
// 変更なし
// 以下同様
// 以下略
// (中略)
// 기존 코드
// ... 나머지 코드 ...
// остальной код без изменений
// ... существующий код ...
// resto do código
// ... código existente permanece ...
// resto del codice invariato
function foo() { /* unchanged */ }
function foo() { /* ... */ }
function foo() { … }
  render() { /* same as before */ }
const x = { /* existing options */ };
const x = [ /* ... */ ];
switch (x) { /* ... other cases ... */ }
body { /* existing styles */ }
<table><!-- rows unchanged --></table>
def foo(self): # unchanged
def foo(self):  # ... same as before
pass  # unchanged
pass  # existing code
return x; // ... rest of the function
foo(); // ... rest unchanged
...  # rest of the method
... # unchanged
REM rest of the batch file
:: rest of the script
' rest of the code
; rest of the config
! remaining declarations unchanged
.. rest of the document
.\" rest of the page
dnl rest of the configuration
@rem unchanged
NB. rest unchanged
⍝ unchanged
#-- rest of the template
<%-- rest of the page --%>
<%# rest of the view %>
{% comment %} rest of the template {% endcomment %}
{{/* rest of the template */}}
{{! rest of the template }}
(* rest of the module *)
{- rest of the module -}
--[[ rest of the module ]]
; ... (rest of the function)
// . . .
# . . .
// 👇 rest of the code
/* ✂️ unchanged */
"// ...": "rest of config",
"//": "... other scripts ...",
"_comment": "rest of the file unchanged"
// wie bisher
// wie zuvor
// 나머지는 동일
// остальная часть файла без изменений
// Everything else stays exactly the same as before
`
  .trim()
  .split('\n');

/** Lines that are placeholders for omitted text only in an edit that removes more lines than it adds. */
export const placeholdersOfRemovedLines = String.raw`
// Other imports
// etc.
// etc...
// and so on...
// and so on
// (continued)
// (same)
// truncated
// skipping unchanged lines
// skipped
# other dependencies
// all other props
-- other columns
[...]
(...)
<...>
{ ... }
<div>...</div>
<div>…</div>
@comment rest
// handleSubmit unchanged
// handleSubmit() and handleReset() unchanged
# my_function remains the same
"...": "rest of config",
'... existing entries ...',
`
  .trim()
  .split('\n');

/** Lines that contain an ellipsis or typical placeholder words, but are not placeholders. */
export const nonPlaceholders = String.raw`
const [first, ...rest] = items;
  ...rest
  ...props,
  {...props}
  <Foo {...rest} />
  <Foo {...props}>
def f(*args, **kwargs): ...
def f(self) -> None: ...
class Foo(Protocol): ...
x: Callable[..., int]
Tuple[int, ...]
arr[..., 0]
@overload
int printf(const char *fmt, ...);
#define LOG(fmt, ...) printf(fmt, __VA_ARGS__)
template <typename... Args>
func f(args ...int) {
f(args...)
for i in 0..10 {
for i in 0..=10 {
match x { 1...5 => {} }
let Foo { a, .. } = foo;
Foo { a, ..Default::default() }
print("Loading...")
"Loading…",
'Waiting for changes…'
log.info('Processing the rest of the file...')
logger.debug("skipping unchanged file");
// Loading…
// Wait for the remaining requests...
# TODO: handle other cases...
// The rest of the arguments are passed to the command.
// Keep the existing value if nothing changed.
// the existing code path handles this
// unchanged if x is null
// Skip unchanged files
// Skips files that were not modified
// Restores the previous state
// Other imports
// Existing users
// Remaining time in seconds
// Previous value
// same as above but for arrays
// Same as foo() but async
// e.g. 1, 2, 3, ...
// usage: foo [options] <file>...
// https://example.com/...
// See ./.../file.ts
// a...b compares two revisions
git diff main...feature
cd ../..
path/to/.../file
import ... from '...'
---
...
- one
- ...and more
Continue reading...
The rest of this chapter explains the existing code.
Nothing changed.
See the previous section for more.
Everything else stays the same for users of version 1.
<p>And so on…</p>
<li>...</li>
<button>More…</button>
<title>Loading...</title>
placeholder="Search..."
label: 'Open…',
content: "…";
.more::after { content: '...'; }
/* Reset styles */
/* Other */
/* Existing */
/* keep in sync with index.html */
/* unchanged: true */
-- Keep existing rows that have no parent.
-- previous migration
; remaining stack in rcx
% The rest of the proof follows from Lemma 2.
% Remark: other methods exist.
""" Return the rest of the list. """
"""Return the remaining items."""
'''Unchanged values are skipped.'''
## Other changes
## Unchanged
# Other
# Misc
### Rest API
# REST of the world
// REST endpoint
// rest parameters
// rest args
// rest params
// Spread the rest
// More info: https://example.com
// more
// ...because the parser needs it.
// ... and then we close it
// ...otherwise it would leak
// (see above)
// (optional)
// [a, b, c, ...]
// {a, b, ...}
// <T, ...>
// 1, 2, ... n
// x1, ..., xn
// [0, 1, ...]
/* istanbul ignore next */
// eslint-disable-next-line no-existing
// @ts-expect-error existing types
// prettier-ignore
// Copyright (c) 2020 The Authors and others...
// Same order as before
// body of the function
// Types
// helper functions
// other
// keep
// leave
// continue
// end
// no changes were made since the last run
// returns the original implementation of fetch
const snip = '// ... existing code ...';
expect(text).toContain('... rest of code ...');
throw new Error("unchanged");
if (unchanged) return;
return unchanged;
status: unchanged
unchanged: 4
"unchanged"
'unchanged',
case 'existing':
existing code
previous
rest
same
(rest)
[rest]
(same)
[...]
(...args)
(...)
[...items]
[...Array(3)]
[..., -1]
{ ...state }
{ ...state, x }
return { ...rest };
yield from ...
raise NotImplementedError(...)
$ npm install ...
> ...
>>> foo(...)
... print(x)
....
=== 
-----
***
/* ------- */
// ========
// 省略时使用默认值
// 其他用户
// 既存のユーザーを確認する
// 残りの時間を計算する
// Bestehende Nutzer behalten
// Rest der Division
// le reste de la division
// el resto de la división
// остальные пользователи
`
  .slice(1, -1)
  .split('\n');

/** Lines that are placeholders for omitted text only if the line alone replaces several lines. */
export const placeholdersForSeveralLines = String.raw`
// hidden
// collapsed
# folded
/* trimmed */
<!-- cut -->
-- stripped
// clipped
// cropped
// excluded
// see above
// as above
// ditto
// ibid
// blah blah
# yada yada
// your code here
// code goes here
// implementation here
// current implementation
// fill in
// as usual
// not repeated here
// left out
// too long
// cut for length
// ---8<---
// [code]
// [body]
// et cetera
// and so forth
// unaffected
// not touched
// do not touch
// leave alone
// stays
// stays here
// remains
// retained as is
// carry on
// proceed as before
// continues
// cont.
// (cont)
// see original
// refer to original
// (20 lines)
// lines 20-40
// L20-L40
// placeholder
// stub
// prev code
// code above
// code below
// copy the rest
// paste existing code here
// no edits
// equivalent
// not displayed
// not included here
existing code...
# existing keys...
// details omitted
// Add your existing code here
// put the existing code here
- (unchanged)
1. [omitted]
<td>...</td>
<button>...</button>
// condensed
// abridged
`
  .slice(1, -1)
  .split('\n');

/** Lines that are not placeholders in any edit, even one that removes lines. */
export const nonPlaceholdersInAnyEdit = String.raw`
...previous.items,
  ...existing.items,
...rest.props,
...previous[0],
...previous?.items,
...existing, ...rest
[...existing, other]
...(existing as any)
# Skipping existing files...
# remaining items...
# truncated lines end with ...
// ... if unchanged
// ...or the previous one
// ... unless the previous one is older
"""The rest of the line."""
/** The rest of the arguments. */
/** Keep existing files. */
// Keep the existing values.
} else { // unchanged
} else { // same as before
case 'a': // unchanged
<td>...</td>
<button>...</button>
{ "...": "More" }
`
  .slice(1, -1)
  .split('\n');

/** Texts of comments that are placeholders. */
export const placeholderTexts = `
...
…
... rest of code
... rest of code ...
...rest of the file remains unchanged...
... existing code ...
…existing code…
... (unchanged)
... unchanged ...
... lines 20-40 unchanged ...
... keep the rest ...
... same as before
... previous implementation ...
... other methods ...
... remaining imports ...
... 20 more lines ...
... more items ...
[...]
[... omitted for brevity ...]
(... more of the same ...)
(unchanged)
unchanged
[unchanged]
lines 20-40 unchanged
lines 12 to 48 remain the same
36 lines unchanged
keep the rest
Keep the rest of the file as is.
keep as is
leave as is
rest of code
rest of your code
rest of the file
rest of template
rest of the function remains the same
The rest of the class stays the same.
the rest is the same
TODO: rest of the implementation
existing code here
existing imports
your existing code
remaining code unchanged
remaining lines unchanged
code omitted for brevity
omitted for brevity
truncated for brevity
omitted
not shown
snip
[snip]
--- snip ---
no changes below
no changes here
no change
other methods remain unchanged
other functions unchanged
imports unchanged
implementation unchanged
code above unchanged
unchanged from original
same as before
same as original
as before
continue as before
everything else stays the same
`
  .trim()
  .split('\n');
/** Texts of comments that are placeholders in new text only. In an edit, they can be ordinary comments. */
export const placeholderTextsInNewText = `
lines 20-40
Lines 10-40
etc.
Etc.
truncated
Truncated
Truncated.
`
  .trim()
  .split('\n');

/** Comments of the languages in VS Code and of other common languages. `…` stands for the text of the comment. */
export const commentForms = {
  '/* … */': 'a.c a.css a.java a.js a.php a.scss a.sql',
  '/** … */': 'a.java a.ts',
  '/*\n…\n*/': 'a.c a.go',
  '/*\n * …\n */': 'a.cpp a.java',
  '// …':
    'a.bicep a.c a.cs a.dart a.fs a.go a.groovy a.hlsl a.java a.js a.jsonc a.kt a.less a.m a.php a.proto a.pug a.rs a.scala a.scss a.shader a.sol a.swift a.tf a.ts a.v a.vue a.zig',
  '//…': 'a.js',
  '/*! … */': 'a.cpp',
  '/// …': 'a.cs a.rs',
  '//#region …': 'a.ts',
  '//! …': 'a.rs',
  '//- …': 'a.pug',
  '/+ … +/': 'a.d',
  '/ …': 'a.slim',
  '# …':
    '.env .gitignore CMakeLists.txt Dockerfile Makefile a.cmake a.coffee a.ex a.gd a.graphql a.ini a.jl a.m4 a.nim a.nix a.php a.pl a.po a.properties a.ps1 a.py a.r a.rb a.s a.sh a.tcl a.tf a.toml a.yaml',
  '#…': 'a.py',
  '## …': 'a.nim a.py a.r a.vm',
  '### … ###': 'a.coffee',
  '#= … =#': 'a.jl',
  "#' …": 'a.r',
  '#region …': 'a.py',
  '#- … -#': 'a.cr',
  '#* … *#': 'a.vm',
  '#[ … ]#': 'a.nim',
  '#[[ … ]]': 'a.cmake',
  '#| … |#': 'a.lisp',
  '<# … #>': 'a.ps1',
  '=begin\n…\n=end': 'a.rb',
  '<?php // … ?>': 'a.php',
  '-- …': 'a.adb a.applescript a.elm a.hs a.lua a.sql a.vhd',
  '--…': 'a.sql',
  '--[[ … ]]': 'a.lua',
  '--[==[\n…\n]==]': 'a.lua',
  '-# …': 'a.haml',
  '-- | …': 'a.hs',
  '{- … -}': 'a.elm a.hs',
  '{-| … -}': 'a.hs',
  ';;; …': 'a.el',
  '; …': 'a.asm a.clj a.ini a.lisp',
  ';; …': 'a.clj a.el a.wat',
  '(; … ;)': 'a.wat',
  '% …': 'a.erl a.m a.pro',
  '%% …': 'a.erl',
  '%{ … %}': 'a.m',
  '(* … *)': 'a.applescript a.fs a.ml a.pas',
  '{ … }': 'a.pas',
  '<!-- … -->': 'a.astro a.cshtml a.hbs a.html a.svelte a.svg a.vue a.xml a.xsl',
  '<!--…-->': 'a.html',
  '&lt;!-- … --&gt;': 'a.html',
  '<!--\n  …\n-->': 'a.html',
  '<!--- … --->': 'a.cfm',
  '{/* … */}': 'a.astro a.jsx a.tsx',
  '{# … #}': 'a.j2 a.njk a.twig',
  '{#- … -#}': 'a.j2',
  '{* … *}': 'a.tpl',
  '{%- # … -%}': 'a.liquid',
  '{% comment %} … {% endcomment %}': 'a.liquid',
  '{{! … }}': 'a.hbs a.mustache',
  '{{!…}}': 'a.hbs',
  '{{!-- … --}}': 'a.handlebars a.hbs',
  '{{~!-- … --~}}': 'a.hbs',
  '{{-- … --}}': 'a.blade.php',
  '{{/* … */}}': 'a.gotmpl a.tmpl',
  '{{- /* … */ -}}': 'a.tmpl',
  '<%# … %>': 'a.ejs a.erb',
  '<%/* … */%>': 'a.ejs',
  '<%-- … --%>': 'a.aspx a.jsp',
  '<#-- … -->': 'a.ftl',
  '@* … *@': 'a.cshtml a.razor',
  '@*…*@': 'a.cshtml',
  "' …": 'a.bas a.vb',
  '" …': 'a.abap a.vim',
  '" … "': 'a.st',
  'REM …': 'a.bas a.bat a.vb',
  '@REM …': 'a.bat',
  ':: …': 'a.bat a.cmd',
  '! …': 'a.f90 a.properties',
  'C …': 'a.f',
  '* …': 'a.abap a.cbl a.do a.f',
  '* …;': 'a.sas',
  '*> …': 'a.cob',
  'dnl …': 'a.m4 configure.ac',
  '.\\" …': 'a.1',
  '\'\\" …': 'a.1',
  '@ …': 'a.s',
  '@c …': 'a.texi',
  'NB. …': 'a.ijs',
  '⍝ …': 'a.apl',
} as const;
/** Comment notations of text formats such as Markdown. Outside comments, an ellipsis in such text is ordinary. */
export const proseCommentForms = {
  '<!-- … -->': 'a.md',
  '[//]: # (…)': 'a.md',
  '[comment]: # (…)': 'a.md',
  '{/* … */}': 'a.mdx',
  '% …': 'a.bib a.tex',
  '\\begin{comment}\n…\n\\end{comment}': 'a.tex',
  '.. …': 'a.rst',
  '// …': 'a.adoc',
  '# …': 'a.org',
  '###. …': 'a.textile',
} as const;
