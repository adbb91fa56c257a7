/** Characters that Windows refuses, that lead elsewhere, or that nobody sees. */
const refused = /[<>:"|?*/\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Devices on Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)\d)\s*(?:\.|$)/iu;

/** A name that Windows made up for a longer one, which then goes by two. */
const shortened = /~\d/u;

/** Bytes of UTF-8, as file systems count them. */
const longest = 255;

/** Whether every system takes a file or folder name as it is written, and none reads something else in it. */
export function isPortableName(name: string): boolean {
  const plain = name.normalize('NFKC');
  return (
    !/^$|^\p{Zs}|[.\p{Zs}]$/u.test(name) &&
    !refused.test(name) &&
    !Array.from(name).some(isLookAlike) &&
    !device.test(plain) &&
    !shortened.test(plain) &&
    new TextEncoder().encode(name).length <= longest
  );
}

/** What becomes a dot, a slash or a tilde when a program folds it. Wide colons are usual in names, and mean nothing. */
const isLookAlike = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));
