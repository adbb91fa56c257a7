/** What kind of error it is. Its message is left out: those of language services quote paths and source text. */
export function errorName(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === 'string' && isName.test(name) ? name : 'Error';
}

/** A name is only a property, and could be anything. */
const isName = /^[A-Za-z]{1,40}$/u;
