import type { PlainImage } from './plain-image.ts';
import { addressPath, literalPath } from './reference-path.ts';

/** As wide as the text. The key `alt` is there since 2021. */
export function latexImage({ path, alt }: PlainImage): string {
  const described = alt === '' ? '' : `,alt={${escapeLatex(alt)}}`;
  return String.raw`\includegraphics[width=\linewidth${described}]{${escapeLatexPath(literalPath(path))}}`;
}

/** Whitespace parts addresses in a directive; backslashes escape. Options are taken as they are. */
export function restImage({ path, alt }: PlainImage): string {
  const address = literalPath(path).replaceAll(/[\s\\]/gu, '\\$&');
  return [`.. image:: ${address}`, ...(alt === '' ? [] : [`   :alt: ${alt}`])].join('\n');
}

/** Of the path only spaces may stay as they are. */
export function asciidocImage({ path, alt, title, width, height }: PlainImage): string {
  const address = addressPath(path).replaceAll('%20', ' ');
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
  // A word with a colon before it begins another attribute, and braces a macro.
  const described = alt.replaceAll(/(?<=^| ):+(?=[\w-])/gu, '').replaceAll(/\{{3,}/gu, '{{');
  return described === '' ? link : `#+ATTR_HTML: :alt ${described}\n${link}`;
}

const escapeLatex = (text: string): string =>
  text.replaceAll(/[\\{}$&#^_~%]/gu, (character) => latexWords[character] ?? `\\${character}`);

const latexWords: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '^': String.raw`\textasciicircum{}`,
  '~': String.raw`\textasciitilde{}`,
};

/**
 * Names of files are taken as they are, but for what would end them or begin something else. Two carets and a number are
 * any character, wherever they stand: none may follow another.
 */
const escapeLatexPath = (path: string): string =>
  path
    .replaceAll(/[\\{}#%]/gu, (character) => latexWords[character] ?? `\\${character}`)
    .replaceAll('^', String.raw`\string^`);

/** Braces name attributes, and a backslash could take the closing quote with it. */
const escapeAsciidoc = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\[\]{}<>]/gu, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('"', String.raw`\"`);

const escapeTypst = (text: string): string => text.replaceAll(/[\\"]/gu, '\\$&');

/** Brackets are escaped, and so are the backslashes that would escape them or the end. */
const escapeOrg = (path: string): string =>
  path.replaceAll(/\\(?=\\*(?:[[\]]|$))/gu, '\\\\').replaceAll(/[[\]]/gu, '\\$&');
