import * as v from 'valibot';
import { isRecord, type Json } from '../../src/base/json.ts';
import { ApiError } from './api-error.ts';

/**
 * Validates a request body. Rejects unknown top-level keys, and drops unknown nested keys.
 * @throws ApiError 400 if the body is invalid. The error has the service's format: `error`, `details` as a tree, and
 * `issues` as a list.
 */
export function parseClosed<const S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  schema: S,
  body: unknown,
): v.InferOutput<S> {
  const unknownKeys = isRecord(body)
    ? Object.keys(body).filter((key) => !Object.hasOwn(schema.entries, key))
    : [];
  return parseWithSchema(
    schema,
    body,
    unknownKeys.length > 0 ? [createUnrecognizedKeyIssue(unknownKeys)] : [],
  );
}

/** Validates a request body like {@link parseClosed}, but drops unknown top-level keys. */
export function parseOpen<const S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  schema: S,
  body: unknown,
): v.InferOutput<S> {
  return parseWithSchema(schema, body, []);
}

function parseWithSchema<const S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  schema: S,
  body: unknown,
  unknownKeyIssues: readonly Issue[],
): v.InferOutput<S> {
  const result = v.safeParse(schema, body);
  const issues = [...(result.issues?.map((issue) => toIssue(issue)) ?? []), ...unknownKeyIssues];
  if (!result.success || issues.length > 0) throw createInvalidRequestError(issues);
  return result.output;
}

/**
 * Checks that the request contains a model name.
 * @throws ApiError 400 if it does not
 */
export function requireModelName(model: unknown): void {
  if (model === undefined || model === '') throw new ApiError(400, 'model is required');
  if (typeof model !== 'string') throw new ApiError(400, 'model must be a string');
}

export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly [detail: string]: Json;
}

/** Creates the 400 error `Invalid request parameters` with the given issues. */
export function createInvalidRequestError(issues: readonly Issue[]): ApiError {
  const details: Details = { _errors: [] };
  for (const { path, message } of issues) addDetail(details, path, message);
  return new ApiError(400, {
    error: 'Invalid request parameters',
    details: details as Json,
    issues,
  });
}

/** Creates the issue for a text with more than `maxLength` characters. */
export function createTooLongIssue(path: readonly (string | number)[], maxLength: number): Issue {
  return {
    ...describeTooBig(maxLength, `String must contain at most ${maxLength} character(s)`),
    path,
  };
}

/** Creates the issue for a value that is valid, but that the model does not support. */
export function createCustomIssue(path: readonly (string | number)[], message: string): Issue {
  return { code: 'custom', path, message };
}

interface Details {
  _errors: string[];
  [field: string]: Details | string[];
}

function addDetail(details: Details, path: readonly (string | number)[], message: string): void {
  let node = details;
  for (const key of path) {
    node[key] ??= { _errors: [] };
    node = node[key] as Details;
  }
  node._errors.push(message);
}

/** Creates the issue for unknown keys in the object at `path`. */
export function createUnrecognizedKeyIssue(
  keys: readonly string[],
  path: readonly (string | number)[] = [],
): Issue {
  const quotedKeys = keys.map((key) => `'${key}'`).join(', ');
  return {
    code: 'unrecognized_keys',
    keys,
    path,
    message: `Unrecognized key(s) in object: ${quotedKeys}`,
  };
}

function toIssue(issue: v.BaseIssue<unknown>): Issue {
  const path = (issue.path ?? []).map(({ key }) => key as string | number);
  return { ...getIssueDetails(issue), path };
}

interface IssueDetails {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: Json;
}

function getIssueDetails(issue: v.BaseIssue<unknown>): IssueDetails {
  const receivedType = getTypeName(issue.input);
  const limit = 'requirement' in issue ? Number(issue.requirement) : 0;
  switch (issue.type) {
    case 'gt_value':
      return describeTooSmall(limit, `Number must be greater than ${limit}`);
    case 'min_value':
      return describeTooSmall(limit, `Number must be greater than or equal to ${limit}`);
    case 'max_value':
      return describeTooBig(limit, `Number must be less than or equal to ${limit}`);
    case 'min_length':
      return describeTooSmall(
        limit,
        `${formatContainsPhrase(issue.input)} at least ${limit} ${getLengthUnit(issue.input)}`,
      );
    case 'max_length':
      return describeTooBig(
        limit,
        `${formatContainsPhrase(issue.input)} at most ${limit} ${getLengthUnit(issue.input)}`,
      );
    case 'integer':
      return describeTypeMismatch('integer', 'float');
    case 'picklist':
    case 'literal':
    case 'variant':
      if (issue.input === undefined) return describeTypeMismatch('string', 'undefined');
      return describeInvalidOption(issue.expected ?? '', issue.received.replaceAll('"', ''));
    case 'union':
      return { code: 'invalid_union', message: 'Invalid input' };
    default:
      return getTypeMismatchDetails(issue, receivedType);
  }
}

function getTypeMismatchDetails(issue: v.BaseIssue<unknown>, receivedType: string): IssueDetails {
  if (issue.kind === 'validation') return { code: 'custom', message: issue.message };
  const expectedType = (issue.expected ?? 'unknown')
    .replaceAll('"', '')
    .replace('Object', 'object');
  return describeTypeMismatch(expectedType.replace('Array', 'array'), receivedType);
}

const describeTooSmall = (minimum: number, message: string): IssueDetails => ({
  code: 'too_small',
  minimum,
  message,
});

const describeTooBig = (maximum: number, message: string): IssueDetails => ({
  code: 'too_big',
  maximum,
  message,
});

const formatContainsPhrase = (input: unknown): string =>
  Array.isArray(input) ? 'Array must contain' : 'String must contain';

const getLengthUnit = (input: unknown): string =>
  Array.isArray(input) ? 'element(s)' : 'character(s)';

function describeTypeMismatch(expected: string, received: string): IssueDetails {
  const message =
    received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`;
  return { code: 'invalid_type', expected, received, message };
}

function describeInvalidOption(expected: string, received: string): IssueDetails {
  const options = expected.replace(/^\(|\)$/g, '').replaceAll('"', "'");
  const message = `Invalid enum value. Expected ${options}, received '${received}'`;
  return { code: 'invalid_enum_value', received, message };
}

function getTypeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
