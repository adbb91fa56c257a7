import { isRecord, type Json } from '../../../src/base/json.ts';
import { serviceVersion } from '../common-headers.ts';
import type { VendorNaming } from '../vendor-naming.ts';
import { errorReplies } from './error-replies.ts';
import { type JsonSchema, toClosedJsonSchema, toJsonSchema } from './json-schema.ts';
import { type Access, createOperations, type Operation, type ReplyContent } from './operations.ts';

/** The parts of an OpenAPI document that tests read. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface OperationObject {
  readonly summary: string;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly [field: string]: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface MediaTypeObject {
  readonly schema?: JsonSchema;
  /** Schema of one event of a stream (OpenAPI 3.2). */
  readonly itemSchema?: JsonSchema;
}

/** Creates the OpenAPI document of the API, with the deployment's prefix in the names of fields and headers. */
export function createDocument(naming: VendorNaming): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of createOperations(naming)) {
    const pathItem = (paths[operation.path] ??= {});
    pathItem[operation.method] = describeOperation(operation, naming);
  }
  const schemas = Object.fromEntries(
    Object.entries(errorReplies).map(([status, schema]) => [
      formatErrorName(status),
      toJsonSchema(schema),
    ]),
  );
  const document = {
    openapi: '3.2.0',
    info: {
      title: 'Inference API of the local service',
      version: serviceVersion,
      description:
        'Generated from the schemas that check requests. Tests check every reply against it.',
    },
    servers: [{ url: '/api/v1' }],
    paths,
    components: { schemas, securitySchemes },
  };
  return document;
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An INFERENCE or ADMIN key' },
  adminKey: { type: 'http', scheme: 'bearer', description: 'An ADMIN key' },
  wallet: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description: 'A sign-in message of this request, signed by a wallet, as base64 of JSON',
  },
};

/**
 * Security requirements in OpenAPI format, by the kind of credentials that a route accepts. A request must meet one of
 * them. The empty object represents a request without credentials.
 */
const securityByAccess: Readonly<Record<Access, readonly object[]>> = {
  none: [],
  'optional-key': [{}, { apiKey: [] }],
  key: [{ apiKey: [] }],
  'admin-key': [{ adminKey: [] }],
  'key-or-wallet': [{ apiKey: [] }, { wallet: [] }],
  wallet: [{ wallet: [] }],
};

/** Error statuses for missing or insufficient credentials, by the kind of credentials that a route accepts. */
const errorStatusesByAccess: Readonly<Record<Access, readonly number[]>> = {
  none: [],
  'optional-key': [401, 429],
  key: [401, 402, 429],
  'admin-key': [401, 402, 429],
  'key-or-wallet': [400, 401, 402, 429],
  wallet: [401, 402, 403, 429],
};

const bodyErrorStatuses = [400, 413, 415];

function describeOperation(operation: Operation, naming: VendorNaming): OperationObject {
  const { access, body, errorStatuses = [], replies, summary } = operation;
  const statuses = new Set([
    ...errorStatusesByAccess[access],
    ...(body ? bodyErrorStatuses : []),
    ...errorStatuses,
  ]);
  const headers = {
    [naming.getHeaderName('version')]: { schema: { type: 'string' }, required: true },
  };
  const hasSuccess = Object.keys(replies).length > 0;
  const errorEntries = [...statuses]
    .sort((a, b) => a - b)
    .map((status) => [String(status), { ...describeError(status), headers }] as const);
  return {
    summary,
    security: securityByAccess[access],
    parameters: [...describePathParameters(operation), ...describeQueryParameters(operation)],
    ...(body && { requestBody: describeBody(body) }),
    responses: {
      ...(hasSuccess && {
        200: { description: 'Success', content: mapValues(replies, describeReply), headers },
      }),
      ...Object.fromEntries(errorEntries),
    },
  };
}

function describeBody({
  schema,
  isClosed,
  mediaTypes,
  isOptional,
}: NonNullable<Operation['body']>) {
  const convertedSchema = isClosed ? toClosedJsonSchema(schema) : toJsonSchema(schema);
  const content = (mediaTypes ?? ['application/json']).map((type) => [
    type,
    { schema: convertedSchema },
  ]);
  return { required: isOptional !== true, content: Object.fromEntries(content) };
}

function describeReply(content: ReplyContent): MediaTypeObject {
  if (content.kind === 'bytes') return {};
  const schema = toJsonSchema(content.schema);
  if (content.kind === 'json') return { schema };
  const dataSchema = {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: schema,
  };
  return {
    itemSchema: {
      type: 'object',
      properties: { event: { type: 'string' }, data: { anyOf: [dataSchema, { const: '[DONE]' }] } },
      required: ['data'],
    },
  };
}

const formatErrorName = (status: string | number): string =>
  String(status) in errorReplies && status !== 'other' ? `Error${status}` : 'Error';

const describeError = (status: number): ResponseObject => ({
  description: `Error ${status}`,
  content: {
    'application/json': { schema: { $ref: `#/components/schemas/${formatErrorName(status)}` } },
  },
});

const describePathParameters = ({ path }: Operation): readonly object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function describeQueryParameters({ query }: Operation): readonly object[] {
  if (query === undefined) return [];
  const { properties, required } = toJsonSchema(query);
  const requiredNames = new Set(required as readonly Json[] | undefined);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: requiredNames.has(name),
    schema,
  }));
}

const mapValues = <T, R>(
  record: Readonly<Record<string, T>>,
  convert: (value: T) => R,
): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
