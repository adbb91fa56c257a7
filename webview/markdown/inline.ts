import type { MarkedToken, Token, Tokens } from 'marked';
import { citationMarks, sourcesOfMark } from '../../src/base/citation-marks.ts';
import { decodeEntities } from './entities.ts';
import { appendText } from './hidden-characters.ts';
import { safeHref } from './safe-link.ts';

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
