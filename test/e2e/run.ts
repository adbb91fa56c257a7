/** `npm run test:e2e [-- --package FILE.vsix] [filter…]`: journeys through a real workbench in a real browser. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { installBrowser } from '../support/browser.ts';
import { buildExtension } from '../support/build-extension.ts';
import { tallyFile } from '../support/tally.ts';
import { installServer } from '../support/vscode/server-install.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { package: { type: 'string' } },
});
installBrowser();
await installServer();
if (values.package) process.env['INFERENCE_SERVICE_TEST_PACKAGE'] = resolve(values.package);
else buildExtension();

// The packaged file has to prove that nothing was left out of it; not every journey need be walked twice.
const filters =
  values.package && positionals.length === 0 ? ['smoke', 'sign-in', 'recovery'] : positionals;
await startVitest('test', filters, {
  config: 'test/e2e/vitest.config.ts',
  watch: false,
  reporters: ['verbose', 'json'],
  outputFile: { json: tallyFile(values.package ? 'package' : 'e2e') },
}).then((vitest) => vitest.close());
