/** A page of the service's built-in web. */
export interface Page {
  /** URL on a domain reserved for examples. */
  readonly address: string;
  readonly title: string;
  /** Publication date, as `YYYY-MM-DD`. */
  readonly date: string;
  /** Paragraphs, separated by empty lines. */
  readonly text: string;
}
