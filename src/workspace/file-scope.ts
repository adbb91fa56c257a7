/** Which files of a folder are looked at. Paths are relative to it, with forward slashes. */
export interface FileScope {
  /** Absolute, as the system writes it. */
  readonly folder: string;
  /** The folder or file in it that is looked into; empty for all of it. */
  readonly under: string;
  /** Globs of the person's settings: what they hide, from `folder` on. */
  readonly hidden: readonly string[];
  /** Globs of this call: what it leaves out, from `under` on. */
  readonly excludes: readonly string[];
  /** Globs of file names, one of which a file must have; undefined for any. */
  readonly names: readonly string[] | undefined;
  /** Whether ignore files are heeded. */
  readonly useIgnoreFiles: boolean;
  /** Ignore files above `under`, relative to the folder. */
  readonly ignoreFilesAbove: readonly string[];
}
