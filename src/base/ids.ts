/**
 * Pattern of ids that the extension host generates, of tool names and of wallet ids. Matching ids are safe in file names
 * and in HTML attributes.
 */
export const idPattern = /^[\w-]{1,64}$/u;

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && idPattern.test(value);
