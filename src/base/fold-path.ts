/**
 * Converts a path to a form for comparison, with forward slashes. Paths are equal in this form if
 * any file system treats them as equal. Lower case alone would distinguish letters such as `ı` and
 * `i`, so the path is converted to upper case first.
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
 * Checks whether Unicode normalization turns a character into a dot, a slash or a tilde, which
 * would change the path. Ignores colons and question marks, because their full-width forms are
 * common in Chinese and Japanese file names and harmless.
 */
export const foldsToPathSyntax = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));
