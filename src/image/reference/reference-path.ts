/**
 * A relative path as part of an address: letters and digits of all scripts stay readable, and whatever means something
 * to an address, a quote, a bracket or a template is percent-encoded. Never leads to another host or has a scheme.
 */
export const addressPath = (path: string): string =>
  namesOf(path)
    .map((name) => name.toWellFormed().replaceAll(/[^\p{L}\p{M}\p{Nd}._~-]/gu, percent))
    .join('/');

/** A relative path as it is on disk, on one line and without hidden characters. Never has a scheme. */
export function literalPath(path: string): string {
  const plain = namesOf(path)
    .map((name) => name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ''))
    .join('/');
  return plain.split('/', 1)[0]?.includes(':') ? `./${plain}` : plain;
}

/** An empty name would make the path begin at a root, or at another host. */
const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

/** Unlike encodeURIComponent alone, nothing is left out. */
const percent = (character: string): string =>
  character < '\u0080'
    ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
    : encodeURIComponent(character);
