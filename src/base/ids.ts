/** The form of ids that the host makes: opaque, short, safe in a file name and in an attribute. */
export const idPattern = /^[\w-]{1,64}$/u;

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && idPattern.test(value);
