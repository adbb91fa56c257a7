/** Nobody could make text of a file. */
export class UnreadableFile extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'UnreadableFile';
  }
}
