/** A page of the small web that the service knows. */
export interface Page {
  /** On a domain that is reserved for examples. */
  readonly address: string;
  readonly title: string;
  /** The day it was published, as `YYYY-MM-DD`. */
  readonly date: string;
  /** Paragraphs, with an empty line between them. */
  readonly text: string;
}
