import * as l10n from '@vscode/l10n';
import { hiddenCharacters } from '../../src/base/hidden-characters.ts';

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
