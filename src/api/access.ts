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
  /** Extension id that the caller claims. The id is not verified. */
  readonly caller: string | undefined;
  /** Effect and cost of the access, shown to the user. */
  readonly detail: string;
}

const stateKey = 'api.access';
/**
 * Milliseconds after a refusal in which requests are refused without a prompt. Applies to all
 * extensions, because an extension can change its claimed id.
 */
const refusalPauseMs = 30_000;
/** Maximum number of pending prompts. Further requests are refused. */
const maxPendingPrompts = 3;

/**
 * Prompts the user for permissions of other extensions. The user allows an access once, in this
 * window, or always.
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

  /** Checks whether the user allows the access. Prompts the user unless a permission is stored. */
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

  /** Revokes all permissions of other extensions. */
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
    // An unnamed extension gets no stored permission, because it would apply to all unnamed
    // extensions.
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

  /** Reads the stored permissions. Drops invalid entries, because stored data is untrusted. */
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

/** Returns the permission store of this window. */
export function getAccess(host: Host): Access {
  const existing = accessByContext.get(host.context);
  if (existing !== undefined) return existing;
  const access = new Access(host);
  accessByContext.set(host.context, access);
  return access;
}

/** Runs "Forget Permissions of Extensions", which revokes all permissions of other extensions. */
export async function forgetExtensionAccess(host: Host): Promise<void> {
  await getAccess(host).revokeAll();
  showStatusMessage(vscode.l10n.t('Other extensions are asked about again.'));
}

const accessByContext = new WeakMap<object, Access>();

const accessKey = ({ kind, caller }: AccessRequest): string =>
  `${kind}:${displayName(caller) === undefined ? '' : (caller ?? '').toLowerCase()}`;

const maxNameLength = 60;

/** Returns the display name of an extension; `undefined` if the extension is not installed. */
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

/** Result of a call that the user refused, or that exceeds the limit of pending prompts. */
export const notAllowed: ApiProblem = Object.freeze({
  ok: false,
  problem: 'not-allowed',
  message: 'The user did not allow the call, or too many prompts are pending.',
});

export const invalidRequest = (message: string): ApiProblem =>
  Object.freeze({ ok: false, problem: 'invalid-request', message });

/**
 * Converts an error to a result of the API. Includes only messages of service errors, because other
 * messages may contain secrets.
 */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ServiceError) {
    const { code, message } = error.failure;
    return Object.freeze({ ok: false, problem: code, message });
  }
  const message = 'An error in the extension. See its log for details.';
  return Object.freeze({ ok: false, problem: 'internal-error', message });
}
