/** Format of ids that the host generates: opaque, short, and safe in a file name and in an attribute. */
export const idPattern = /^[\w-]{1,64}$/u;

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && idPattern.test(value);
