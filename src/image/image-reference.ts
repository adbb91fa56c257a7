import { oneLine } from '../base/hidden-characters.ts';
import {
  asciidocImage,
  htmlImage,
  jsxImage,
  latexImage,
  literalPath,
  markdownImage,
  orgImage,
  type PlainImage,
  restImage,
  styleUrl,
  typstImage,
  vueImage,
} from './markup.ts';
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
export function referenceLanguage(languageId: string, fileExtension: string): ReferenceLanguage {
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
export function supportedFormat(
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

/** A picture as a document refers to it. */
export interface ReferencedImage {
  /** From the document's folder, with `/` between its names, and nothing encoded; else the whole path of the file. */
  readonly path: string;
  /** What the picture shows; anything, such as a prompt. Empty for a picture that only decorates. */
  readonly alt: string;
  readonly title?: string;
  /** In pixels. */
  readonly width?: number;
  readonly height?: number;
}

export interface ImageReference {
  readonly text: string;
  /** Whether nothing else may stand on its lines. */
  readonly needsOwnLine: boolean;
}

/**
 * What to write into a document to show a picture. Neither the path nor the texts can end what they stand in, or
 * become code of the language or of the common templates for it. The lines of a text are divided by line feeds.
 */
export function imageReference(
  language: ReferenceLanguage,
  { path, alt, title, width, height }: ReferencedImage,
): ImageReference {
  const image = {
    path,
    alt: oneLine(alt),
    title: oneLine(title ?? ''),
    width: pixels(width),
    height: pixels(height),
  };
  const { write, ownLine } = languages[language];
  return { text: write(image), needsOwnLine: ownLine };
}

interface Form {
  readonly write: (image: PlainImage) => string;
  readonly ownLine: boolean;
}

const languages: Readonly<Record<ReferenceLanguage, Form>> = {
  markdown: { write: markdownImage, ownLine: false },
  html: { write: htmlImage, ownLine: false },
  vue: { write: vueImage, ownLine: false },
  jsx: { write: jsxImage, ownLine: false },
  css: { write: styleUrl, ownLine: false },
  latex: { write: latexImage, ownLine: false },
  restructuredtext: { write: restImage, ownLine: true },
  asciidoc: { write: asciidocImage, ownLine: true },
  typst: { write: typstImage, ownLine: true },
  org: { write: orgImage, ownLine: true },
  plain: { write: ({ path }) => literalPath(path), ownLine: false },
};

const pixels = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) && (value ?? 0) > 0 ? value : undefined;
