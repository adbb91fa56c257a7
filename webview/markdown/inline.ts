import * as l10n from '@vscode/l10n';
import type { MarkedToken, Token, Tokens } from 'marked';
import { citationMarks, sourcesOfMark } from '../../src/base/citation-marks.ts';
import { hiddenCharacters } from '../../src/base/hidden-characters.ts';

const reference = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;
const known = new Map<string, string>();

/** Replaces HTML character references (`&amp;`, `&#8364;`) by what they stand for; unknown ones stay. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(reference, decodeOne) : text;
}

function decodeOne(entity: string): string {
  let decoded = known.get(entity);
  if (decoded === undefined) {
    decoded = lookUp(entity);
    if (known.size < 4096) known.set(entity, decoded);
  }
  return decoded;
}

/** The browser owns the table of names; a parsed document runs nothing and loads nothing. */
function lookUp(entity: string): string {
  const decoded = new DOMParser()
    .parseFromString(`x${entity}`, 'text/html')
    .body.textContent.slice(1);
  return decoded.endsWith(';') && decoded.length > 1 ? entity : decoded;
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** How far back a direction mark may look for the right-to-left letter that justifies it. */
const contextLength = 32;

/**
 * Appends `text` to `parent` and shows invisible or reordering characters as `U+200B` marks, so that text cannot say
 * more than it shows. What is hidden is what no model is sent either, but for the way signs are drawn: direction marks
 * in right-to-left text and one selector of a Han character's form stay as they are.
 */
export function appendText(parent: Node, text: string): void {
  const before =
    parent.lastChild instanceof Text ? parent.lastChild.data.slice(-contextLength) : '';
  const known = before + text;
  let written = before.length;
  for (const { character, index } of hiddenCharacters(known, { from: written, goesOn: true })) {
    if (isDrawing(character, known.slice(Math.max(0, index - contextLength), index))) continue;
    appendPlain(parent, known.slice(written, index));
    parent.appendChild(hiddenMark(character));
    written = index + character.length;
  }
  appendPlain(parent, known.slice(written));
}

/** The text of an element without the marks, so that a copy carries no hidden characters either. */
export function visibleText(element: Element): string {
  if (!element.querySelector('.hidden-character')) return element.textContent;
  const copy = element.cloneNode(true) as Element;
  for (const mark of copy.querySelectorAll('.hidden-character')) mark.remove();
  return copy.textContent;
}

function appendPlain(parent: Node, text: string): void {
  if (!text) return;
  if (parent.lastChild instanceof Text) parent.lastChild.appendData(text);
  else parent.appendChild(document.createTextNode(text));
}

function hiddenMark(character: string): HTMLElement {
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const mark = document.createElement('span');
  mark.className = 'hidden-character';
  mark.title = l10n.t('Hidden character {0}', code);
  mark.textContent = code;
  return mark;
}

function isDrawing(character: string, before: string): boolean {
  if (/[\u200e\u200f\u061c]/u.test(character)) return rightToLeft.test(before);
  return /[\u{e0100}-\u{e01ef}]/u.test(character) && /\p{Script=Han}$/u.test(before);
}

/**
 * The address a link may open, normalised, or undefined: only absolute `https:` and `http:` addresses
 * without credentials, backslashes or control characters. Everything else is shown as text.
 */
export function safeHref(href: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- the point is to refuse them
  if (!/^https?:\/\/[^\s\\\u0000-\u001f\u007f]+$/iu.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.username || url.password ? undefined : url.href;
}

/** Appends inline tokens as nodes. Elements are built one by one: no string is ever parsed as HTML. */
export function appendInline(parent: Node, tokens: readonly Token[]): void {
  for (const token of tokens) appendToken(parent, token as MarkedToken);
}

function appendToken(parent: Node, token: MarkedToken): void {
  switch (token.type) {
    case 'text':
      return appendMarked(parent, decodeEntities(token.text));
    case 'escape':
    case 'html':
      return appendText(parent, token.text);
    case 'strong':
    case 'em':
    case 'del':
      return appendInline(parent.appendChild(document.createElement(token.type)), token.tokens);
    case 'codespan':
      return appendText(parent.appendChild(document.createElement('code')), token.text);
    case 'br':
      parent.appendChild(document.createElement('br'));
      return;
    case 'link':
      return appendLink(parent, token);
    case 'image':
      return appendImage(parent, token);
    default:
    // The rest are blocks, or the check box of a task, which its item shows
  }
}

/** Marks that name sources are elements of their own, for whoever knows the sources. */
function appendMarked(parent: Node, text: string): void {
  let done = 0;
  for (const { 0: mark, index } of text.matchAll(citationMarks)) {
    appendText(parent, text.slice(done, index));
    const element = document.createElement('span');
    element.className = 'source-mark';
    element.dataset['sources'] = sourcesOfMark(mark).join(' ');
    element.textContent = mark;
    parent.appendChild(element);
    done = index + mark.length;
  }
  appendText(parent, text.slice(done));
}

/** A link that may not be opened keeps its words; the address is in its tooltip. */
function appendLink(parent: Node, token: Tokens.Link): void {
  const address = token.autolink ? token.href : decodeEntities(token.href);
  const href = safeHref(address);
  const element = document.createElement(href ? 'a' : 'span');
  element.title = href ?? address;
  if (href) element.setAttribute('href', href);
  else element.className = 'inert-link';
  parent.appendChild(element);
  if (token.autolink) appendText(element, token.text);
  else appendInline(element, token.tokens);
}

/** Pictures are never loaded: a request would tell the outside what the answer says. */
function appendImage(parent: Node, token: Tokens.Image): void {
  const alt = decodeEntities(token.text);
  const description = [alt, decodeEntities(token.href)].filter(Boolean).join(' — ');
  const element = document.createElement('span');
  element.className = 'inert-image';
  appendText(element, `[image: ${description}]`);
  parent.appendChild(element);
}
