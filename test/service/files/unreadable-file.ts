/** Thrown when no text can be extracted from a file. */
export class UnreadableFileError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnreadableFile';
  }
}
