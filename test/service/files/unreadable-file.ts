/** Nobody could make text of a file. */
export class UnreadableFileError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'UnreadableFile';
  }
}
