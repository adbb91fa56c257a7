/**
 * Whether a symbolic link leads where its names say, however the folders on the way look: `a/..` is another place when
 * `a` is a link itself.
 * @param link With slashes of either kind.
 */
export function isPlainTarget(link: string): boolean {
  if (link === '' || link.includes('\0')) return false;
  const names = link.split(/[\\/]/u);
  const firstPlain = names.findIndex((name) => name !== '..' && name !== '.');
  return firstPlain < 0 || !names.slice(firstPlain).includes('..');
}
