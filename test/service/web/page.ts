/** Page of the invented web, which the service searches in place of the internet. */
export interface WebPage {
  /** URL of the page, on a domain that is reserved for examples. */
  readonly url: string;
  readonly title: string;
  /** Publication date as `YYYY-MM-DD`. */
  readonly date: string;
  /** Text of the page, with empty lines between paragraphs. */
  readonly text: string;
}
