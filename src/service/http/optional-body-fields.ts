import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { Connection, OptionalField } from './connection.ts';

/**
 * Returns the body without the optional fields that requests to this service leave out, for example because the service
 * refused them. Returns the same object if the body contains none of these fields.
 */
export function removeOmittedFields(
  body: object,
  fields: readonly OptionalField[],
  { connection, vendorPrefix }: { readonly connection: Connection; readonly vendorPrefix: string },
): object {
  let remainingBody = body as JsonRecord;
  for (const field of fields) {
    if (connection.isOmitted(field))
      remainingBody = removeField(remainingBody, getBodyPath(field, vendorPrefix));
  }
  return remainingBody;
}

/** Returns the optional fields that a body contains. */
export const listContainedFields = (
  body: object | undefined,
  fields: readonly OptionalField[],
  vendorPrefix: string,
): readonly OptionalField[] =>
  fields.filter((field) => {
    const [name, nestedName] = getBodyPath(field, vendorPrefix);
    const value = (body as JsonRecord | undefined)?.[name];
    if (nestedName === undefined) return value !== undefined;
    if (Array.isArray(value))
      return value.some((message) =>
        getContentParts(message).some((part) => isRecord(part) && nestedName in part),
      );
    return isRecord(value) && nestedName in value;
  });

/**
 * Returns the field whose name an error text rejects. Ignores texts that reject only the value of the field, and
 * sentences that contain the name but no rejection. Prefers nested fields to the object that contains them, because a
 * text that names a nested field usually names the object too.
 */
export function findRefusedField(
  text: string,
  fields: readonly OptionalField[],
  vendorPrefix: string,
): OptionalField | undefined {
  const clauses = findClauses(text);
  const rejections = clauses
    .map((clause) => clause.replace(permittedNamesPattern, ''))
    .filter((clause) => rejectionPattern.test(clause));
  return [...fields]
    .sort((a, b) => Number(b.path.includes('.')) - Number(a.path.includes('.')))
    .find((field) => {
      const name = getBodyPath(field, vendorPrefix).findLast((part) => part !== undefined) ?? '';
      const pattern = createNamePattern(name);
      const namesField = (clause: string): boolean =>
        pattern.test(clause) && !(field.path === 'parameters' && rejectsNestedValue(clause, name));
      return (
        rejections.some(namesField) ||
        clauses.some((clause) => rejectsName(clause, name)) ||
        clauses.some((clause) => field.refusalPattern?.test(clause))
      );
    });
}

/** Returns a pattern that matches a field name, also written with spaces or capital letters as in a sentence. */
const createNamePattern = (name: string): RegExp =>
  name.includes('_')
    ? new RegExp(`(?<!\\w)${name.replaceAll('_', '[ _-]?')}(?!\\w)`, 'iu')
    : new RegExp(`(?<!\\w)${name}(?!\\w)`, 'u');

/** Checks whether a clause rejects a field with words that must be next to its name, such as `seed is forbidden`. */
function rejectsName(clause: string, name: string): boolean {
  const quotedName = `(?<![\\w.])(?<quote>["'\`]?)${name}\\k<quote>`;
  const contains = (pattern: string): boolean => new RegExp(pattern, 'u').test(clause);
  if (contains(`${quotedName}:? ${nameRejectionSource}`)) return true;
  const isInvalid =
    contains(`[Ii]nvalid ${fieldNoun}s?:? ${quotedName}(?![\\w.[])`) ||
    contains(`${quotedName}:? [Ii]nvalid ${fieldNoun}\\W*$`);
  return isInvalid && !valueRulePattern.test(clause);
}

const fieldNoun = '(?:parameter|field|argument|option|property)';

/** Source of a regular expression for words after a field name that reject the field, such as `is forbidden`. */
const nameRejectionSource =
  "(?:(?:is|are) (?:forbidden|disabled)|(?:can ?not|can't|may not|must not|should not) be (?:present|provided|sent|specified|used|set(?! to)))";

/** Matches words that state a rule for the value of a field, such as `must` or `between`. */
const valueRulePattern =
  /\b(?:must|should|expected|at (?:most|least)|greater|less|between|range|one of)\b/iu;

/**
 * Checks whether a clause rejects only the value of a field inside `objectName`, such as
 * `parameters.seed must be positive`. Such a clause does not reject the object itself.
 */
const rejectsNestedValue = (clause: string, objectName: string): boolean =>
  new RegExp(`(?<!\\w)${objectName}['"\\]]*[.[]['"]?\\w`, 'u').test(clause) &&
  !unknownFieldPattern.test(clause);

/** Matches texts that report a field or its value as unknown or unsupported, for example `is not supported`. */
const rejectionPattern =
  /unrecogni[sz]ed|unsupported|unknown|unexpected|extra_forbidden|(?:not|n't) (?:be )?(?:supported|permitted|allowed|accepted|available|recogni[sz]ed)|(?:not|n't) (?:support|accept|allow|take|have)|is sized by|has no |additional propert|cannot find field|no such|should not exist|not (?:a )?valid (?:\w+ )?(?:argument|field|key|parameter|propert)|(?:disallowed|forbidden) (?:argument|field|key|parameter|propert)/iu;

/**
 * Matches texts that report the name of a field as unknown or unsupported, for example `unknown parameter`. Does not
 * match texts about the value of a field, for example `unsupported value`.
 */
const unknownFieldPattern =
  /extra[_ ](?:inputs|forbidden)|(?:unrecogni[sz]ed|unsupported|unknown|unexpected)\W+(?:\w+\W+)?(?:argument|field|input|key|member|name|option|parameter|propert)|additional propert|cannot find field|no such|should not exist|not (?:a )?valid (?:\w+ )?(?:argument|field|key|parameter|propert)/iu;

/**
 * Matches a list of the names that a server accepts, such as `supported fields: a, b`, at the end of a clause. These
 * names do not count as rejected.
 */
const permittedNamesPattern =
  /(?<!(?:not|n't) (?:be )?)\b(?:(?:allowed|supported|accepted|permitted|known|available)(?: \w+)?(?::| are\b)|expected\b|valid (?:fields|keys|options|parameters)\b|did you mean\b).*/isu;

/** Properties of a JSON error that name the rejected field, in the formats of Zod, Pydantic and OpenAI. */
const fieldNameProperties: ReadonlySet<string> = new Set(['path', 'loc', 'param', 'keys', 'field']);

/**
 * Splits an error text into sentences. In a JSON text, the name of a rejected field is often in another property than
 * the sentence about the field. Each sentence from JSON therefore starts with the field names in its object and in the
 * enclosing objects.
 */
function findClauses(text: string): readonly string[] {
  try {
    return findNestedClauses(JSON.parse(text), '');
  } catch {
    return splitSentences(text);
  }
}

/** Properties of a JSON error that quote the request or state the expected type. Their values are ignored. */
const quotationProperties: ReadonlySet<string> = new Set([
  ...['input', 'ctx', 'value', 'body'],
  ...['expected', 'received'],
]);

/**
 * Properties of an error whose texts are about the enclosing object, such as `message`. Any other property is named
 * after a nested field.
 */
const enclosingTextProperties: ReadonlySet<string> = new Set([
  ...['_errors', 'errors', 'error', 'details', 'detail', 'issues'],
  ...['message', 'msg', 'code', 'type'],
]);

/**
 * Returns the sentences in a JSON value, each preceded by the names of the fields that it is about.
 * @param subject Field names in the enclosing objects. Names of nested fields are joined with dots.
 */
function findNestedClauses(value: unknown, subject: string): readonly string[] {
  if (typeof value === 'string')
    return splitSentences(value).map((sentence) => `${subject} ${sentence}`);
  if (Array.isArray(value)) return value.flatMap((item) => findNestedClauses(item, subject));
  if (!isRecord(value)) return [];
  const fieldNames = Object.entries(value)
    .filter(([name]) => fieldNameProperties.has(name))
    .map(([property, names]) => [names].flat().join(property === 'keys' ? ' ' : '.'));
  const nestedSubject = [subject, ...fieldNames].join(' ');
  return Object.entries(value)
    .filter(([name]) => !quotationProperties.has(name))
    .flatMap(([name, nestedValue]) =>
      findNestedClauses(
        nestedValue,
        enclosingTextProperties.has(name) || fieldNameProperties.has(name)
          ? nestedSubject
          : `${nestedSubject}.${name}`,
      ),
    );
}

const splitSentences = (text: string): readonly string[] => text.split(/(?<=[.;!?])\s|\n/u);

/**
 * Returns the name of a top-level field in the request body. For a nested field, returns the name of the object that
 * contains it and the name of the field in this object.
 */
function getBodyPath({ path }: OptionalField, vendorPrefix: string): [string, string?] {
  const [name = '', nestedName] = path.split('.');
  const outerName = name === 'parameters' ? `${vendorPrefix}_parameters` : name;
  return nestedName === undefined ? [outerName] : [outerName, nestedName];
}

function removeField(body: JsonRecord, [name, nestedName]: readonly [string, string?]): JsonRecord {
  const { [name]: value, ...rest } = body;
  if (nestedName === undefined) return rest;
  if (!isRecord(value)) return body;
  const { [nestedName]: _, ...remainingFields } = value;
  return Object.keys(remainingFields).length === 0 ? rest : { ...rest, [name]: remainingFields };
}

const getContentParts = (message: unknown): readonly unknown[] =>
  isRecord(message) && Array.isArray(message['content']) ? message['content'] : [];
