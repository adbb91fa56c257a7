import type { RecentOutcome } from '../account/recent-outcomes.ts';
import { redact, redactionMark } from '../base/redact.ts';
import type { ConnectionFacts } from '../service/http/connection.ts';
import type { Model, ModelFact } from '../service/model-types.ts';

/** Information about the connection for an issue report. */
export interface DiagnosticsInput {
  /** Version numbers by program name. */
  readonly versions: Readonly<Record<string, string>>;
  /** State of the API key, such as `usable`. Never contains the key itself. */
  readonly keyState: string;
  readonly baseUrl: string;
  readonly facts: ConnectionFacts;
  /** Model that chats use. Absent if the service does not list the model. */
  readonly model?: Model | undefined;
  readonly outcomes: readonly RecentOutcome[];
  /** API keys to remove from all values of the report. */
  readonly secrets: readonly string[];
}

/**
 * Formats diagnostics as Markdown. Excludes keys, wallet addresses, host names, texts of the user and texts of the
 * service.
 */
export function formatDiagnostics(input: DiagnosticsInput): string {
  const clean = (value: string): string => cleanText(value, input.secrets);
  const quote = (name: string): string => quoteName(name, input.secrets);
  const { facts, model, outcomes } = input;
  const fieldEntries = Object.entries(facts.fields ?? {});
  // A key can continue with a model id after the field.
  const formatFields = (keys: readonly string[]): string =>
    formatList([...new Set(keys.map((key) => quote(key.replace(/:.*$/su, ''))))]);
  const formatFieldKeys = (isAccepted: boolean): string =>
    formatFields(fieldEntries.filter(([, value]) => value === isAccepted).map(([key]) => key));
  const serviceVersion = outcomes.findLast((outcome) => outcome.serviceVersion)?.serviceVersion;
  return [
    ...Object.entries(input.versions).map(([name, version]) => `${name}: ${clean(version)}`),
    `service: ${serviceVersion ?? 'unknown'}`,
    `address: ${describeAddress(input.baseUrl)}`,
    `key: ${input.keyState}`,
    `word: ${facts.word === undefined ? 'unknown' : quote(facts.word)}`,
    `fields accepted: ${formatFieldKeys(true)}`,
    `fields refused: ${formatFieldKeys(false)}`,
    `fields left out: ${formatFields(facts.omitted ?? [])}`,
    ...(model === undefined ? ['model: not listed'] : getModelLines(model, { clean, quote })),
    `recent: ${formatList(outcomes.map(formatOutcome))}`,
  ]
    .map((line) => `- ${line}`)
    .join('\n');
}

const formatList = (parts: readonly string[]): string =>
  parts.length === 0 ? 'none' : parts.join(', ');

/**
 * Describes the service's URL by its scheme, and by whether the service runs on this machine. Omits the host name,
 * which can be private. Returns `invalid` if the URL is invalid.
 */
function describeAddress(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return 'invalid';
  const { protocol, hostname } = new URL(baseUrl);
  const isLocal = /^(?:localhost|127\.|\[::1\])/u.test(hostname);
  return `${protocol}//, ${isLocal ? 'this machine' : 'another machine'}`;
}

function getModelLines(
  model: Model,
  { clean, quote }: Readonly<Record<'clean' | 'quote', (value: string) => string>>,
): string[] {
  const { capabilities, contextTokens, origins = {} } = model;
  const facts: readonly (readonly [ModelFact, string])[] = [
    ['context', contextTokens === undefined ? 'unknown' : String(contextTokens)],
    ['tools', formatCapability(capabilities.supportsFunctionCalling)],
    ['images', formatCapability(capabilities.supportsVision)],
    ['reasoning', formatCapability(capabilities.supportsReasoning)],
  ];
  return [
    `model: ${quote(model.id)}`,
    ...facts.map(([fact, value]) => {
      const source = origins[fact] ?? (value === 'unknown' ? undefined : 'model list');
      return `${fact}: ${value}${source === undefined ? '' : ` (${clean(source)})`}`;
    }),
  ];
}

function formatCapability(value: boolean | undefined): string {
  if (value === undefined) return 'unknown';
  return value ? 'yes' : 'no';
}

const formatOutcome = ({ time, code, status }: RecentOutcome): string =>
  [new Date(time).toISOString().slice(11, 19), status, code]
    .filter((part) => part !== undefined)
    .join(' ');

const addressPattern = /0x[0-9a-f]{40}/giu;
const maxNameLength = 100;

/** Removes secrets and wallet addresses from a text. */
const removeSecrets = (value: string, secrets: readonly string[]): string =>
  redact(
    secrets
      .filter((secret) => secret !== '')
      .reduce((text, secret) => text.replaceAll(secret, redactionMark), value),
    secrets,
  ).replaceAll(addressPattern, redactionMark);

/** Matches each character that can be part of a link, a mention or a code span in Markdown, such as `[` or `@`. */
const markupPattern = /[@[\]()`]/gu;

/**
 * Removes secrets and Markdown syntax from the name of a program or of an API route. Replaces all other characters that
 * do not occur in such names with `?`.
 */
const cleanText = (value: string, secrets: readonly string[]): string =>
  removeSecrets(value, secrets)
    .replaceAll(markupPattern, '')
    .replaceAll(/:\/{2,}/gu, ':')
    .replaceAll(/[^\w.:/+ -]/gu, '?')
    .slice(0, maxNameLength);

/**
 * Formats a name from the service as a code span, so that a link or a mention in the name has no effect. Keeps only the
 * last segment of a path, because a path can be private. Returns `unknown` if no character of the name remains.
 */
function quoteName(value: string, secrets: readonly string[]): string {
  const segments = removeSecrets(value, secrets).split(/[/\\]/u);
  const name = (segments.findLast((segment) => segment.trim() !== '') ?? '')
    .replaceAll(markupPattern, '')
    .replaceAll(/[^\w.:+-]/gu, '?')
    .slice(0, maxNameLength);
  return name === '' ? 'unknown' : `\`${name}\``;
}
