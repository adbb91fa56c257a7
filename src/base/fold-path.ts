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
