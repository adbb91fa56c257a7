const maxDepth = 8;

/**
 * Returns the stack of an error, followed by the stacks of all errors that it contains: `cause`, `errors`, and both
 * errors of a `SuppressedError`. If a cleanup fails after a test failed, its `SuppressedError` would otherwise hide the
 * failure of the test.
 */
export function formatError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const lines = [error.stack ?? String(error)];
  if (depth < maxDepth)
    for (const [name, nestedError] of listNestedErrors(error))
      lines.push(`[${name}] ${formatError(nestedError, depth + 1)}`.replaceAll('\n', '\n  '));
  return lines.join('\n');
}

function listNestedErrors(error: Error): readonly (readonly [name: string, error: unknown])[] {
  const names = ['suppressed', 'error', 'cause'].filter((name) => Object.hasOwn(error, name));
  const fields = names.map((name) => [name, Reflect.get(error, name) as unknown] as const);
  const errors: unknown = Reflect.get(error, 'errors');
  return Array.isArray(errors)
    ? [...fields, ...errors.map((item: unknown, index) => [`errors ${index}`, item] as const)]
    : fields;
}
