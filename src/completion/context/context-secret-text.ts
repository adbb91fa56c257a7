/** Whether a line begins or ends a private key, as files of keys are written and as people paste them into others. */
export const marksPrivateKey = (line: string): boolean =>
  line.includes('PRIVATE KEY') &&
  /-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u.test(line);

/** How many lines {@link looksLikeEnvironment} needs, at most. */
export const environmentLines = 200;

const assignment = /^\s{0,8}(?:export\s{1,4})?[A-Z][A-Z0-9_]{2,80}\s{0,4}=/u;
const nothing = /^\s{0,80}(?:#|;|$)/u;

/**
 * Whether a text that has no name yet is a list of variables, such as people keep passwords in: more than half of what
 * it says are assignments to names in capitals.
 */
export function looksLikeEnvironment(lines: readonly string[]): boolean {
  const said = lines.slice(0, environmentLines).filter((line) => !nothing.test(line));
  const assigned = said.filter((line) => assignment.test(line)).length;
  return assigned > 0 && assigned * 2 > said.length;
}

/** Whether a whole text may not be told to anybody, whatever its file is called. */
export const isSecretText = (text: string): boolean =>
  text.includes('PRIVATE KEY') && marksPrivateKey(text);
