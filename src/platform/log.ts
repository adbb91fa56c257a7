import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';

/**
 * Log of the extension in the output channel "Inference Service". Removes secrets from every line.
 */
export interface Log extends Disposable {
  /** Logs details for diagnosis. VS Code shows them only at the log levels Debug and Trace. */
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  show(): void;
}

/** @param redact Removes keys and other secrets from a line before it is written. */
export function createLog(redact: (text: string) => string): Log {
  const channel = vscode.window.createOutputChannel('Inference Service', { log: true });
  return {
    debug: (message) => channel.debug(redact(message)),
    info: (message) => channel.info(redact(message)),
    warn: (message) => channel.warn(redact(message)),
    error: (message, error) =>
      channel.error(redact(error === undefined ? message : `${message}: ${describeError(error)}`)),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
