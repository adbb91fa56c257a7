import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../agent/tool.ts';

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
  // The validator writes into the schema it is given.
  const validator = new Validator(structuredClone(schema) as Schema, '2020-12', false);
  validators.set(schema, validator);
  return validator;
}
