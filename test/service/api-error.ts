import type { Json } from '../../src/base/json.ts';

/** Error response of the service: status, body and headers exactly as sent. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string | Json, headers: Readonly<Record<string, string>> = {}) {
    const fullBody = typeof body === 'string' ? { error: body } : body;
    super(`${status} ${JSON.stringify(fullBody)}`);
    this.status = status;
    this.body = fullBody;
    this.headers = headers;
  }
}
