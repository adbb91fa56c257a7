import * as vscode from 'vscode';
import type { Clock } from '../base/clock.ts';
import type { CommandId } from './command-ids.ts';

/** Escapes `$(name)`, which VS Code would render as an icon. Use it for names from the service. */
export const escapeIcons = (text: string): string => text.replaceAll('$(', '$ (');

/**
 * Escapes `[label](address)`, which VS Code would render as a link. Such a link could also run a command. Used for file
 * names and texts from the service.
 */
export const escapeLinks = (text: string): string => text.replaceAll('](', '] (');

/**
 * Shows a notification with optional buttons. Returns the label of the chosen button; `undefined` if the user closes
 * the notification. Use this module for all notifications and dialogs: VS Code would run command links in their texts,
 * which can contain file names and texts from the service.
 */
export type ShowMessage = (message: string, ...buttons: string[]) => Promise<string | undefined>;

export const showInformation: ShowMessage = async (message, ...buttons) =>
  vscode.window.showInformationMessage(escapeLinks(message), ...buttons);

export const showWarning: ShowMessage = async (message, ...buttons) =>
  vscode.window.showWarningMessage(escapeLinks(message), ...buttons);

export const showError: ShowMessage = async (message, ...buttons) =>
  vscode.window.showErrorMessage(escapeLinks(message), ...buttons);

/** Shows a message in the status bar for 5 seconds. */
export const showStatusMessage = (message: string): void => {
  vscode.window.setStatusBarMessage(escapeIcons(message), statusMessageMs);
};

const statusMessageMs = 5_000;

export interface Confirmation {
  readonly question: string;
  readonly detail?: string;
  /** Icon of the dialog; a warning by default. */
  readonly severity?: 'information';
}

/**
 * Requests a confirmation from the user in a modal dialog.
 * @returns the label of the chosen button; `undefined` if the user canceled.
 */
export async function confirm(
  { question, detail = '', severity }: Confirmation,
  ...buttons: string[]
): Promise<string | undefined> {
  const options = { modal: true, ...(detail === '' ? {} : { detail: escapeLinks(detail) }) };
  return severity === 'information'
    ? vscode.window.showInformationMessage(escapeLinks(question), options, ...buttons)
    : vscode.window.showWarningMessage(escapeLinks(question), options, ...buttons);
}

/** Extension context and clock of the window that shows consent dialogs for other extensions. */
interface ConsentScope {
  readonly context: object;
  readonly service: { readonly clock: Clock };
}

/**
 * Duration in milliseconds of the pause after the user denied consent. During this pause, all requests are denied
 * without a dialog, even those of other extensions, because an extension can change its claimed id.
 */
const refusalPauseMs = 30_000;
const refusalTimeByContext = new WeakMap<object, number>();

/**
 * Requests the user's consent to an action of another extension. Returns false without a dialog for 30 seconds after
 * the user denied consent.
 */
export async function confirmConsent(
  { context, service: { clock } }: ConsentScope,
  confirmation: Confirmation,
  button: string,
): Promise<boolean> {
  const refusedAt = refusalTimeByContext.get(context) ?? Number.NEGATIVE_INFINITY;
  if (clock.now() - refusedAt < refusalPauseMs) return false;
  const isAllowed = (await confirm(confirmation, button)) !== undefined;
  if (!isAllowed) refusalTimeByContext.set(context, clock.now());
  return isAllowed;
}

/** Ends the pause after the user denied consent, so that the next request shows a dialog. */
export function endRefusalPause({ context }: Pick<ConsentScope, 'context'>): void {
  refusalTimeByContext.delete(context);
}

interface ProgressSettings extends vscode.ProgressOptions {
  readonly title: string;
  /**
   * Returns the link to show after the progress message, or undefined to show no link. A click on the link runs the
   * `command`.
   */
  readonly getLink?: () => { readonly label: string; readonly command: CommandId } | undefined;
}

/**
 * Shows progress while a task runs. The task's `report` argument sets the message after the title.
 */
export async function showProgress<T>(
  { getLink, ...options }: ProgressSettings,
  run: (report: (message: string) => void, token: vscode.CancellationToken) => PromiseLike<T>,
): Promise<T> {
  return vscode.window.withProgress(
    { ...options, title: escapeLinks(options.title) },
    async (progress, token) =>
      run((message) => {
        const { label, command } = getLink?.() ?? {};
        const messageLink = command === undefined ? '' : ` [${label}](command:${command})`;
        progress.report({ message: `${escapeLinks(message)}${messageLink}` });
      }, token),
  );
}

/**
 * Shows a notification with a Cancel button while a task runs. Cancel aborts the task's `signal`.
 */
export function showCancellable<T>(
  title: string,
  run: (signal: AbortSignal, report: (message: string) => void) => PromiseLike<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return showProgress({ location, title, cancellable: true }, async (report, token) => {
    const abortController = new AbortController();
    token.onCancellationRequested(() => abortController.abort());
    return run(abortController.signal, report);
  });
}

/** Button of a notification with its callback. */
export interface Action {
  readonly label: string;
  readonly run: () => unknown;
}

/** Shows a notification with buttons and runs the chosen action. Resolves when the notification closes. */
export async function showWithActions(
  show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
  message: string,
  actions: readonly Action[],
): Promise<void> {
  const chosenLabel = await show(message, ...actions.map(({ label }) => label));
  await actions.find(({ label }) => label === chosenLabel)?.run();
}

/** Returns the message for a chat or a gallery that a newer version of the extension created. */
export const getNewerVersionMessage = (): string =>
  vscode.l10n.t(
    'Created by a newer version of Inference Service. Update the extension to open it.',
  );
