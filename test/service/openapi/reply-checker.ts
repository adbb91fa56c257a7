import { Validator } from '@cfworker/json-schema';
import { isRecord, parseJson, readStringOr } from '../../../src/base/json.ts';
import type { MediaTypeObject, OpenApiDocument, ResponseObject } from './document.ts';
import type { JsonSchema } from './json-schema.ts';

/** Reply of a route, before compression. */
export interface SentReply {
  readonly method: string;
  /** Path of the route below the base URL. Path parameters are in braces. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Text of a JSON body or of a stream of events. Undefined for binary bodies. */
  readonly text: string | undefined;
}

/** Compares replies with the OpenAPI document. */
export class ReplyChecker {
  readonly #document: OpenApiDocument;
  readonly #validators = new Map<JsonSchema, Validator>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** Returns one sentence per difference between the reply and the document. Empty if there is no difference. */
  findProblems(reply: SentReply): readonly string[] {
    const { method, path, status } = reply;
    const location = `${method} ${path} ${status}`;
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return [`${location}: the route is not documented`];
    const response = operation.responses[String(status)];
    if (response === undefined) return [`${location}: the status is not documented`];
    const problems = [
      ...findMissingHeaders(response, reply),
      ...this.#listContentProblems(response, reply),
    ];
    return problems.map((problem) => `${location}: ${problem}`);
  }

  #listContentProblems({ content = {} }: ResponseObject, reply: SentReply): readonly string[] {
    const type = readStringOr(reply.headers['content-type'], '').replace(/;.*/s, '');
    const media = content[type];
    if (media === undefined) return [`the content type ${type} is not documented`];
    if (reply.text === undefined) return [];
    return media.itemSchema === undefined
      ? this.#listJsonProblems(media, reply.text)
      : this.#listEventProblems(media.itemSchema, reply.text);
  }

  #listJsonProblems({ schema }: MediaTypeObject, text: string): readonly string[] {
    return schema === undefined ? [] : this.#validate(schema, text);
  }

  #listEventProblems(itemSchema: JsonSchema, text: string): readonly string[] {
    const schema = getEventDataSchema(itemSchema);
    const events = text.split('\n\n').filter((event) => event !== '');
    return events.flatMap((event) => {
      const data = /^(?:event: .+\n)?data: (.*)$/.exec(event)?.[1];
      if (data === undefined) return [`${event} is no event`];
      return data === '[DONE]' ? [] : this.#validate(schema, data);
    });
  }

  #validate(schema: JsonSchema, text: string): readonly string[] {
    const value = parseJson(text);
    if (value === undefined) return [`${text.slice(0, 100)} is not JSON`];
    const resolvedSchema = this.#resolve(schema);
    const validator = this.#validators.get(resolvedSchema) ?? new Validator(resolvedSchema);
    this.#validators.set(resolvedSchema, validator);
    return validator
      .validate(value)
      .errors.map(
        ({ instanceLocation, keyword, error }) => `${instanceLocation} ${keyword}: ${error}`,
      );
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const name = readStringOr(schema['$ref'], '').replace('#/components/schemas/', '');
    return this.#document.components.schemas[name] ?? schema;
  }
}

const findMissingHeaders = (
  { headers = {} }: ResponseObject,
  reply: SentReply,
): readonly string[] =>
  Object.keys(headers)
    .filter((name) => reply.headers[name] === undefined)
    .map((name) => `the header ${name} is missing`);

/** Returns the schema of the JSON in the events of a stream. */
function getEventDataSchema({ properties }: JsonSchema): JsonSchema {
  const data = isRecord(properties) ? properties['data'] : undefined;
  const [jsonSchema] = isRecord(data) && Array.isArray(data['anyOf']) ? data['anyOf'] : [];
  return (isRecord(jsonSchema) ? jsonSchema['contentSchema'] : {}) as JsonSchema;
}
