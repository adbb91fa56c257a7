import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema, ToolArguments } from './tool.ts';
import { isRecord, type Json, parseJson } from '../base/json.ts';
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

const validators = new WeakMap<JsonSchema, Validator>();

/**
 * What is wrong with `value`, one sentence each; empty when it fits. A schema that cannot be read refuses nothing:
 * it is another extension's, which looks at its arguments itself.
 */
export function validateSchema(schema: JsonSchema, value: unknown): readonly string[] {
  try {
    const { errors } = validatorOf(schema).validate(value);
    // The outermost errors only say that something further in is wrong.
    return errors
      .filter(({ keyword }) => !containers.has(keyword))
      .map(
        ({ instanceLocation, error }) =>
          `${instanceLocation.replace(/^#\/?/u, '') || 'arguments'}: ${error}`,
      );
  } catch {
    return [];
  }
}

const containers: ReadonlySet<string> = new Set(['properties', 'items', 'allOf', '$ref']);

function validatorOf(schema: JsonSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = new Validator(withoutPatterns(schema) as Schema, '2020-12', false);
  validators.set(schema, validator);
  return validator;
}

/** Somebody else's regular expression can take for ever on a text that a model chose; its tool looks for itself. */
const timeless: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format']);

/** A copy, because the validator writes into what it is given. A property may have any name, `pattern` too. */
function withoutPatterns(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isNames || !timeless.has(name))
      .map(([name, value]) => [name, withoutPatterns(value, !isNames && namesOf.has(name))]),
  );
}

/** Their fields are names that the schema's author chose. */
const namesOf: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

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
