/** A path as a glob that means it and nothing else. */
export const escapeGlob = (path: string): string =>
  path.replaceAll(/[*?[\]{}\\!]/gu, String.raw`\$&`);

/** The glob for names in capital letters and in small ones; not for one with ranges of letters. */
export const anyCase = (glob: string): string =>
  glob.replaceAll(/[a-z]/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
