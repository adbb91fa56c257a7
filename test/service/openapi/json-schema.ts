import type * as v from 'valibot';
import { isRecord, type Json } from '../../../src/base/json.ts';

export type JsonSchema = Readonly<Record<string, Json>>;

/** Schema of the library `valibot`. */
export type AnySchema = v.GenericSchema;

/** Fields of schemas and validations that the conversion to JSON Schema reads. */
interface SchemaNode {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata';
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly item?: SchemaNode;
  readonly wrapped?: SchemaNode;
  readonly value?: SchemaNode;
  readonly literal?: Json;
  readonly options?: readonly (SchemaNode | Json)[];
  readonly default?: unknown;
  readonly requirement?: unknown;
  readonly pipe?: readonly SchemaNode[];
}

/**
 * Converts a schema to JSON Schema (draft 2020-12). The result describes the input of the schema, before
 * transformations and defaults.
 */
export function toJsonSchema(schema: AnySchema): JsonSchema {
  return convertNode(schema);
}

/** Converts an object schema like {@link toJsonSchema}. The result forbids fields that the schema does not define. */
export const toClosedJsonSchema = (schema: AnySchema): JsonSchema => ({
  ...toJsonSchema(schema),
  additionalProperties: false,
});

function convertNode(node: SchemaNode): JsonSchema {
  let convertedSchema = convertType(node);
  for (const action of node.pipe?.slice(1) ?? []) {
    // Later actions apply to the transformed value.
    if (action.kind === 'transformation') break;
    convertedSchema = {
      ...convertedSchema,
      ...convertAction(action, convertedSchema['type'] === 'array'),
    };
  }
  return convertedSchema;
}

function convertType(node: SchemaNode): JsonSchema {
  switch (node.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return { type: node.type };
    case 'literal':
      return { const: node.literal! };
    case 'picklist':
      return { enum: node.options as readonly Json[] };
    case 'array':
      return { type: 'array', items: convertNode(node.item!) };
    case 'object':
    case 'loose_object':
      return convertObject(node);
    case 'strict_object':
      return { ...convertObject(node), additionalProperties: false };
    case 'record':
      return { type: 'object', additionalProperties: convertNode(node.value!) };
    case 'union':
    case 'variant':
      return { anyOf: (node.options as readonly SchemaNode[]).map(convertNode) };
    case 'optional':
      return { ...convertNode(node.wrapped!), ...convertDefault(node) };
    case 'nullish':
    case 'nullable':
      return { anyOf: [convertNode(node.wrapped!), { type: 'null' }], ...convertDefault(node) };
    case 'instance':
      // A class instance is always a file in a form.
      return { type: 'string', format: 'binary' };
    case 'unknown':
    case 'custom':
      return {};
    default:
      throw new Error(`No JSON Schema for the schema type ${node.type}. Add it to this switch.`);
  }
}

const optionalTypes = new Set(['optional', 'nullish']);

function convertObject({ entries = {} }: SchemaNode): JsonSchema {
  const fields = Object.entries(entries);
  const requiredNames = fields
    .filter(([, field]) => !optionalTypes.has(field.type))
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, convertNode(field)])),
    ...(requiredNames.length > 0 && { required: requiredNames }),
  };
}

function convertDefault({ default: value }: SchemaNode): JsonSchema {
  const isListed = value !== undefined && typeof value !== 'function' && !isRecord(value);
  return isListed ? { default: value as Json } : {};
}

function convertAction({ type, requirement }: SchemaNode, isArray: boolean): JsonSchema {
  switch (type) {
    case 'min_length':
      return { [isArray ? 'minItems' : 'minLength']: requirement as number };
    case 'max_length':
      return { [isArray ? 'maxItems' : 'maxLength']: requirement as number };
    case 'min_value':
      return { minimum: requirement as number };
    case 'max_value':
      return { maximum: requirement as number };
    case 'gt_value':
      return { exclusiveMinimum: requirement as number };
    case 'integer':
      return { type: 'integer' };
    case 'regex':
      return { pattern: (requirement as RegExp).source };
    // A check in code has no counterpart in JSON Schema.
    case 'check':
      return {};
    default:
      throw new Error(`No JSON Schema for the validation ${type}. Add it to this switch.`);
  }
}
