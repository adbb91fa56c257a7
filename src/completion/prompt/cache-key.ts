/**
 * Names a document to the service, so that requests about it reach a machine that remembers the last one. Says nothing
 * of its path; the same on every start.
 */
export const cacheKey = (document: string): string =>
  `completion-${[0x81_1c_9d_c5, 0x5b_d1_e9_95].map((seed) => hash(document, seed)).join('')}`;

/** FNV-1a over UTF-16 units; only spreads, hides nothing from one who guesses. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}
