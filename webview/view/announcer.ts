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
