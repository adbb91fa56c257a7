/**
 * Runs the suites in a real extension host: `npm run test:integration -- [name…]`. Each name selects a suite or a
 * host. The suites of a host run in the same VS Code. Without names, all suites run.
 */
import { join } from 'node:path';
import { buildExtension } from '../support/build-extension.ts';
import { runService, createSignedInValues } from '../support/local-service.ts';
import { artefactsFolder, compileCacheFolder, root } from '../support/paths.ts';
import { endTreesOnSignals } from '../support/process.ts';
import { copySampleWorkspace } from '../support/sample.ts';
import { type FileDuration, writeTally } from '../support/tally.ts';
import { timeLimits } from '../support/time-limits.ts';
import { runInDesktop } from '../support/vscode/desktop.ts';
import { chooseHost, type HostKind } from '../support/vscode/host-kind.ts';
import { runInServer, type SuiteRun } from '../support/vscode/run-suite.ts';
import { buildSuites } from './build.ts';
import { createSuiteVariables } from './environment.ts';
import { type HostSuites, hostSuites } from './hosts.ts';
import {
  prepareExtension,
  createPlaceholderValues,
  createFixtureSignIn,
} from './stored-data/prepare-extension.ts';
import { printResult, readResults, type TestResult } from './results.ts';

const runners: Record<HostKind, (options: SuiteRun) => Promise<boolean>> = {
  desktop: runInDesktop,
  server: runInServer,
};

endTreesOnSignals();
process.env['NODE_COMPILE_CACHE'] = compileCacheFolder;
const selectedNames = process.argv.slice(2);
const suites = await buildSuites();
const hostKind = await chooseHost();
/**
 * Maximum number of VS Code windows that run at the same time. Two server windows can run, because each is idle about
 * half of the time. Desktop windows share the clipboard, so only one can run.
 */
const maxParallelRuns = hostKind === 'server' ? 2 : 1;
buildExtension();
const testResults = await runHosts();
const failureCount = testResults.filter(({ error }) => error).length;
writeTally('integration', {
  passedCount: testResults.length - failureCount,
  failedCount: failureCount,
  files: sumFileDurations(testResults),
  failures: testResults.flatMap(({ file, title, error }) =>
    error ? [{ file, title, error }] : [],
  ),
});
if (failureCount > 0 || testResults.length === 0) process.exitCode = 1;

/**
 * Runs the selected hosts in the order of `hostSuites`, at most `maxParallelRuns` at the same time. Each host has a
 * separate local service.
 */
async function runHosts(): Promise<TestResult[]> {
  const remainingHosts = getSelectedHosts();
  const results: TestResult[] = [];
  const runRemainingHosts = async (): Promise<void> => {
    for (let host = remainingHosts.shift(); host !== undefined; host = remainingHosts.shift())
      results.push(...(await runHost(host)));
  };
  await Promise.all(Array.from({ length: maxParallelRuns }, runRemainingHosts));
  return results;
}

function getSelectedHosts(): HostSuites[] {
  const listedSuites = hostSuites.flatMap((host) => host.suites);
  if (listedSuites.toSorted().join() !== suites.names.toSorted().join()) {
    throw new Error(
      `hosts.ts names ${listedSuites.join(', ')}; the folder has ${suites.names.join(', ')}.`,
    );
  }
  const names = new Set([...listedSuites, ...hostSuites.map(({ name }) => name)]);
  const unknownNames = selectedNames.filter((name) => !names.has(name));
  if (unknownNames.length > 0)
    throw new Error(`Unknown: ${unknownNames.join(', ')}. Known: ${[...names].join(', ')}.`);
  if (selectedNames.length === 0) return [...hostSuites];
  // If a suite and a host have the same name, the name selects the suite.
  const isSelected = (suite: string, host: string): boolean =>
    selectedNames.includes(suite) || (selectedNames.includes(host) && !listedSuites.includes(host));
  return hostSuites
    .map((host) => ({ ...host, suites: host.suites.filter((name) => isSelected(name, host.name)) }))
    .filter((host) => host.suites.length > 0);
}

async function runHost(host: HostSuites): Promise<TestResult[]> {
  const name = `integration-${host.name}`;
  await using service = await runService(name, { needsChain: true });
  await using sample = await copySampleWorkspace();
  const { storedDataFolder } = host;
  await using preparedExtension =
    storedDataFolder === undefined
      ? undefined
      : await prepareExtension({
          fixtureFolder: storedDataFolder,
          placeholderValues: createPlaceholderValues(service),
        });
  const { settings, env } =
    storedDataFolder === undefined
      ? createSignedInValues(service)
      : await createFixtureSignIn(storedDataFolder, service);
  const resultsFile = join(artefactsFolder, 'integration', `${host.name}.jsonl`);
  const suiteFiles = host.suites.map(suites.getSuiteFile);
  const endReason = await runners[hostKind]({
    name,
    extension: { kind: 'folder', path: preparedExtension?.path ?? root },
    folder: sample.folder,
    suite: suites.entryPath,
    timeoutMs: timeLimits.host,
    settings,
    env: { ...env, ...createSuiteVariables({ service, suiteFiles, resultsFile }) },
  }).then(
    (isPassed) => (isPassed ? undefined : `The run failed; see .artefacts/logs/${name}.log.`),
    (error: unknown) => String(error),
  );
  const results = readResults(resultsFile);
  console.log(`${host.name}: ${host.suites.join(', ')}`);
  for (const result of results) printResult(result);
  return [...results, ...describeHostFailure(host, results, endReason)];
}

/** Returns a failure if the host failed although all tests passed, or if no test ran. Otherwise returns undefined. */
function describeHostFailure(
  { name }: HostSuites,
  results: readonly TestResult[],
  endReason: string | undefined,
): TestResult[] {
  if (results.some(({ error }) => error)) return [];
  const error = endReason ?? (results.length === 0 ? 'No test ran.' : undefined);
  if (error === undefined) return [];
  const failure = { title: `${name} host`, file: 'test/integration/hosts.ts', ms: 0, error };
  printResult(failure);
  return [failure];
}

function sumFileDurations(results: readonly TestResult[]): FileDuration[] {
  const resultsByFile = Map.groupBy(results, ({ file }) => file);
  return [...resultsByFile].map(([file, tests]) => ({
    file,
    ms: tests.reduce((sum, { ms }) => sum + ms, 0),
  }));
}
