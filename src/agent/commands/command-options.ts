/** Reads options as programs do. All of these err on the side of finding one. */

/** Long options as programs take them: also cut short, also with a value behind `=`. */
export function hasLongOption(words: readonly string[], names: readonly string[]): boolean {
  return words.some((word) => {
    const name = /^(?<name>--[^=]+)/u.exec(word)?.groups?.['name'];
    return name !== undefined && names.some((each) => each.startsWith(name));
  });
}

/** One of the letters in a group of short options such as `-xvf`, or in what is glued to one. */
export function hasShortOption(words: readonly string[], letters: string): boolean {
  return words.some(
    (word) => /^-[^-]/u.test(word) && Array.from(letters).some((letter) => word.includes(letter)),
  );
}

export const isOption = (word: string): boolean => word.startsWith('-') && word.length > 1;

/** Whether every option is one of these; other words do not matter. */
export function onlyOptions(words: readonly string[], pattern: RegExp): boolean {
  return words.every((word) => !isOption(word) || pattern.test(word));
}

export const operandsOf = (words: readonly string[]): string[] =>
  words.filter((word) => !isOption(word));
