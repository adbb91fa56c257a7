/** Image to format. Each text is a single line. An absent text is an empty string. */
export interface PlainImage {
  readonly path: string;
  readonly alt: string;
  readonly title: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/**
 * Encodes a path for a URL. Letters and digits of all scripts stay readable. Special characters of URLs, quotes,
 * brackets and template characters are percent-encoded. The result therefore contains no code and cannot refer to
 * another host.
 * @param path names separated by `/`: a relative path, an absolute path, or a Windows path
 */
export function encodePath(path: string): string {
  const { drive, isAbsolute, names } = splitPath(path);
  const start = drive === undefined ? (isAbsolute ? '/' : '') : `file:///${drive}/`;
  return start + names.map(encodeName).join('/');
}

/**
 * Returns a path for document languages that do not decode URLs. Removes line breaks and hidden characters. Puts `./`
 * before a relative path whose first name contains a colon, so that this name is not read as a URL scheme.
 */
export function toLiteralPath(path: string): string {
  const { drive = '', isAbsolute, names } = splitPath(path);
  const visiblePath = names.map(removeInvisibleCharacters).join('/');
  if (isAbsolute) return `${drive}/${visiblePath}`;
  return visiblePath.split('/', 1)[0]?.includes(':') ? `./${visiblePath}` : visiblePath;
}

interface PathParts {
  /** Drive letter of a Windows path with the colon, such as `C:`. */
  readonly drive?: string;
  readonly isAbsolute: boolean;
  /**
   * Names of the folders and the file, none of them empty. An empty first name would make the URL refer to another
   * host.
   */
  readonly names: readonly string[];
}

function splitPath(path: string): PathParts {
  const [start, drive] = /^\/?([a-z]:)[\\/]/iu.exec(path) ?? [];
  if (start === undefined || drive === undefined) {
    return { isAbsolute: path.startsWith('/'), names: path.split('/').filter(isNonEmpty) };
  }
  const names = path.slice(start.length).split(/[\\/]/u).filter(isNonEmpty);
  return { drive, isAbsolute: true, names };
}

const isNonEmpty = (name: string): boolean => name !== '';

const removeInvisibleCharacters = (name: string): string =>
  name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

const encodeName = (name: string): string =>
  name.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{Nd}._~-]/gu, percentEncodeCharacter);

/** Percent-encodes any character, including those that `encodeURIComponent` leaves unchanged. */
const percentEncodeCharacter = (character: string): string =>
  character < '\u0080'
    ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    : encodeURIComponent(character);

/** Formats an image for Markdown and its variants, including MDX. */
export function formatMarkdownImage({ path, alt, title }: PlainImage): string {
  const titlePart = title === '' ? '' : ` "${escapeMarkdown(title)}"`;
  return `![${escapeMarkdown(alt)}](${encodePath(path)}${titlePart})`;
}

/** Formats an image for HTML and HTML templates. */
export const formatHtmlImage = (image: PlainImage): string =>
  `<img ${formatHtmlAttributes(image)}>`;

/** Formats an image for Vue. Vue's build tools resolve a relative path only if it starts with a dot. */
export const formatVueImage = (image: PlainImage): string =>
  `<img ${formatHtmlAttributes(image, /^(?:\.{0,2}|\/?[a-z]:)[\\/]/iu.test(image.path) ? '' : './')} />`;

export function formatJsxImage({ path, alt, title, width, height }: PlainImage): string {
  const attributes = [
    formatAttribute('src', encodePath(path)),
    formatAttribute('alt', alt),
    title === '' ? '' : formatAttribute('title', title),
    width === undefined ? '' : `width={${width}}`,
    height === undefined ? '' : `height={${height}}`,
  ];
  return `<img ${attributes.filter((attribute) => attribute !== '').join(' ')} />`;
}

/** Formats an image as a property value for CSS, SCSS and Less. */
export const formatCssUrl = ({ path }: PlainImage): string => `url("${encodePath(path)}")`;

function formatHtmlAttributes(
  { path, alt, title, width, height }: PlainImage,
  prefix = '',
): string {
  const attributes = [
    formatAttribute('src', `${prefix}${encodePath(path)}`),
    formatAttribute('alt', alt),
    title === '' ? '' : formatAttribute('title', title),
    width === undefined ? '' : formatAttribute('width', String(width)),
    height === undefined ? '' : formatAttribute('height', String(height)),
  ];
  return attributes.filter((attribute) => attribute !== '').join(' ');
}

const formatAttribute = (name: string, value: string): string =>
  `${name}="${escapeAttribute(value)}"`;

/**
 * Escapes characters that could end an attribute or start template code: quotes, angle brackets, braces, at signs and
 * backticks. Also escapes the end of a block comment, which JSX allows between attributes.
 */
const escapeAttribute = (text: string): string =>
  text
    .replaceAll(
      /[&<>"'{}@`]/gu,
      (character) => charactersByName[character] ?? `&#${character.charCodeAt(0)};`,
    )
    .replaceAll('*/', '*&#47;');

const charactersByName: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Escapes the special characters of CommonMark, MDX and common extensions (tables, formulas, citations). Backticks
 * become entities, because R Markdown runs inline code before it processes backslashes.
 */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\*_{}[\]<>|$~^@"]/gu, String.raw`\$&`)
    .replaceAll('`', '&#96;');

/** Formats an image for LaTeX, with the width of the text column. The key `alt` requires LaTeX 2021 or later. */
export function formatLatexImage({ path, alt }: PlainImage): string {
  const altOption = alt === '' ? '' : `,alt={${escapeLatex(alt)}}`;
  return String.raw`\includegraphics[width=\linewidth${altOption}]{${escapeLatexPath(toLiteralPath(path))}}`;
}

/**
 * Formats an image as a reStructuredText directive. Escapes only the path, because the text of directive options is
 * literal.
 */
export function formatRstImage({ path, alt }: PlainImage): string {
  const escapedPath = toLiteralPath(path).replaceAll(/[\s\\]/gu, '\\$&');
  return [`.. image:: ${escapedPath}`, ...(alt === '' ? [] : [`   :alt: ${alt}`])].join('\n');
}

/** Formats an image for AsciiDoc. Percent-encodes all special characters of the path except spaces. */
export function formatAsciidocImage({ path, alt, title, width, height }: PlainImage): string {
  const encodedPath = encodePath(path).replaceAll('%20', ' ');
  const attributes = [
    alt === '' ? '' : `"${escapeAsciidoc(alt)}"`,
    width === undefined ? '' : String(width),
    height === undefined ? '' : String(height),
    title === '' ? '' : `title="${escapeAsciidoc(title)}"`,
  ];
  return `image::${encodedPath}[${attributes.join(',').replace(/,+$/u, '')}]`;
}

export function formatTypstImage({ path, alt }: PlainImage): string {
  const altOption = alt === '' ? '' : `, alt: "${escapeTypst(alt)}"`;
  return `#image("${escapeTypst(toLiteralPath(path))}"${altOption})`;
}

export function formatOrgImage({ path, alt }: PlainImage): string {
  const link = `[[file:${escapeOrg(toLiteralPath(path))}]]`;
  // Removes colons before a word, which would start another attribute, and shortens three or more braces, which would start
  // a macro.
  const escapedAlt = alt.replaceAll(/(?<=^| ):+(?=[\w-])/gu, '').replaceAll(/\{{3,}/gu, '{{');
  return escapedAlt === '' ? link : `#+ATTR_HTML: :alt ${escapedAlt}\n${link}`;
}

const escapeLatex = (text: string): string =>
  text.replaceAll(/[\\{}$&#^_~%]/gu, (character) => latexText[character] ?? `\\${character}`);

const latexText: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '^': String.raw`\textasciicircum{}`,
  '~': String.raw`\textasciitilde{}`,
};

/**
 * Escapes the characters that end a file name or start a command in LaTeX. Puts `\string` before a caret, because two
 * consecutive carets start a character code.
 */
const escapeLatexPath = (path: string): string =>
  path
    .replaceAll(/[\\{}#%]/gu, (character) => latexText[character] ?? `\\${character}`)
    .replaceAll('^', String.raw`\string^`);

/**
 * Escapes characters that end an AsciiDoc attribute list, start markup or attribute references, or escape the closing
 * quote.
 */
const escapeAsciidoc = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\[\]{}<>]/gu, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('"', String.raw`\"`);

const escapeTypst = (text: string): string => text.replaceAll(/[\\"]/gu, '\\$&');

/** Escapes brackets in a path for Org mode, and each backslash that would escape a bracket or the end of the link. */
const escapeOrg = (path: string): string =>
  path.replaceAll(/\\(?=\\*(?:[[\]]|$))/gu, '\\\\').replaceAll(/[[\]]/gu, '\\$&');
