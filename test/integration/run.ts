/** `npm run test:integration [name…]`: the suites inside a real extension host; names pick some of them. */
import { join } from 'node:path';
import { buildExtension } from '../support/build-extension.ts';
import { runService, type ServiceAddresses } from '../support/local-service.ts';
import { artefacts, root } from '../support/paths.ts';
import { endTreesOnSignals } from '../support/process.ts';
import { copySampleWorkspace } from '../support/sample.ts';
import { writeTally } from '../support/tally.ts';
import { runInDesktop } from '../support/vscode/desktop.ts';
import { chooseHost, type HostKind } from '../support/vscode/host-kind.ts';
import { runInServer, type SuiteRun } from '../support/vscode/run-suite.ts';
import { buildSuites } from './build.ts';
import { suiteVariables } from './environment.ts';
import { type HostConfiguration, hostConfigurations } from './hosts.ts';
import { printResult, readResults, type TestResult } from './results.ts';

const runners: Record<HostKind, (options: SuiteRun) => Promise<boolean>> = {
  desktop: runInDesktop,
  server: runInServer,
};

endTreesOnSignals();
const wanted = process.argv.slice(2);
const suites = await buildSuites();
const kind = await chooseHost();
buildExtension();
const results = await runAll();
const failed = results.filter(({ error }) => error).length;
writeTally('integration', { passed: results.length - failed, failed });
if (failed > 0 || results.length === 0) process.exitCode = 1;

async function runAll(): Promise<TestResult[]> {
  await using service = await runService('integration', { chain: true });
  const all: TestResult[] = [];
  for (const host of selectedHosts(service)) all.push(...(await runHost(host, service)));
  return all;
}

function selectedHosts(service: ServiceAddresses): HostConfiguration[] {
  const hosts = hostConfigurations(service);
  const named = hosts.flatMap((host) => host.suites);
  if (named.toSorted().join() !== suites.names.toSorted().join()) {
    throw new Error(
      `hosts.ts names ${named.join(', ')}; the folder has ${suites.names.join(', ')}.`,
    );
  }
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  return hosts
    .map((host) => ({ ...host, suites: host.suites.filter(isWanted) }))
    .filter((host) => host.suites.length > 0);
}

async function runHost(host: HostConfiguration, service: ServiceAddresses): Promise<TestResult[]> {
  console.log(`${host.name}: ${host.suites.join(', ')}`);
  await using sample = await copySampleWorkspace();
  const resultsFile = join(artefacts, 'integration', `${host.name}.jsonl`);
  const suiteFiles = host.suites.map(suites.suiteFile);
  const ended = await runners[kind]({
    name: `integration-${host.name}`,
    extension: { kind: 'folder', path: root },
    folder: sample.folder,
    suite: suites.entry,
    timeoutMs: 480_000,
    settings: host.settings,
    env: { ...host.env, ...suiteVariables({ service, suiteFiles, resultsFile }) },
  }).then(
    (passed) => (passed ? undefined : 'The run failed.'),
    (error: unknown) => String(error),
  );
  const results = readResults(resultsFile);
  for (const result of results) printResult(result);
  return [...results, ...failureOfHost(host, results, ended)];
}

/** A host that failed without a failing test, or ended well without any test, is itself a failure. */
function failureOfHost(
  { name }: HostConfiguration,
  results: readonly TestResult[],
  ended: string | undefined,
): TestResult[] {
  if (results.some(({ error }) => error)) return [];
  const error = ended ?? (results.length === 0 ? 'No test ran.' : undefined);
  if (error === undefined) return [];
  const failure = { title: `${name} host`, ms: 0, error };
  printResult(failure);
  return [failure];
}
