import { describe, expect, test } from 'vitest';
import { formatError } from './format-error.ts';

describe('formatError', () => {
  test("shows the error of a test even if an error of the cleanup suppresses the test's error", async () => {
    const run = async (): Promise<void> => {
      await using _resource = {
        [Symbol.asyncDispose]: () => Promise.reject(new Error('folder is not empty')),
      };
      throw new Error('wrong text', { cause: new Error('no file') });
    };
    const text = formatError(await run().catch((error: unknown) => error));
    expect(text).toMatch(/^SuppressedError/u);
    expect(text).toMatch(/\n\[suppressed\] Error: wrong text\n {2,}at /u);
    expect(text).toContain('\n  [cause] Error: no file');
    expect(text).toContain('\n[error] Error: folder is not empty');
  });

  test('shows all errors of an AggregateError, and values that are not errors', () => {
    const text = formatError(new AggregateError([new Error('first'), 'second'], 'both'));
    expect(text).toContain('[errors 0] Error: first');
    expect(text).toContain('[errors 1] second');
  });

  test('terminates for an error that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(formatError(error)).toContain('[cause] Error: loop');
  });
});
