import type { ImageFormat } from '../service/images/image-types.ts';

/** The families of languages that write a picture in the same way. */
export type ReferenceLanguage =
  | 'markdown'
  | 'html'
  | 'vue'
  | 'jsx'
  | 'css'
  | 'latex'
  | 'restructuredtext'
  | 'asciidoc'
  | 'typst'
  | 'org'
  | 'plain';

/**
 * How a document writes pictures.
 * @param languageId As VS Code has it; many languages have one only while an extension for them is there.
 * @param fileExtension With or without its dot, in any case; empty for a document on no disk.
 */
export function languageOf(languageId: string, fileExtension: string): ReferenceLanguage {
  const extension = fileExtension.replace(/^\./u, '').toLowerCase();
  // Often opened as HTML, whose builders do not look for the paths.
  if (extension === 'vue') return 'vue';
  return find(languageIds, languageId) ?? find(extensions, extension) ?? 'plain';
}

/** What the common builders of a language can show; any format for those that are not listed. */
const formats: Partial<Readonly<Record<ReferenceLanguage, readonly ImageFormat[]>>> = {
  latex: ['png', 'jpeg'],
  typst: ['png', 'jpeg'],
};

/** The format to ask for where a document is to show the picture; undefined leaves it to the service. */
export function formatIn(
  language: ReferenceLanguage,
  wanted: ImageFormat | undefined,
): ImageFormat | undefined {
  const shown = formats[language];
  return shown === undefined || (wanted !== undefined && shown.includes(wanted))
    ? wanted
    : shown[0];
}

type Table = readonly (readonly [ReferenceLanguage, readonly string[]])[];

const find = (table: Table, name: string): ReferenceLanguage | undefined =>
  table.find(([, names]) => names.includes(name))?.[0];

const languageIds: Table = [
  ['markdown', ['markdown', 'mdx', 'quarto', 'rmd', 'prompt', 'instructions', 'chatagent']],
  ['html', ['html', 'xhtml', 'svelte', 'astro', 'php', 'blade', 'razor', 'aspnetcorerazor']],
  ['html', ['handlebars', 'mustache', 'twig', 'liquid', 'nunjucks', 'ejs', 'erb', 'html.erb']],
  ['html', ['django-html', 'jinja-html', 'html-eex', 'phoenix-heex', 'jsp', 'ftl', 'gotmpl']],
  ['vue', ['vue', 'vue-html']],
  ['jsx', ['javascriptreact', 'typescriptreact']],
  ['css', ['css', 'scss', 'sass', 'less', 'postcss', 'stylus', 'tailwindcss']],
  ['latex', ['latex', 'tex', 'latex-expl3']],
  ['restructuredtext', ['restructuredtext', 'rst']],
  ['asciidoc', ['asciidoc', 'adoc']],
  ['typst', ['typst', 'typ']],
  ['org', ['org', 'org-mode']],
];

const extensions: Table = [
  ['markdown', ['md', 'markdown', 'mdown', 'mkd', 'mdx', 'qmd', 'rmd', 'mdc']],
  ['html', ['html', 'htm', 'xhtml', 'svelte', 'astro', 'php', 'cshtml', 'razor', 'heex', 'eex']],
  ['html', ['hbs', 'handlebars', 'mustache', 'twig', 'liquid', 'njk', 'ejs', 'erb', 'jinja', 'j2']],
  ['jsx', ['jsx', 'tsx']],
  ['css', ['css', 'scss', 'sass', 'less', 'pcss', 'styl']],
  ['latex', ['tex', 'ltx', 'latex']],
  ['restructuredtext', ['rst', 'rest']],
  ['asciidoc', ['adoc', 'asciidoc', 'asc']],
  ['typst', ['typ']],
  ['org', ['org']],
];
