/** What is offered at a cursor. */
export interface Suggestion {
  /** Names it in `accepted`. */
  readonly id: number;
  /** Never empty; line ends are `\n`. */
  readonly text: string;
  /** How many characters behind the cursor, on its line, the text takes the place of. */
  readonly replaces: number;
}
