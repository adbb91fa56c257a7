/** Runs the end-to-end tests: `npm run test:e2e -- [--package FILE.vsix] [--screenshots] [filter…]`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { installBrowser } from '../support/browser.ts';
import { buildExtension } from '../support/build-extension.ts';
import { compileCacheFolder } from '../support/paths.ts';
import { getTallyPath } from '../support/tally.ts';
import { installServer } from '../support/vscode/server-install.ts';
import { screenshotsVariable } from './appearance.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { package: { type: 'string' }, screenshots: { type: 'boolean' } },
});
process.env['NODE_COMPILE_CACHE'] = compileCacheFolder;
if (values.screenshots) process.env[screenshotsVariable] = '1';
installBrowser();
await installServer();
await installServer('oldest');
if (values.package) process.env['INFERENCE_SERVICE_TEST_PACKAGE'] = resolve(values.package);
else buildExtension();

// With a package, run only the few suites that detect missing files.
const filters =
  values.package && positionals.length === 0
    ? ['smoke', 'sign-in', 'recovery', 'oldest-editor']
    : positionals;
await startVitest('test', filters, {
  config: 'test/e2e/vitest.config.ts',
  watch: false,
  reporters: ['verbose', 'json'],
  outputFile: { json: getTallyPath(values.package ? 'package' : 'e2e') },
}).then((vitest) => vitest.close());
