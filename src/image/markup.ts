import type { PlainImage } from './plain-image.ts';
import { addressPath } from './reference-path.ts';

/** Markdown in all its kinds, MDX among them. */
export function markdownImage({ path, alt, title }: PlainImage): string {
  const shown = title === '' ? '' : ` "${escapeMarkdown(title)}"`;
  return `![${escapeMarkdown(alt)}](${addressPath(path)}${shown})`;
}

/** HTML, and templates that become HTML. */
export const htmlImage = (image: PlainImage): string => `<img ${htmlAttributes(image)}>`;

/** Builders take a path for a file of the project only when it begins with a dot. */
export const vueImage = (image: PlainImage): string =>
  `<img ${htmlAttributes(image, /^(?:\.{0,2}|\/?[a-z]:)[\\/]/iu.test(image.path) ? '' : './')} />`;

export function jsxImage({ path, alt, title, width, height }: PlainImage): string {
  const attributes = [
    attribute('src', addressPath(path)),
    attribute('alt', alt),
    title === '' ? '' : attribute('title', title),
    width === undefined ? '' : `width={${width}}`,
    height === undefined ? '' : `height={${height}}`,
  ];
  return `<img ${attributes.filter((each) => each !== '').join(' ')} />`;
}

/** The value of a property in CSS, SCSS and Less. */
export const styleUrl = ({ path }: PlainImage): string => `url("${addressPath(path)}")`;

function htmlAttributes({ path, alt, title, width, height }: PlainImage, prefix = ''): string {
  const attributes = [
    attribute('src', `${prefix}${addressPath(path)}`),
    attribute('alt', alt),
    title === '' ? '' : attribute('title', title),
    width === undefined ? '' : attribute('width', String(width)),
    height === undefined ? '' : attribute('height', String(height)),
  ];
  return attributes.filter((each) => each !== '').join(' ');
}

const attribute = (name: string, value: string): string => `${name}="${escapeAttribute(value)}"`;

/**
 * Markup ends at quotes and angle brackets; in templates braces and at signs begin code; where JSX is commented out, the
 * comment ends at an asterisk and a slash.
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
 * Whatever begins something in CommonMark, its extensions for tables, formulas and citations, or MDX. Programs that run
 * the code between backticks before anything else is read, as R Markdown does, do not know of backslashes.
 */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/&(?=#?\w+;)/gu, '&amp;')
    .replaceAll(/[\\*_{}[\]<>|$~^@"]/gu, String.raw`\$&`)
    .replaceAll('`', '&#96;');
