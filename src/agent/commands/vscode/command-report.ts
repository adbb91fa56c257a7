import type { CommandEnd, RunningCommand } from './running-command.ts';

/** What the model is told of a command: how it ended first, then its output from a position on. */
export function commandReport(command: RunningCommand, how: string, from = 0): string {
  const output = command.output.text(from).trimEnd();
  const none = from === 0 ? '(no output)' : '(no new output)';
  return `${how}\n\n${output === '' ? none : output}`;
}

/** `Exit code 1 after 2.3 s.` */
export const endText = (end: CommandEnd, { milliseconds }: RunningCommand): string =>
  `${endWords(end)} after ${secondsText(milliseconds)}.`;

export const secondsText = (milliseconds: number): string =>
  `${(milliseconds / 1000).toFixed(1)} s`;

function endWords(end: CommandEnd): string {
  switch (end.type) {
    case 'exit':
      return `Exit code ${end.code}`;
    case 'signal':
      return `Ended by ${end.signal}`;
    case 'error':
      return `Not started (${end.code})`;
  }
}
