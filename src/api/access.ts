import * as vscode from 'vscode';
import type { ApiProblem } from './api-types.ts';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { isRecord } from '../base/json.ts';
import { listOtherEntries } from '../base/stored-list.ts';
import type { Host } from '../host.ts';
import { confirm, showStatusMessage } from '../platform/notifications.ts';
import { ServiceError } from '../service/http/failure.ts';

/** Kinds of access that another extension can request. */
export type AccessKind = 'models' | 'chat' | 'image';

interface AccessRequest {
  readonly kind: AccessKind;
  /** Extension id as claimed by the caller. Unverified. */
  readonly caller: string | undefined;
  /** Effect and cost, shown to the user. */
  readonly detail: string;
}

const stateKey = 'api.access';
/**
 * Milliseconds without prompts after a refusal. Applies to all extensions, since a caller can
 * change its name.
 */
const refusalPauseMs = 30_000;
/** Maximum pending prompts. Further requests are refused. */
const maxPendingPrompts = 3;

/**
 * Asks the user which access other extensions have, and remembers the answer as the user chooses.
 */
export class Access {
  readonly #host: Pick<Host, 'context' | 'service'>;
  readonly #allowedInWindow = new Set<string>();
  #refusedAt = Number.NEGATIVE_INFINITY;
  #promptQueue: Promise<unknown> = Promise.resolve();
  #pendingPrompts = 0;

  constructor(host: Pick<Host, 'context' | 'service'>) {
    this.#host = host;
  }

  /** Checks whether the user allows the access. Prompts unless it was allowed before. */
  async authorize(request: AccessRequest): Promise<boolean> {
    if (this.#isAllowed(request)) return true;
    if (this.#pendingPrompts >= maxPendingPrompts) return false;
    this.#pendingPrompts += 1;
    const answer = this.#promptQueue.then(() => this.#prompt(request));
    this.#promptQueue = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.#pendingPrompts -= 1;
    }
  }

  /** Revokes all permissions. */
  async revokeAll(): Promise<void> {
    this.#allowedInWindow.clear();
    this.#refusedAt = Number.NEGATIVE_INFINITY;
    await this.#host.context.globalState.update(stateKey, undefined);
  }

  async #prompt(request: AccessRequest): Promise<boolean> {
    const key = accessKey(request);
    const { clock } = this.#host.service;
    if (this.#isAllowed(request)) return true;
    if (clock.now() - this.#refusedAt < refusalPauseMs) return false;
    const [allowOnce, allowInWindow, allowAlways] = [
      vscode.l10n.t('Allow Once'),
      vscode.l10n.t('Allow in This Window'),
      vscode.l10n.t('Always Allow'),
    ];
    const isNamed = displayName(request.caller) !== undefined;
    // Without a name, a stored permission would apply to all extensions.
    const buttons = isNamed ? [allowOnce, allowInWindow, allowAlways] : [allowOnce];
    const choice = await confirm(
      {
        question: formatQuestion(request),
        detail: `${request.detail}\n\n${identityNotice(request.caller)}`,
      },
      ...buttons,
    );
    if (choice === allowInWindow) this.#allowedInWindow.add(key);
    if (choice === allowAlways) await this.#allowAlways(key);
    if (choice === undefined) this.#refusedAt = clock.now();
    return choice !== undefined;
  }

  #isAllowed(request: AccessRequest): boolean {
    const key = accessKey(request);
    return this.#allowedInWindow.has(key) || this.#alwaysAllowed.includes(key);
  }

  /** Stored data is untrusted. */
  get #alwaysAllowed(): readonly string[] {
    const stored = this.#host.context.globalState.get<unknown>(stateKey);
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  }

  async #allowAlways(key: string): Promise<void> {
    await this.#host.context.globalState.update(stateKey, [
      ...listOtherEntries(this.#host.context.globalState.get(stateKey), (entry) => entry === key),
      key,
    ]);
  }
}

/** Returns the access control of this window. */
export function getAccess(host: Host): Access {
  const existing = accessByContext.get(host.context);
  if (existing !== undefined) return existing;
  const access = new Access(host);
  accessByContext.set(host.context, access);
  return access;
}

/** Runs "Forget permissions of extensions". */
export async function forgetExtensionAccess(host: Host): Promise<void> {
  await getAccess(host).revokeAll();
  showStatusMessage(vscode.l10n.t('Other extensions are asked about again.'));
}

const accessByContext = new WeakMap<object, Access>();

const accessKey = ({ kind, caller }: AccessRequest): string =>
  `${kind}:${displayName(caller) === undefined ? '' : (caller ?? '').toLowerCase()}`;

const maxNameLength = 60;

/** Returns the extension's display name. Undefined if it is not installed. */
function displayName(caller: string | undefined): string | undefined {
  const extension = caller === undefined ? undefined : vscode.extensions.getExtension(caller);
  if (extension === undefined) return undefined;
  const manifest: unknown = extension.packageJSON;
  const name = isRecord(manifest) ? manifest['displayName'] : undefined;
  const visibleName = typeof name === 'string' ? stripHiddenCharacters(name).text.trim() : '';
  return visibleName === ''
    ? extension.id
    : `${visibleName.slice(0, maxNameLength)} (${extension.id})`;
}

function formatQuestion({ kind, caller }: AccessRequest): string {
  const name = displayName(caller) ?? vscode.l10n.t('another extension');
  switch (kind) {
    case 'models':
      return vscode.l10n.t('Show the list of models to {0}?', name);
    case 'chat':
      return vscode.l10n.t('Let {0} ask models, at your expense?', name);
    case 'image':
      return vscode.l10n.t('Let {0} make a picture, at your expense?', name);
  }
}

const identityNotice = (caller: string | undefined): string =>
  displayName(caller) === undefined
    ? vscode.l10n.t('Which extension asks cannot be known.')
    : vscode.l10n.t(
        'The name is what the extension says itself. Extensions can see into each other, so it cannot be checked.',
      );

/** Result if the user refused, or if too many prompts are pending. */
export const notAllowed: ApiProblem = Object.freeze({
  ok: false,
  problem: 'not-allowed',
  message: 'The user did not allow the call, or too many prompts are pending.',
});

export const invalidRequest = (message: string): ApiProblem =>
  Object.freeze({ ok: false, problem: 'invalid-request', message });

/**
 * Converts an error to a result. Includes only service messages, because other errors may contain
 * anything.
 */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ServiceError) {
    const { code, message } = error.failure;
    return Object.freeze({ ok: false, problem: code, message });
  }
  const message = 'An error in the extension. See its log for details.';
  return Object.freeze({ ok: false, problem: 'internal-error', message });
}
