/** Characters that draw nothing, or that reorder what is drawn around them. */
const hidden = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

const joins = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const joiningLetter =
  /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}])[\p{L}\p{M}]$/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** How far back a direction mark may look for the right-to-left letter that justifies it. */
const contextLength = 32;

/**
 * Appends `text` to `parent` and shows invisible or reordering characters as `U+200B` marks, so that
 * text cannot say more than it shows. Joiners inside emoji and in scripts that write with them, one
 * variation selector per character, and direction marks in right-to-left text stay as they are.
 */
export function appendText(parent: Node, text: string): void {
  if (text.search(hidden) === -1) return appendPlain(parent, text);
  const before =
    parent.lastChild instanceof Text ? parent.lastChild.data.slice(-contextLength) : '';
  let written = 0;
  for (const match of text.matchAll(hidden)) {
    const context = written === match.index ? '' : text.slice(written, match.index);
    const known = written === 0 ? before + context : context;
    if (isExpected(match[0], known.slice(-contextLength))) continue;
    appendPlain(parent, context);
    parent.appendChild(hiddenMark(match[0]));
    written = match.index + match[0].length;
  }
  appendPlain(parent, text.slice(written));
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
  mark.title = `Hidden character ${code}`;
  mark.textContent = code;
  return mark;
}

function isExpected(character: string, before: string): boolean {
  switch (character) {
    case '\u200d':
      return joins.test(before) || joiningLetter.test(before);
    case '\u200c':
      return joiningLetter.test(before);
    case '\u200e':
    case '\u200f':
    case '\u061c':
      return rightToLeft.test(before);
  }
  if (character >= '\ufe00' && character <= '\ufe0f') return /[^\s\ufe00-\ufe0f]$/u.test(before);
  if (/[\u{e0100}-\u{e01ef}]/u.test(character)) return /\p{Script=Han}$/u.test(before);
  return false;
}
