import type { ChildProcess } from 'node:child_process';
import { timeLimits } from '../support/time-limits.ts';
import type { BenchResult } from './result.ts';

/** A message that a suite's process sends once, at its end. */
export type SuiteMessage =
  | { readonly results: readonly BenchResult[] }
  | { readonly error: string };

/** Outcome of one suite. A crashed suite has an error and no results. */
export interface SuiteReport {
  readonly name: string;
  readonly seconds: number;
  readonly results: readonly BenchResult[];
  readonly error: string | undefined;
}

/** Starts the process of the suite `name`, with a channel for its {@link SuiteMessage}. */
export type StartSuite = (name: string) => ChildProcess;

/**
 * Runs suites one after another, each in a separate process. A suite that throws, exits, is killed or hangs becomes a
 * report with an error, and the next suite starts.
 */
export async function runSuites(
  names: readonly string[],
  {
    start,
    onReport,
    limitMs = 2 * timeLimits.test,
  }: {
    readonly start: StartSuite;
    readonly onReport: (report: SuiteReport) => void;
    /** Time after which a suite's process is killed. */
    readonly limitMs?: number;
  },
): Promise<SuiteReport[]> {
  const reports: SuiteReport[] = [];
  for (const name of names) {
    const from = performance.now();
    const message = await messageOf(start(name), limitMs);
    const report = {
      name,
      seconds: (performance.now() - from) / 1_000,
      results: 'results' in message ? message.results : [],
      error: 'error' in message ? message.error : undefined,
    };
    onReport(report);
    reports.push(report);
  }
  return reports;
}

function messageOf(child: ChildProcess, limitMs: number): Promise<SuiteMessage> {
  return new Promise((resolve) => {
    let message: SuiteMessage | undefined;
    let isLate = false;
    const end = setTimeout(() => {
      isLate = true;
      child.kill('SIGTERM');
    }, limitMs);
    // The process ignored the first signal.
    const kill = setTimeout(() => child.kill('SIGKILL'), limitMs + 10_000);
    const finish = (error: string): void => {
      clearTimeout(end);
      clearTimeout(kill);
      resolve(message ?? { error });
    };
    child.on('message', (sent) => (message ??= sent as SuiteMessage));
    child.once('error', (error) => finish(`The process did not start: ${error.message}`));
    child.once('close', (code, signal) => {
      const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
      finish(
        isLate
          ? `No end after ${limitMs / 1_000} s`
          : `The process ended ${how} before it sent results.`,
      );
    });
  });
}

/** Formats the last lines of a run: one per suite, then the sums. */
export function summary(reports: readonly SuiteReport[]): string {
  const width = Math.max(...reports.map(({ name }) => name.length));
  const lines = reports.map((report) => {
    const seconds = report.seconds.toFixed(0).padStart(4);
    return `${report.name.padEnd(width)} ${seconds} s   ${outcome(report)}`;
  });
  const all = reports.flatMap(({ results }) => results);
  const crashed = reports.filter(({ error }) => error !== undefined).length;
  const sums = [
    `${metOf(all)} goals met in ${sum(reports.map(({ seconds }) => seconds)).toFixed(0)} s`,
    ...(crashed === 0 ? [] : [`${crashed} of ${reports.length} suites failed`]),
  ];
  return [...lines, '', sums.join(', ')].join('\n');
}

/** Formats the outcome of one suite: its met goals, or the first line of its error. */
export function outcome({ results, error }: SuiteReport): string {
  return error === undefined ? `${metOf(results)} goals met` : `failed: ${error.split('\n', 1)[0]}`;
}

const metOf = (results: readonly BenchResult[]): string =>
  `${results.filter(({ met }) => met).length} of ${results.length}`;

const sum = (figures: readonly number[]): number =>
  figures.reduce((total, figure) => total + figure, 0);
