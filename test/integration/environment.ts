import type { ServiceConnection } from '../support/local-service.ts';

/** Parameters that the test runner passes to the suites in the extension host. */
export interface SuiteEnvironment {
  readonly service: ServiceConnection;
  /** Absolute paths of the compiled suites, in execution order. */
  readonly suiteFiles: readonly string[];
  /** File that receives one JSON line per test. */
  readonly resultsFile: string;
}

const suitesVariable = 'INFERENCE_SERVICE_SUITES';

/** Returns the environment variable that passes `environment` to the extension host. */
export function createSuiteVariables(environment: SuiteEnvironment): Record<string, string> {
  return { [suitesVariable]: JSON.stringify(environment) };
}

/** Reads the parameters in the extension host. */
export function readSuiteEnvironment(): SuiteEnvironment {
  const text = process.env[suitesVariable];
  if (!text)
    throw new Error(`${suitesVariable} is not set: run the suites with npm run test:integration.`);
  return JSON.parse(text) as SuiteEnvironment;
}

/** Removes the global function `define` of an AMD loader if another extension has added one. Disposal restores it. */
export function disableAmd(): Disposable {
  const scope = globalThis as { define?: unknown };
  const { define } = scope;
  delete scope.define;
  return {
    [Symbol.dispose]: () => {
      if (define !== undefined) scope.define = define;
    },
  };
}
