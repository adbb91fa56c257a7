import type { ServiceAddresses } from '../support/local-service.ts';

/** How the runner tells the suites, which live in the extension host, what they need to know. */
export interface SuiteEnvironment {
  readonly service: ServiceAddresses;
  /** Absolute paths of the compiled suites to run, in order. */
  readonly suiteFiles: readonly string[];
  /** Receives one JSON line per test. */
  readonly resultsFile: string;
}

const variable = 'INFERENCE_SERVICE_SUITES';

/** For the runner: the variable that carries `environment` into the extension host. */
export function suiteVariables(environment: SuiteEnvironment): Record<string, string> {
  return { [variable]: JSON.stringify(environment) };
}

/** For the suites. */
export function suiteEnvironment(): SuiteEnvironment {
  const text = process.env[variable];
  if (!text)
    throw new Error(`${variable} is not set: run the suites with npm run test:integration.`);
  return JSON.parse(text) as SuiteEnvironment;
}
