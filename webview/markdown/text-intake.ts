/** Collects text and hands it out with `\n` line ends, never cut inside a line end or a character. */
export class TextIntake {
  #pending = '';

  add(text: string): void {
    this.#pending += text;
  }

  take(all: boolean): string {
    const held = !all && /[\r\ud800-\udbff]$/.test(this.#pending) ? 1 : 0;
    const end = this.#pending.length - held;
    const text = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  }
}
