/** A picture with all its texts on one line, empty when absent. */
export interface PlainImage {
  readonly path: string;
  readonly alt: string;
  readonly title: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}
