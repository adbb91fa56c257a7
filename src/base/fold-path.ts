/**
 * The form in which paths are compared: as equal as the most forgiving file system takes them, with forward slashes.
 * Lower case alone would keep letters apart that some of them take for one, such as `ı` and `i`, so it goes by way
 * of upper case.
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
 * Checks whether a character becomes a dot, a slash or a tilde when a program folds it, and so makes another path.
 * Colons and question marks are left out: their wide forms are usual in Chinese and Japanese names and mean nothing to
 * a file system.
 */
export const foldsToPathSyntax = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));
