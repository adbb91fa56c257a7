import { toSingleLine } from '../base/hidden-characters.ts';
import {
  formatAsciidocImage,
  formatHtmlImage,
  formatJsxImage,
  formatLatexImage,
  toLiteralPath,
  formatMarkdownImage,
  formatOrgImage,
  type PlainImage,
  formatRstImage,
  formatCssUrl,
  formatTypstImage,
  formatVueImage,
} from './markup.ts';
import type { ImageFormat } from '../service/images/image-types.ts';

/** Syntaxes of images in documents. A syntax can apply to several languages. */
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
 * Returns the syntax for images in a document.
 * @param languageId VS Code's language id. Often `plaintext`, unless an extension for the language is installed.
 * @param fileExtension file extension in uppercase or lowercase, with or without the dot; empty for an unsaved document
 */
export function getReferenceLanguage(languageId: string, fileExtension: string): ReferenceLanguage {
  const extension = fileExtension.replace(/^\./u, '').toLowerCase();
  // Vue files are often opened as HTML, but Vue's build tools resolve paths differently.
  if (extension === 'vue') return 'vue';
  return (
    findLanguage(languagesById, languageId) ??
    findLanguage(languagesByExtension, extension) ??
    'plain'
  );
}

/**
 * Image formats that the common build tools of a document language support. A language without an entry supports all
 * formats.
 */
const supportedFormats: Partial<Readonly<Record<ReferenceLanguage, readonly ImageFormat[]>>> = {
  latex: ['png', 'jpeg'],
  typst: ['png', 'jpeg'],
};

/**
 * Returns the image format to request for a document: the requested format if the document's language supports it,
 * otherwise a supported format. Returns undefined if the service may choose the format.
 */
export function chooseSupportedFormat(
  language: ReferenceLanguage,
  requestedFormat: ImageFormat | undefined,
): ImageFormat | undefined {
  const formats = supportedFormats[language];
  return formats === undefined ||
    (requestedFormat !== undefined && formats.includes(requestedFormat))
    ? requestedFormat
    : formats[0];
}

type LanguageTable = readonly (readonly [ReferenceLanguage, readonly string[]])[];

const findLanguage = (table: LanguageTable, name: string): ReferenceLanguage | undefined =>
  table.find(([, names]) => names.includes(name))?.[0];

const languagesById: LanguageTable = [
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

const languagesByExtension: LanguageTable = [
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

/** Image to insert as a reference into a document. */
export interface ReferencedImage {
  /**
   * Path with `/` as separator, without URL encoding. Relative to the document's folder if possible, otherwise
   * absolute.
   */
  readonly path: string;
  /** Alternative text, such as a prompt. Empty for a decorative image. */
  readonly alt: string;
  readonly title?: string;
  /** Width of the image in pixels. */
  readonly width?: number;
  readonly height?: number;
}

export interface ImageReference {
  readonly text: string;
  /** True if the reference must be a separate block, with no other text on its lines. */
  readonly needsOwnLine: boolean;
}

/**
 * Returns the markup that shows an image in a document, with `\n` as line break. Escapes the path and texts, so that
 * they cannot end the markup or run as code in the document's language or in common template languages for it.
 */
export function formatImageReference(
  language: ReferenceLanguage,
  { path, alt, title, width, height }: ReferencedImage,
): ImageReference {
  const image = {
    path,
    alt: toSingleLine(alt),
    title: toSingleLine(title ?? ''),
    width: omitInvalidLength(width),
    height: omitInvalidLength(height),
  };
  const { format, needsOwnLine } = referenceFormats[language];
  return { text: format(image), needsOwnLine };
}

interface ReferenceFormat {
  readonly format: (image: PlainImage) => string;
  readonly needsOwnLine: boolean;
}

const referenceFormats: Readonly<Record<ReferenceLanguage, ReferenceFormat>> = {
  markdown: { format: formatMarkdownImage, needsOwnLine: false },
  html: { format: formatHtmlImage, needsOwnLine: false },
  vue: { format: formatVueImage, needsOwnLine: false },
  jsx: { format: formatJsxImage, needsOwnLine: false },
  css: { format: formatCssUrl, needsOwnLine: false },
  latex: { format: formatLatexImage, needsOwnLine: false },
  restructuredtext: { format: formatRstImage, needsOwnLine: true },
  asciidoc: { format: formatAsciidocImage, needsOwnLine: true },
  typst: { format: formatTypstImage, needsOwnLine: true },
  org: { format: formatOrgImage, needsOwnLine: true },
  plain: { format: ({ path }) => toLiteralPath(path), needsOwnLine: false },
};

const omitInvalidLength = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) && (value ?? 0) > 0 ? value : undefined;
