import type { ChildProcess } from 'node:child_process';
import { timeLimits } from '../support/time-limits.ts';
import type { BenchResult } from './result.ts';

/** Message that the process of a suite sends to its parent process when the suite ends. */
export type SuiteMessage =
  | { readonly results: readonly BenchResult[] }
  | { readonly error: string };

/** Outcome of a suite. If the suite failed to complete, `error` is set and `results` is empty. */
export interface SuiteReport {
  readonly name: string;
  readonly durationSeconds: number;
  readonly results: readonly BenchResult[];
  readonly error: string | undefined;
}

/**
 * Starts the process of the suite `name`. The process must have an IPC channel, through which it sends its {@link
 * SuiteMessage}.
 */
export type StartSuite = (name: string) => ChildProcess;

/**
 * Runs each suite in a separate process, one after the other. If a suite throws, exits early, is killed or exceeds the
 * time limit, its report contains an error, and the next suite starts.
 */
export async function runSuites(
  names: readonly string[],
  {
    startSuite,
    onReport,
    limitMs = 4 * timeLimits.test,
  }: {
    readonly startSuite: StartSuite;
    readonly onReport: (report: SuiteReport) => void;
    /** Time in milliseconds after which the process of a suite is killed. */
    readonly limitMs?: number;
  },
): Promise<SuiteReport[]> {
  const reports: SuiteReport[] = [];
  for (const name of names) {
    const start = performance.now();
    const message = await waitForMessage(startSuite(name), limitMs);
    const report = {
      name,
      durationSeconds: (performance.now() - start) / 1_000,
      results: 'results' in message ? message.results : [],
      error: 'error' in message ? message.error : undefined,
    };
    onReport(report);
    reports.push(report);
  }
  return reports;
}

function waitForMessage(child: ChildProcess, limitMs: number): Promise<SuiteMessage> {
  return new Promise((resolve) => {
    let message: SuiteMessage | undefined;
    let isLate = false;
    const endTimer = setTimeout(() => {
      isLate = true;
      child.kill('SIGTERM');
    }, limitMs);
    // The process ignored SIGTERM.
    const killTimer = setTimeout(() => child.kill('SIGKILL'), limitMs + 10_000);
    const finishSuite = (error: string): void => {
      clearTimeout(endTimer);
      clearTimeout(killTimer);
      resolve(message ?? { error });
    };
    child.on('message', (receivedMessage) => (message ??= receivedMessage as SuiteMessage));
    child.once('error', (error) => finishSuite(`The process did not start: ${error.message}`));
    child.once('close', (code, signal) => {
      const exitReason = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
      finishSuite(
        isLate
          ? `No end after ${limitMs / 1_000} s`
          : `The process ended ${exitReason} before it sent results.`,
      );
    });
  });
}

/** Formats the summary of a run: one line per suite, and the totals. */
export function formatSummary(reports: readonly SuiteReport[]): string {
  const width = Math.max(...reports.map(({ name }) => name.length));
  const lines = reports.map((report) => {
    const seconds = report.durationSeconds.toFixed(0).padStart(4);
    return `${report.name.padEnd(width)} ${seconds} s   ${formatOutcome(report)}`;
  });
  const allResults = reports.flatMap(({ results }) => results);
  const crashCount = reports.filter(({ error }) => error !== undefined).length;
  const summaryParts = [
    `${formatMetCount(allResults)} goals met in ${sumFigures(reports.map(({ durationSeconds }) => durationSeconds)).toFixed(0)} s`,
    ...(crashCount === 0 ? [] : [`${crashCount} of ${reports.length} suites failed`]),
  ];
  return [...lines, '', summaryParts.join(', ')].join('\n');
}

/** Formats the outcome of one suite: the number of met goals, or the first line of the error. */
export function formatOutcome({ results, error }: SuiteReport): string {
  return error === undefined
    ? `${formatMetCount(results)} goals met`
    : `failed: ${error.split('\n', 1)[0]}`;
}

const formatMetCount = (results: readonly BenchResult[]): string =>
  `${results.filter(({ isMet }) => isMet).length} of ${results.length}`;

const sumFigures = (figures: readonly number[]): number =>
  figures.reduce((total, figure) => total + figure, 0);
