/**
 * Normalizes a path for comparisons: the results for two paths are equal if any file system treats the paths as equal.
 * The result has forward slashes. Converts to upper case and then to lower case, because lower case alone would
 * distinguish letters such as `ı` and `i`.
 */
export function foldPath(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replaceAll('\\', '/')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC');
}

/**
 * Checks whether Unicode normalization converts a character to text with a dot, a slash, a backslash or a tilde. Such a
 * character could change the meaning of a path. Returns false for these four characters themselves. Ignores full-width
 * colons and question marks, because they are harmless and common in Chinese and Japanese file names.
 */
export const canBecomePathSyntax = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));
