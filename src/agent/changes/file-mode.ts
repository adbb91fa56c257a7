/**
 * The permission bits that a file gets when it is made anew: of what was recorded only whether it can be run counts.
 * Its owner can read and write it; others never get more than they had, and never may write.
 */
export function restoredMode(recorded: number): number {
  const isProgram = (recorded & 0o100) !== 0;
  const [own, others] = isProgram ? [0o700, 0o055] : [0o600, 0o044];
  return own | (recorded & others);
}
