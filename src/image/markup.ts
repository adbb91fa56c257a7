/** Image whose texts contain no line breaks. Absent texts are empty. */
export interface PlainImage {
  readonly path: string;
  readonly alt: string;
  readonly title: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/**
 * Encodes a path for a URL. Letters and digits of all scripts stay readable. Percent-encodes
 * characters that are special in URLs, quotes, brackets or templates, so that the result contains
 * no code and leads to no other host.
 * @param path Names separated by `/`: a relative path, or an absolute path, also of Windows.
 */
export function encodePath(path: string): string {
  const { drive, isAbsolute, names } = partsOf(path);
  const start = drive === undefined ? (isAbsolute ? '/' : '') : `file:///${drive}/`;
  return start + names.map(encodeName).join('/');
}

/**
 * Returns an unencoded path without line breaks and hidden characters. Prevents a relative path
 * from beginning with a scheme.
 */
export function literalPath(path: string): string {
  const { drive = '', isAbsolute, names } = partsOf(path);
  const plain = names.map(visibleName).join('/');
  if (isAbsolute) return `${drive}/${plain}`;
  return plain.split('/', 1)[0]?.includes(':') ? `./${plain}` : plain;
}

interface PathParts {
  /** Drive such as `C:`, for a path on Windows. */
  readonly drive?: string;
  readonly isAbsolute: boolean;
  /** Path segments. None is empty, since an empty first segment would name another host. */
  readonly names: readonly string[];
}

function partsOf(path: string): PathParts {
  const [start, drive] = /^\/?([a-z]:)[\\/]/iu.exec(path) ?? [];
  if (start === undefined || drive === undefined) {
    return { isAbsolute: path.startsWith('/'), names: path.split('/').filter(isName) };
  }
  const names = path.slice(start.length).split(/[\\/]/u).filter(isName);
  return { drive, isAbsolute: true, names };
}

const isName = (name: string): boolean => name !== '';

const visibleName = (name: string): string =>
  name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

const encodeName = (name: string): string =>
  name.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{Nd}._~-]/gu, percentEncode);

/** Percent-encodes a character, including those that `encodeURIComponent` leaves out. */
const percentEncode = (character: string): string =>
  character < '\u0080'
    ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    : encodeURIComponent(character);

/** Formats an image for Markdown in all its variants, including MDX. */
export function markdownImage({ path, alt, title }: PlainImage): string {
  const titlePart = title === '' ? '' : ` "${escapeMarkdown(title)}"`;
  return `![${escapeMarkdown(alt)}](${encodePath(path)}${titlePart})`;
}

/** Formats an image for HTML and HTML templates. */
export const htmlImage = (image: PlainImage): string => `<img ${htmlAttributes(image)}>`;

/** Formats an image for Vue, whose build tools resolve a path only if it begins with a dot. */
export const vueImage = (image: PlainImage): string =>
  `<img ${htmlAttributes(image, /^(?:\.{0,2}|\/?[a-z]:)[\\/]/iu.test(image.path) ? '' : './')} />`;

export function jsxImage({ path, alt, title, width, height }: PlainImage): string {
  const attributes = [
    attribute('src', encodePath(path)),
    attribute('alt', alt),
    title === '' ? '' : attribute('title', title),
    width === undefined ? '' : `width={${width}}`,
    height === undefined ? '' : `height={${height}}`,
  ];
  return `<img ${attributes.filter((attribute) => attribute !== '').join(' ')} />`;
}

/** Formats a property value for CSS, SCSS and Less. */
export const styleUrl = ({ path }: PlainImage): string => `url("${encodePath(path)}")`;

function htmlAttributes({ path, alt, title, width, height }: PlainImage, prefix = ''): string {
  const attributes = [
    attribute('src', `${prefix}${encodePath(path)}`),
    attribute('alt', alt),
    title === '' ? '' : attribute('title', title),
    width === undefined ? '' : attribute('width', String(width)),
    height === undefined ? '' : attribute('height', String(height)),
  ];
  return attributes.filter((attribute) => attribute !== '').join(' ');
}

const attribute = (name: string, value: string): string => `${name}="${escapeAttribute(value)}"`;

/**
 * Escapes quotes and angle brackets, which end markup; braces, at signs and backticks, which begin
 * code in templates; and the end of a comment around JSX.
 */
const escapeAttribute = (text: string): string =>
  text
    .replaceAll(/[&<>"'{}@`]/gu, (character) => named[character] ?? `&#${character.charCodeAt(0)};`)
    .replaceAll('*/', '*&#47;');

const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Escapes the special characters of CommonMark, its extensions for tables, formulas and citations,
 * and MDX. Backticks become entities, since R Markdown runs code between them before it handles
 * backslashes.
 */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\*_{}[\]<>|$~^@"]/gu, String.raw`\$&`)
    .replaceAll('`', '&#96;');

/** Formats an image at text width. LaTeX supports the key `alt` since 2021. */
export function latexImage({ path, alt }: PlainImage): string {
  const described = alt === '' ? '' : `,alt={${escapeLatex(alt)}}`;
  return String.raw`\includegraphics[width=\linewidth${described}]{${escapeLatexPath(literalPath(path))}}`;
}

/**
 * Formats a reStructuredText directive. Escapes its arguments, which are separated by whitespace.
 * Its options are literal.
 */
export function restImage({ path, alt }: PlainImage): string {
  const address = literalPath(path).replaceAll(/[\s\\]/gu, '\\$&');
  return [`.. image:: ${address}`, ...(alt === '' ? [] : [`   :alt: ${alt}`])].join('\n');
}

/** Formats an image for AsciiDoc. Percent-encodes the path except for spaces. */
export function asciidocImage({ path, alt, title, width, height }: PlainImage): string {
  const address = encodePath(path).replaceAll('%20', ' ');
  const attributes = [
    alt === '' ? '' : `"${escapeAsciidoc(alt)}"`,
    width === undefined ? '' : String(width),
    height === undefined ? '' : String(height),
    title === '' ? '' : `title="${escapeAsciidoc(title)}"`,
  ];
  return `image::${address}[${attributes.join(',').replace(/,+$/u, '')}]`;
}

export function typstImage({ path, alt }: PlainImage): string {
  const described = alt === '' ? '' : `, alt: "${escapeTypst(alt)}"`;
  return `#image("${escapeTypst(literalPath(path))}"${described})`;
}

export function orgImage({ path, alt }: PlainImage): string {
  const link = `[[file:${escapeOrg(literalPath(path))}]]`;
  // A word after a colon begins another attribute, and three braces begin a macro.
  const described = alt.replaceAll(/(?<=^| ):+(?=[\w-])/gu, '').replaceAll(/\{{3,}/gu, '{{');
  return described === '' ? link : `#+ATTR_HTML: :alt ${described}\n${link}`;
}

const escapeLatex = (text: string): string =>
  text.replaceAll(/[\\{}$&#^_~%]/gu, (character) => latexText[character] ?? `\\${character}`);

const latexText: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '^': String.raw`\textasciicircum{}`,
  '~': String.raw`\textasciitilde{}`,
};

/**
 * Escapes only the characters that end a file name or begin a command. Two carets and a number
 * encode any character, so no caret may follow another.
 */
const escapeLatexPath = (path: string): string =>
  path
    .replaceAll(/[\\{}#%]/gu, (character) => latexText[character] ?? `\\${character}`)
    .replaceAll('^', String.raw`\string^`);

/** Escapes braces, which name attributes, and backslashes, which could escape the closing quote. */
const escapeAsciidoc = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\[\]{}<>]/gu, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('"', String.raw`\"`);

const escapeTypst = (text: string): string => text.replaceAll(/[\\"]/gu, '\\$&');

/** Escapes brackets, and backslashes that would escape a bracket or the end of the link. */
const escapeOrg = (path: string): string =>
  path.replaceAll(/\\(?=\\*(?:[[\]]|$))/gu, '\\\\').replaceAll(/[[\]]/gu, '\\$&');
