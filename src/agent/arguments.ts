import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema, ToolArguments } from './tool.ts';
import { isRecord, type Json, parseJson } from '../base/json.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Returns one sentence for each way in which `value` violates the schema; empty if `value` fits the schema. */
export type ValidateSchema = (schema: JsonSchema, value: unknown) => readonly string[];

const maxReportedProblems = 5;

/**
 * Parses the arguments of a tool call from the JSON text that the model wrote.
 * @throws ToolError `bad-arguments`, with a message that lets the model correct the call
 */
export function readArguments(
  text: string,
  schema: JsonSchema,
  validate: ValidateSchema,
): ToolArguments {
  const parsedArguments = text.trim() === '' ? {} : parseJson(text);
  if (!isRecord(parsedArguments)) {
    throw new ToolError('bad-arguments', 'The arguments are not a JSON object. Nothing was done.');
  }
  // Copies the arguments to an object without a prototype, so that a name such as `__proto__` has
  // no effect.
  const args = Object.assign(Object.create(null) as object, parsedArguments) as {
    [name: string]: Json;
  };
  const problems = validate(schema, parsedArguments);
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
 * Returns one sentence for each way in which `value` violates the schema; empty if `value` fits the schema. Accepts
 * every value if the schema cannot be compiled. Such a schema belongs to another extension, whose tool checks the
 * arguments itself.
 */
export function validateSchema(schema: JsonSchema, value: unknown): readonly string[] {
  try {
    const { errors } = getValidator(schema).validate(value);
    // Outer errors only report that a nested value is invalid.
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

function getValidator(schema: JsonSchema): Validator {
  const cachedValidator = validators.get(schema);
  if (cachedValidator !== undefined) return cachedValidator;
  const validator = new Validator(removeUnboundedKeywords(schema) as Schema, '2020-12', false);
  validators.set(schema, validator);
  return validator;
}

/**
 * Schema keywords that are not checked, because regular expressions of other extensions could run forever on text from
 * a model. The tools check these constraints themselves.
 */
const unboundedKeywords: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format']);

/**
 * Returns a copy of the schema without {@link unboundedKeywords}. The validator receives the copy, because it modifies
 * its schema.
 * @param isNameMap True if the keys of `schema` are property names, which may equal a keyword.
 */
function removeUnboundedKeywords(schema: unknown, isNameMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => removeUnboundedKeywords(item));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isNameMap || !unboundedKeywords.has(name))
      .map(([name, value]) => [
        name,
        removeUnboundedKeywords(value, !isNameMap && nameMapKeywords.has(name)),
      ]),
  );
}

/** Schema keywords whose value is an object with one member per property or definition name. */
const nameMapKeywords: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

/**
 * Returns a required string argument. Checks that the argument is a string, because some callers do not validate
 * arguments against the schema.
 * @throws ToolError `bad-arguments` for a missing or empty argument, or one that is not a string
 */
export function readStringArgument(args: ToolArguments, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ToolError('bad-arguments', `"${name}" must be a text that is not empty.`);
}

export function readOptionalString(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns an integer argument. Returns `max` for a higher value, and the fallback for a missing argument.
 * @throws ToolError `bad-arguments` for a value that is not an integer or is below `min`
 */
export function readIntegerArgument<T>(
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

export const readBooleanArgument = (args: ToolArguments, name: string): boolean =>
  args[name] === true;
