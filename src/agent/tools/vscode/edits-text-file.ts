import type { Place } from '../../edit/hunk.ts';

/** A text file that can be changed and stay what it is otherwise: encoding, byte order mark, line endings. */
export interface TextFile {
  /** As it is now: an unsaved editor wins over the disk. With its line endings, without a byte order mark. */
  readonly text: string;
  /** Whether {@link text} holds changes of an editor that are not saved: a write saves them too. */
  readonly isUnsaved: boolean;
  /**
   * Replaces places of {@link text}, saves, and reads it again.
   * @returns the text that is saved, which differs from what was meant where the editor formats on saving.
   * @throws ToolError `changed` when it is another text by now, `failed` when it could not be saved. The file is then
   * as it was.
   */
  write(places: readonly Place[]): Promise<string>;
}
