/** What a search looks for: within one line. */
export interface TextQuery {
  readonly text: string;
  /** Whether `text` is a regular expression. */
  readonly regex: boolean;
  readonly caseSensitive: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** Matching lines after which the search ends. */
  readonly most: number;
}
