import type { AnswerReader, WantedLines } from '../answer.ts';
import type { Snapshot } from '../snapshot.ts';

/** Reads the answer to what was asked at `snapshot`. */
export function readAnswer(_snapshot: Snapshot, wanted: WantedLines): AnswerReader {
  return new Reader(wanted);
}

class Reader implements AnswerReader {
  text = '';
  isComplete = false;
  readonly #wanted: WantedLines;

  constructor(wanted: WantedLines) {
    this.#wanted = wanted;
  }

  push(piece: string): void {
    if (this.isComplete) return;
    this.text += piece.replaceAll('\r', '');
    if (this.#wanted === 'block') return;
    const end = /\S[^\n]*(?<end>\n)/u.exec(this.text);
    if (end === null) return;
    this.text = this.text.slice(0, end.index + end[0].length - 1);
    this.isComplete = true;
  }

  end(): void {
    this.isComplete = true;
  }

  get wholeLinesLength(): number {
    return this.isComplete ? this.text.length : Math.max(0, this.text.lastIndexOf('\n'));
  }
}
