import { programName } from './command-programs.ts';
import { shapeOf } from './command-shapes.ts';

/**
 * The words of a command that stand for what it does: `git log`, `npm run build`, `node check.js`, `tsc`.
 * That is what a person allows for good, and never the whole line.
 */
export function prefixOf(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = command;
  return command.slice(0, shapeOf(programName(program), args)?.words ?? 1);
}

/** Whether a command begins with the words of a prefix; one without words covers nothing. */
export function covers(prefix: readonly string[], command: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, at) => word === command[at]);
}
