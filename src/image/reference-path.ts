/**
 * A path as part of an address: letters and digits of all scripts stay readable, and whatever means something to an
 * address, a quote, a bracket or a template is percent-encoded. Never leads to another host, nor is it code.
 * @param path With `/` between its names; relative, or the whole path of a file, on Windows too.
 */
export function addressPath(path: string): string {
  const { drive, isWhole, names } = partsOf(path);
  const start = drive === undefined ? (isWhole ? '/' : '') : `file:///${drive}/`;
  return start + names.map(encodeName).join('/');
}

/** A path as it is on disk, on one line and without hidden characters. A relative one never has a scheme. */
export function literalPath(path: string): string {
  const { drive = '', isWhole, names } = partsOf(path);
  const plain = names.map(visibleName).join('/');
  if (isWhole) return `${drive}/${plain}`;
  return plain.split('/', 1)[0]?.includes(':') ? `./${plain}` : plain;
}

interface PathParts {
  /** `C:`, on Windows. */
  readonly drive?: string;
  readonly isWhole: boolean;
  /** None is empty: that would make the path begin at another host. */
  readonly names: readonly string[];
}

function partsOf(path: string): PathParts {
  const [start, drive] = /^\/?([a-z]:)[\\/]/iu.exec(path) ?? [];
  if (start === undefined || drive === undefined) {
    return { isWhole: path.startsWith('/'), names: path.split('/').filter(isName) };
  }
  const names = path.slice(start.length).split(/[\\/]/u).filter(isName);
  return { drive, isWhole: true, names };
}

const isName = (name: string): boolean => name !== '';

const visibleName = (name: string): string =>
  name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

const encodeName = (name: string): string =>
  name.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{Nd}._~-]/gu, percent);

/** Unlike encodeURIComponent alone, nothing is left out. */
const percent = (character: string): string =>
  character < '\u0080'
    ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    : encodeURIComponent(character);
