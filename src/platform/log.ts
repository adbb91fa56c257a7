import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';

/** What the extension tells of itself, in the output channel "Inference Service". Every line is redacted. */
export interface Log extends Disposable {
  /** For who looks for a reason; not shown unless the channel's level is lowered. */
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
  show(): void;
}

/** `redact` removes keys and other secrets from a line before it is written. */
export function createLog(redact: (text: string) => string): Log {
  const channel = vscode.window.createOutputChannel('Inference Service', { log: true });
  return {
    debug: (message) => channel.debug(redact(message)),
    info: (message) => channel.info(redact(message)),
    warn: (message) => channel.warn(redact(message)),
    error: (message, error) =>
      channel.error(redact(error === undefined ? message : `${message}: ${describe(error)}`)),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
