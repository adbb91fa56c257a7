/** Turns the service's marks `^1^` and `^1,2^` (service facts §1.4) into `[1]`, also those that come in pieces. */
export class CitationMarks {
  readonly #write: (text: string) => void;
  #held = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  push(text: string): void {
    const all = bracketed(this.#held + text);
    const start = /\^[\d, ]{0,20}$/u.exec(all)?.index ?? all.length;
    this.#held = all.slice(start);
    this.#out(all.slice(0, start));
  }

  end(): void {
    this.#out(this.#held);
    this.#held = '';
  }

  #out(text: string): void {
    if (text !== '') this.#write(text);
  }
}

const bracketed = (text: string): string =>
  text.replaceAll(/\^(\d{1,3}(?:, ?\d{1,3}){0,5})\^/gu, '[$1]');
