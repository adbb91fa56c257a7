/** An entry of a folder. What a link points to is not looked at. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** Where files are read from. Paths are relative to a folder, with forward slashes; empty for the folder itself. */
export interface FileSource {
  /** Empty for a folder that cannot be read. An answer that is at hand comes without a promise. */
  entries(path: string): readonly FolderEntry[] | Promise<readonly FolderEntry[]>;
  /** Undefined for a file that cannot be read or is too large. The bytes are only good until the next call. */
  read(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Larger files are not read: they are seldom sources. */
export const largestScannedFile = 10_000_000;
