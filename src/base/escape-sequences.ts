/* oxlint-disable no-control-regex -- control characters are this file's subject */

/**
 * Everything a terminal would act on instead of showing it, after ECMA-48: control sequences, also private and
 * unfinished ones; device, operating-system, privacy and application strings, ended by ST or BEL, or else by
 * their line; other escapes; all controls of C0 and C1 but tab, line feed and carriage return.
 */
const sequences = new RegExp(
  [
    /(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]?/,
    /(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])(?:[^\x07\x18\x1A\x1B\x9C]*(?:\x07|\x1B\\|\x9C)|[^\n\x07\x18\x1A\x1B\x9C]*)/,
    /\x1B[ -/]*[0-~]?/,
    /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** `text` as a person would read it in a terminal: no character is left in it that drives one. Takes linear time. */
export const stripEscapeSequences = (text: string): string => text.replace(sequences, '');
