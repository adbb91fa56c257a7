/** A page of the built-in web, which replaces the internet in searches. */
export interface WebPage {
  /** URL of the page. The domain is reserved for examples. */
  readonly url: string;
  readonly title: string;
  /** Publication date as `YYYY-MM-DD`. */
  readonly date: string;
  /** Text of the page, with empty lines between paragraphs. */
  readonly text: string;
}
