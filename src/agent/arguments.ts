import { isRecord, type Json, parseJson } from '../base/json.ts';
import type { JsonSchema, ToolArguments } from './tool.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Says what is wrong with `value`, one sentence each; nothing when it fits the schema. */
export type ValidateSchema = (schema: JsonSchema, value: unknown) => readonly string[];

const shownProblems = 5;

/**
 * The arguments of a call, from the JSON text that a model wrote.
 * @throws ToolError `bad-arguments`, in words that let the model do better
 */
export function readArguments(
  text: string,
  schema: JsonSchema,
  validate: ValidateSchema,
): ToolArguments {
  const parsed = text.trim() === '' ? {} : parseJson(text);
  if (!isRecord(parsed)) {
    throw new ToolError('bad-arguments', 'The arguments are not a JSON object. Nothing was done.');
  }
  // Without a prototype, so that a name such as `__proto__` reaches nothing.
  const args = Object.assign(Object.create(null) as object, parsed) as { [name: string]: Json };
  const problems = validate(schema, parsed);
  if (problems.length === 0) return args;
  throw new ToolError(
    'bad-arguments',
    `The arguments do not fit the tool's schema. Nothing was done.\n${problems
      .slice(0, shownProblems)
      .map((problem) => `- ${problem}`)
      .join('\n')}`,
  );
}
