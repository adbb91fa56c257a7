const maxSentence = 150;

/** Speaks to screen readers without a place on the screen. Short things only, and not per token. */
export class Announcer {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
  }

  say(text: string): void {
    // A new node, so that the same words twice are said twice.
    const line = document.createElement('p');
    line.textContent = text;
    this.element.replaceChildren(line);
  }
}

/** The first sentence of `text`, at most 150 characters of it. */
export function firstSentence(text: string): string {
  const start = text.trimStart().slice(0, 2 * maxSentence);
  const [first] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(start);
  const sentence = first?.segment.trim() ?? '';
  return sentence.length <= maxSentence ? sentence : `${sentence.slice(0, maxSentence - 1)}…`;
}
