import type { ToolArguments } from './tool.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Reading arguments that were checked against the tool's schema; a hand-made call may still be wrong. */
export function textArgument(args: ToolArguments, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolError('bad-arguments', `"${name}" must be a text that is not empty.`);
}

export function optionalText(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number within the limits, or the fallback where none is given. */
export function numberArgument<T>(
  args: ToolArguments,
  name: string,
  {
    least,
    most,
    fallback,
  }: { readonly least: number; readonly most: number; readonly fallback: T },
): number | T {
  const value = args[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least)
    return Math.min(value, most);
  throw new ToolError('bad-arguments', `"${name}" must be a whole number, ${least} or more.`);
}

export const flagArgument = (args: ToolArguments, name: string): boolean => args[name] === true;
