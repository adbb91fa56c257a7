import * as vscode from 'vscode';
import type { CommandId } from './command-ids.ts';

/** For labels in which the editor would draw `$(name)` as an icon: names come from the service and are text. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$ (');

/**
 * For messages in which the editor would make a link of `[words](address)`, to a command too: names of files and words
 * of the service are text.
 */
export const withoutLinks = (text: string): string => text.replaceAll('](', '] (');

/**
 * Shows a message, with buttons or without; no part of it becomes a link. The only way to the editor's notifications
 * and dialogs: what is told there holds names of files and models and words of the service, and the editor would run
 * the commands of their links.
 * @returns the button that was pressed
 */
export type ShowMessage = (message: string, ...buttons: string[]) => Promise<string | undefined>;

export const showInformation: ShowMessage = async (message, ...buttons) =>
  vscode.window.showInformationMessage(withoutLinks(message), ...buttons);

export const showWarning: ShowMessage = async (message, ...buttons) =>
  vscode.window.showWarningMessage(withoutLinks(message), ...buttons);

export const showError: ShowMessage = async (message, ...buttons) =>
  vscode.window.showErrorMessage(withoutLinks(message), ...buttons);

/** Shows a message in the status bar for some seconds; nothing pops up, and no part of it becomes an icon. */
export const showStatusMessage = (message: string): void => {
  vscode.window.setStatusBarMessage(withoutIcons(message), quietMs);
};

const quietMs = 5_000;

export interface Confirmation {
  readonly question: string;
  readonly detail?: string;
}

/**
 * Asks in a dialog that must be answered.
 * @returns the button that was pressed; undefined when the person cancelled
 */
export async function confirm(
  { question, detail = '' }: Confirmation,
  ...buttons: string[]
): Promise<string | undefined> {
  const options = { modal: true, ...(detail === '' ? {} : { detail: withoutLinks(detail) }) };
  return vscode.window.showWarningMessage(withoutLinks(question), options, ...buttons);
}

interface Progress extends vscode.ProgressOptions {
  readonly title: string;
  /** Stands behind what is reported, while there is one; runs a command of ours. */
  readonly link?: () => { readonly label: string; readonly command: CommandId } | undefined;
}

/** Says how far a task is, while it runs. `report` is called with what stands behind the title. */
export async function showProgress<T>(
  { link, ...options }: Progress,
  run: (report: (message: string) => void, token: vscode.CancellationToken) => PromiseLike<T>,
): Promise<T> {
  return vscode.window.withProgress(
    { ...options, title: withoutLinks(options.title) },
    async (progress, token) =>
      run((message) => {
        const { label, command } = link?.() ?? {};
        const linked = command === undefined ? '' : ` [${label}](command:${command})`;
        progress.report({ message: `${withoutLinks(message)}${linked}` });
      }, token),
  );
}

/** A notification with Cancel while something runs; `signal` aborts when that is pressed. */
export function showCancellable<T>(
  title: string,
  run: (signal: AbortSignal, report: (message: string) => void) => PromiseLike<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return showProgress({ location, title, cancellable: true }, async (report, token) => {
    const canceller = new AbortController();
    token.onCancellationRequested(() => canceller.abort());
    return run(canceller.signal, report);
  });
}

/** A button of a message. */
export interface Action {
  readonly label: string;
  readonly run: () => unknown;
}

/** Shows a message with buttons and does what is chosen; resolves when it is dismissed. */
export async function showWithActions(
  show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
  message: string,
  actions: readonly Action[],
): Promise<void> {
  const chosen = await show(message, ...actions.map(({ label }) => label));
  await actions.find(({ label }) => label === chosen)?.run();
}
