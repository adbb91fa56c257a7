/**
 * Returns a path in a form for comparison: equal for all paths that any file system treats as equal, with forward
 * slashes. Lower case alone would distinguish letters that some file systems treat as equal, such as `ı` and `i`, so
 * the path is converted to upper case in between.
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
 * Checks whether Unicode normalization turns a character into a dot, a slash or a tilde, which changes the path. Colons
 * and question marks are excluded: their full-width forms are common in Chinese and Japanese file names and have no
 * meaning to a file system.
 */
export const foldsToPathSyntax = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));
