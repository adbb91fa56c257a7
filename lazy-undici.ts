import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const loadedAtStart = "const connectH2 = require('./client-h2.js')";
const loadedOnUse = "const connectH2 = (...args) => require('./client-h2.js')(...args)";

/**
 * Source of a module that replaces `node:assert`. The module evaluates assertions itself, and loads `node:assert` only
 * to throw the error of a failed assertion.
 */
const lazyAssert = `
  const load = () => process.getBuiltinModule('node:assert');
  const assert = (value, message) => { if (!value) load()(value, message); };
  assert.equal = (...args) => { if (!Object.is(args[0], args[1])) load().equal(...args); };
  assert.strictEqual = (...args) => { if (!Object.is(args[0], args[1])) load().strictEqual(...args); };
  assert.notStrictEqual = (...args) => { if (Object.is(args[0], args[1])) load().notStrictEqual(...args); };
  module.exports = assert;`;

/**
 * Build plugin that makes undici load `node:assert` and the HTTP/2 client, which requires `node:http2`, on first use.
 * Otherwise, loading these modules takes a third of the time of the first request.
 */
export const lazyUndici: Plugin = {
  name: 'lazy-undici',
  setup(build) {
    build.onLoad(
      { filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client\.js$/ },
      async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = source.replace(loadedAtStart, loadedOnUse);
        if (contents === source)
          throw new Error(`${path} no longer loads client-h2.js as expected.`);
        return { contents };
      },
    );
    build.onResolve({ filter: /^node:assert$/ }, ({ importer, path }) =>
      /[\\/]undici[\\/]lib[\\/]/u.test(importer) ? { path, namespace: 'lazy-assert' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'lazy-assert' }, () => ({ contents: lazyAssert }));
  },
};
