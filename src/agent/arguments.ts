import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema, ToolArguments } from './tool.ts';
import { isRecord, type Json, parseJson } from '../base/json.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Says what is wrong with `value`, one sentence each; nothing when it fits the schema. */
export type ValidateSchema = (schema: JsonSchema, value: unknown) => readonly string[];

const maxReportedProblems = 5;

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
      .slice(0, maxReportedProblems)
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
      .filter(({ keyword }) => !wrapperKeywords.has(keyword))
      .map(
        ({ instanceLocation, error }) =>
          `${instanceLocation.replace(/^#\/?/u, '') || 'arguments'}: ${error}`,
      );
  } catch {
    return [];
  }
}

const wrapperKeywords: ReadonlySet<string> = new Set(['properties', 'items', 'allOf', '$ref']);

function validatorOf(schema: JsonSchema): Validator {
  const cached = validators.get(schema);
  if (cached !== undefined) return cached;
  const validator = new Validator(withoutPatterns(schema) as Schema, '2020-12', false);
  validators.set(schema, validator);
  return validator;
}

/** Somebody else's regular expression can take for ever on a text that a model chose; its tool looks for itself. */
const unboundedKeywords: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format']);

/** A copy, because the validator writes into what it is given. A property may have any name, `pattern` too. */
function withoutPatterns(schema: unknown, isNameMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutPatterns(item));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isNameMap || !unboundedKeywords.has(name))
      .map(([name, value]) => [
        name,
        withoutPatterns(value, !isNameMap && nameMapKeywords.has(name)),
      ]),
  );
}

/** Their fields are names that the schema's author chose. */
const nameMapKeywords: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

/** Reading arguments that were checked against the tool's schema; a hand-made call may still be wrong. */
export function stringArgument(args: ToolArguments, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolError('bad-arguments', `"${name}" must be a text that is not empty.`);
}

export function optionalString(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number within the limits, or the fallback where none is given. */
export function integerArgument<T>(
  args: ToolArguments,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: T },
): number | T {
  const value = args[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min)
    return Math.min(value, max);
  throw new ToolError('bad-arguments', `"${name}" must be a whole number, ${min} or more.`);
}

export const booleanArgument = (args: ToolArguments, name: string): boolean => args[name] === true;
