import { isRecord, numberOr, parseJson, stringOr } from '../../base/json.ts';

/** What an error body says, whichever of the shapes it has: `error` as text or object, `message`, `detail`, or lists of issues. */
export interface ErrorBody {
  /** The service's own words; empty when it has none. */
  readonly text: string;
  /** `code` and `type` of the error, lower case, joined by a space. */
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The body offers ways to pay or to authenticate: the request carried no credentials. */
  readonly isDiscovery: boolean;
}

/** Reads the text of an error reply. Pages and other non-JSON give their own text only when it is short and plain. */
export function readErrorBody(text: string): ErrorBody {
  const json = parseJson(text);
  if (json !== undefined) return readErrorJson(json);
  const isPage = /^\s*</.test(text);
  return { text: isPage ? '' : text.trim(), code: '', isDiscovery: false };
}

/** Reads a parsed error body, or the parsed `{"error": …}` of a stream. */
export function readErrorJson(json: unknown): ErrorBody {
  if (!isRecord(json)) return { text: stringOr(json, ''), code: '', isDiscovery: false };
  const inner = isRecord(json['error']) ? json['error'] : {};
  const requestId = stringOr(json['request_id'], undefined);
  const retryAfter = numberOr(inner['retry_after'] ?? json['retry_after'], undefined);
  return {
    text: textOf(json, inner),
    code: [inner['code'], inner['type'], json['code'], json['reason']]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .toLowerCase(),
    isDiscovery: 'authOptions' in json || ('x402Version' in json && 'accepts' in json),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: Math.max(0, retryAfter * 1_000) }),
  };
}

function textOf(json: Record<string, unknown>, inner: Record<string, unknown>): string {
  const main = [inner['message'], json['error'], json['message'], json['detail']].find(
    (part) => typeof part === 'string' && part !== '',
  );
  const details = typeof json['details'] === 'string' ? [json['details']] : issuesOf(json);
  return [stringOr(main, ''), ...details].filter((part) => part !== '').join('; ');
}

/** Validation issues as `path: message`; the field errors of `details` say the same. */
function issuesOf(json: Record<string, unknown>): string[] {
  const issues = Array.isArray(json['issues']) ? json['issues'].filter(isRecord) : [];
  if (issues.length > 0) return issues.slice(0, 5).map(issueText);
  const details = isRecord(json['details']) ? Object.entries(json['details']) : [];
  return details.slice(0, 5).flatMap(([field, value]) => {
    const errors = isRecord(value) ? value['_errors'] : undefined;
    return Array.isArray(errors) ? errors.map((error) => `${field}: ${String(error)}`) : [];
  });
}

function issueText(issue: Record<string, unknown>): string {
  const path = Array.isArray(issue['path']) ? issue['path'].join('.') : '';
  const message = stringOr(issue['message'], '');
  return path === '' || message.includes(path) ? message : `${path}: ${message}`;
}
