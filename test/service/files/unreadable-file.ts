/** Thrown when no text can be extracted from a file. */
export class UnreadableFileError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'UnreadableFile';
  }
}
