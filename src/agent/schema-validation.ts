import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from './tool.ts';
import { isRecord } from '../base/json.ts';

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
