import { decodeEntities } from './inline.ts';

/** Statements of a diagram in the syntax of the drawing library, and the labels of its nodes. */
export interface Statements {
  readonly lines: readonly string[];
  readonly labels: readonly string[];
  readonly edges: number;
}

/** Returns the error for a statement that the library would not draw. */
export function unsupported(statement: string): Error {
  return new Error(`Unsupported diagram statement: ${statement}`);
}

/** First of the private-use characters that replace ASCII characters of labels. */
const firstReserved = 0xe000;

/** Replaces ASCII characters of a label that have a meaning in Mermaid by private-use characters. */
export function encodeLabel(label: string): string {
  const encode = (part: string): string => encodeAll(part, /["#%&()*/:;<>[\\\]`{|}~]/g);
  return label.split('\n').map(encode).join('<br>') || encodeName(' ');
}

/** Encodes a name, so that it is a single word in the library's syntax. */
export function encodeName(name: string): string {
  return encodeAll(name.replaceAll('\n', ' '), /[\0-/:-@[-^`{-\x7F]/g);
}

export function encodeAll(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (character) =>
    String.fromCharCode(firstReserved + character.charCodeAt(0)),
  );
}

const xmlEntities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** Replaces encoded characters in an SVG by the escaped original characters. */
export function decodeReserved(svg: string): string {
  return svg.replaceAll(/[\uE000-\uE07F]/g, (character) => {
    const original = String.fromCharCode(character.charCodeAt(0) - firstReserved);
    return xmlEntities[original] ?? original;
  });
}

/** Returns the plain text of a label. Decodes entities, and replaces line breaks by newlines. */
export function readLabel(raw: string): string {
  const text = raw
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/^`(.*)`$/, '$1');
  return decodeEntities(text.replaceAll(/#(\d+);/g, '&#$1;').replaceAll(/#([a-z]+);/gi, '&$1;'))
    .replaceAll(/<br\s*\/?>|\\n/gi, '\n')
    .replaceAll(/<\/?(?:b|i|u|s|em|strong|small|sub|sup|code)>/gi, '')
    .replaceAll(/\*\*(.+?)\*\*/g, '$1')
    .trim();
}

/** Checks for statements about colors, links and texts for screen readers, which the page does not use. */
export function isStyle(line: string): boolean {
  return (
    /^(?:classDef|linkStyle|cssClass|click|callback|style)\s[^;]*;?$/.test(line) ||
    /^class\s+[\w,\s-]+?\s+\w+;?$/.test(line) ||
    /^acc(?:Title|Descr)\s*:/.test(line)
  );
}
