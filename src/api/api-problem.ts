import { ServiceError } from '../service/http/failure.ts';
import type { ApiProblem } from './api-types.ts';

/** The person said no, or is being asked about others. */
export const notAllowed: ApiProblem = Object.freeze({
  ok: false,
  problem: 'not-allowed',
  message: 'The person did not allow it, or is being asked about something else.',
});

export const invalid = (message: string): ApiProblem =>
  Object.freeze({ ok: false, problem: 'invalid-request', message });

/** What was thrown, as data. Only what the service said is told: other errors may hold anything. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ServiceError) {
    const { code, message } = error.failure;
    return Object.freeze({ ok: false, problem: code, message });
  }
  const message = 'It failed because of an error in the extension. The log says more.';
  return Object.freeze({ ok: false, problem: 'internal-error', message });
}
