import type { MarkedToken, Token, Tokens } from 'marked';
import { citationMarkPattern, parseCitationMark } from '../../src/base/citation-marks.ts';
import { findHiddenCharacters } from '../../src/base/hidden-characters.ts';
import { type FormulaToken, isFormula } from './formula-syntax.ts';
import { prepareFormula } from './idle-renderer.ts';

const entityPattern = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;
const decodedEntities = new Map<string, string>();

/** Decodes HTML character references such as `&amp;` or `&#8364;`. Does not change unknown references. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(entityPattern, decodeEntity) : text;
}

function decodeEntity(entity: string): string {
  let decodedText = decodedEntities.get(entity);
  if (decodedText === undefined) {
    decodedText = parseEntity(entity);
    if (decodedEntities.size < 4096) decodedEntities.set(entity, decodedText);
  }
  return decodedText;
}

/**
 * Decodes a character reference with the browser's HTML parser. Uses a separate document, which runs no scripts and
 * loads no resources.
 */
function parseEntity(entity: string): string {
  const decodedText = new DOMParser()
    .parseFromString(`x${entity}`, 'text/html')
    .body.textContent.slice(1);
  return decodedText.endsWith(';') && decodedText.length > 1 ? entity : decodedText;
}

const rightToLeftPattern =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/**
 * Number of characters before a direction mark in which a right-to-left letter is searched. A direction mark after such
 * a letter is normal typography and is not shown as a marker.
 */
const contextLength = 32;

/**
 * Appends `text` to `parent`. Replaces invisible or reordering characters with visible markers such as `U+200B`. The
 * replaced characters are those that the extension removes from requests. Two exceptions stay as they are: direction
 * marks in right-to-left text, and a single variation selector after a Han character.
 */
export function appendText(parent: Node, text: string): void {
  const textBefore =
    parent.lastChild instanceof Text ? parent.lastChild.data.slice(-contextLength) : '';
  const context = textBefore + text;
  let writtenLength = textBefore.length;
  for (const { character, index } of findHiddenCharacters(context, {
    startIndex: writtenLength,
    mayContinue: true,
  })) {
    if (isTypographicCharacter(character, context.slice(Math.max(0, index - contextLength), index)))
      continue;
    appendPlainText(parent, context.slice(writtenLength, index));
    parent.appendChild(createHiddenMarker(character));
    writtenLength = index + character.length;
  }
  appendPlainText(parent, context.slice(writtenLength));
}

/**
 * Returns an element's text without the markers for hidden characters. Copied text then contains neither the markers
 * nor the hidden characters.
 */
export function getVisibleText(element: Element): string {
  if (!element.querySelector('.hidden-character')) return element.textContent;
  const clone = element.cloneNode(true) as Element;
  for (const mark of clone.querySelectorAll('.hidden-character')) mark.remove();
  return clone.textContent;
}

function appendPlainText(parent: Node, text: string): void {
  if (!text) return;
  if (parent.lastChild instanceof Text) parent.lastChild.appendData(text);
  else parent.appendChild(document.createTextNode(text));
}

function createHiddenMarker(character: string): HTMLElement {
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const mark = document.createElement('span');
  mark.className = 'hidden-character';
  mark.title = code;
  mark.textContent = code;
  return mark;
}

function isTypographicCharacter(character: string, textBefore: string): boolean {
  if (/[\u200e\u200f\u061c]/u.test(character)) return rightToLeftPattern.test(textBefore);
  return /[\u{e0100}-\u{e01ef}]/u.test(character) && /\p{Script=Han}$/u.test(textBefore);
}

/**
 * Returns the normalized URL of a link, or undefined if the link must not open. Accepts only absolute `https:` and
 * `http:` URLs without credentials, backslashes or control characters.
 */
export function getSafeHref(href: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- the point is to refuse them
  if (!/^https?:\/\/[^\s\\\u0000-\u001f\u007f]+$/iu.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.username || url.password ? undefined : url.href;
}

/** Appends inline tokens as nodes. Creates elements individually, so that no string is parsed as HTML. */
export function appendInlineTokens(parent: Node, tokens: readonly Token[]): void {
  /** Names of elements for which the remaining tokens contain no closing tag. */
  const unclosedNames = new Set<string>();
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as MarkedToken;
    const name = getOpenedElementName(token);
    const end =
      name === undefined || unclosedNames.has(name) ? -1 : findClosingTagIndex(tokens, index, name);
    if (name !== undefined && end > 0) {
      appendInlineTokens(
        parent.appendChild(document.createElement(name)),
        tokens.slice(index + 1, end),
      );
      index = end;
    } else {
      if (name !== undefined) unclosedNames.add(name);
      appendToken(parent, token);
    }
  }
}

/**
 * Returns the name of the element that an opening tag starts. Returns undefined for other tokens, for tags with
 * attributes, and for elements that are not allowed in answers.
 */
export function getOpenedElementName(token: Token): string | undefined {
  return token.type === 'html'
    ? /^<(sub|sup|kbd)>$/iu.exec(token.raw)?.[1]?.toLowerCase()
    : undefined;
}

/** Returns the index of the first tag after `start` that closes an element with this name, or -1 if none exists. */
const findClosingTagIndex = (tokens: readonly Token[], start: number, name: string): number =>
  tokens.findIndex(
    (token, index) =>
      index > start && token.type === 'html' && token.raw.toLowerCase() === `</${name}>`,
  );

function appendToken(parent: Node, token: MarkedToken): void {
  if (isFormula(token)) return appendFormula(parent, token);
  switch (token.type) {
    case 'text':
      return appendTextWithCitations(parent, decodeEntities(token.text));
    case 'escape':
      return appendText(parent, token.text);
    case 'html':
      if (!/^<br *\/?>$/iu.test(token.raw)) return appendText(parent, token.text);
      parent.appendChild(document.createElement('br'));
      return;
    case 'strong':
    case 'em':
    case 'del':
      return appendInlineTokens(
        parent.appendChild(document.createElement(token.type)),
        token.tokens,
      );
    case 'codespan': {
      const code = parent.appendChild(document.createElement('code'));
      if (token.text.length <= maxPathLength && codePathPattern.test(token.text))
        code.dataset['path'] = token.text;
      return appendText(code, token.text);
    }
    case 'br':
      parent.appendChild(document.createElement('br'));
      return;
    case 'link':
      return appendLink(parent, token);
    case 'image':
      return appendImage(parent, token);
    default:
    // The remaining types are blocks, or the task check box, which the list item renders.
  }
}

const maxPathLength = 300;
const pathEndSource = String.raw`[\w@~-][\w.@~-]*\.[A-Za-z]\w{0,9}(?::\d{1,7}(?:[-:]\d{1,7})?)?`;
/** Matches the path of a file, optionally with a line number, such as `src/tide.ts:12`. */
const codePathPattern = new RegExp(`^(?:\\.{0,2}/)?(?:[\\w.@~-]+/)*${pathEndSource}$`);
/** Matches a path in plain text, such as `src/tide.ts`. Requires a slash, because words like `Node.js` are no paths. */
const textPathPattern = new RegExp(
  `(?<![\\w/.:@~-])(?:\\.{0,2}/)?(?:[\\w.@~-]{1,100}/){1,20}${pathEndSource}(?![\\w/@])`,
  'g',
);

/**
 * Appends text. Puts citation marks and file paths into separate elements, which the transcript turns into links. If
 * the answer has no sources with the numbers of a mark, these numbers remain as superscript text.
 */
function appendTextWithCitations(parent: Node, text: string): void {
  let offset = 0;
  for (const { 0: mark, index } of text.matchAll(citationMarkPattern)) {
    appendTextWithPaths(parent, text.slice(offset, index));
    const element = document.createElement('sup');
    element.className = 'source-mark';
    const numbers = parseCitationMark(mark);
    element.dataset['sources'] = numbers.join(' ');
    element.textContent = numbers.join(',');
    parent.appendChild(element);
    offset = index + mark.length;
  }
  appendTextWithPaths(parent, text.slice(offset));
}

function appendTextWithPaths(parent: Node, text: string): void {
  let offset = 0;
  for (const { 0: path, index } of text.includes('/') ? text.matchAll(textPathPattern) : []) {
    if (path.length > maxPathLength) continue;
    appendText(parent, text.slice(offset, index));
    const element = document.createElement('span');
    element.dataset['path'] = path;
    element.textContent = path;
    parent.appendChild(element);
    offset = index + path.length;
  }
  appendText(parent, text.slice(offset));
}

/**
 * Appends a formula. If the formula contains hidden characters, appends its source as text, because the rendered
 * formula could differ from the visible source.
 */
function appendFormula(parent: Node, { raw, isDisplay }: FormulaToken): void {
  const element = document.createElement('span');
  element.className = isDisplay ? 'formula display' : 'formula';
  element.dataset['source'] = raw;
  appendText(element, raw);
  parent.appendChild(element);
  if (!element.querySelector('.hidden-character')) prepareFormula(element);
}

/** Appends a link. For a link that must not open, appends its text with the URL as a tooltip. */
function appendLink(parent: Node, token: Tokens.Link): void {
  const url = token.autolink ? token.href : decodeEntities(token.href);
  const href = getSafeHref(url);
  const element = document.createElement(href ? 'a' : 'span');
  element.title = href ?? url;
  if (href) element.setAttribute('href', href);
  else element.className = 'inert-link';
  parent.appendChild(element);
  if (token.autolink) appendText(element, token.text);
  else appendInlineTokens(element, token.tokens);
}

/**
 * Appends the description of an image as text. The page never loads images from answers, because the request could leak
 * the content of the answer.
 */
function appendImage(parent: Node, token: Tokens.Image): void {
  const alt = decodeEntities(token.text);
  const description = [alt, decodeEntities(token.href)].filter(Boolean).join(' — ');
  const element = document.createElement('span');
  element.className = 'inert-image';
  appendText(element, `[image: ${description}]`);
  parent.appendChild(element);
}
