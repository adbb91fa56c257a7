import * as vscode from 'vscode';
import type { ApiAccess, ApiProblem } from './api-types.ts';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { isRecord } from '../base/json.ts';
import type { Host } from '../host.ts';
import { confirmConsent, endRefusalPause, showStatusMessage } from '../platform/notifications.ts';
import { ServiceError } from '../service/http/failure.ts';

interface AccessRequest {
  readonly kind: ApiAccess;
  /** Extension id that the caller claims. VS Code cannot verify it. */
  readonly caller: string | undefined;
  /** Explanation of the effect and the cost of the access, which the prompt shows to the user. */
  readonly detail: string;
}

/**
 * Kinds of access that the user allowed for one connection of another extension. Becomes empty when the access is
 * revoked.
 */
export type ApiGrant = Set<ApiAccess>;

/**
 * Storage key under which earlier versions stored the extensions that the user always allowed. The entry is deleted,
 * because any extension can claim any id.
 */
const allowedExtensionsKey = 'api.access';
/**
 * Maximum number of connections of other extensions per window. Above the limit, the oldest connections are revoked.
 */
const maxConnections = 50;
/** Maximum number of pending prompts. Further requests are refused. */
const maxPendingPrompts = 3;

/** Prompts the user to allow calls of other extensions. Consent applies to one call or one connection. */
export class Access {
  readonly #host: Pick<Host, 'context' | 'service'>;
  readonly #grants = new Set<ApiGrant>();
  #lastPromptClosed: Promise<unknown> = Promise.resolve();
  #pendingPromptCount = 0;

  constructor(host: Pick<Host, 'context' | 'service'>) {
    this.#host = host;
    const { globalState } = host.context;
    if (globalState.get(allowedExtensionsKey) !== undefined)
      void globalState.update(allowedExtensionsKey, undefined);
  }

  /**
   * Checks whether the grant of a connection includes the requested access. Without a grant, prompts the user to allow
   * this call only.
   */
  async authorize(request: AccessRequest, grant: ApiGrant | undefined): Promise<boolean> {
    if (grant !== undefined) return grant.has(request.kind);
    const name = getDisplayName(request.caller) ?? vscode.l10n.t('another extension');
    const question = vscode.l10n.t('Let {0} use the service once?', name);
    return this.#enqueuePrompt(() =>
      this.#promptUser(question, request, vscode.l10n.t('Allow Once')),
    );
  }

  /**
   * Prompts the user to allow a connection of another extension. Returns `undefined` if the user denies the connection.
   */
  async promptForGrant(
    caller: string | undefined,
    kinds: readonly ApiAccess[],
  ): Promise<ApiGrant | undefined> {
    const name = getDisplayName(caller) ?? vscode.l10n.t('another extension');
    const question = vscode.l10n.t('Let {0} use the service in this window?', name);
    const detail = kinds.map(describeAccess).join('\n');
    const isAllowed = await this.#enqueuePrompt(() =>
      this.#promptUser(question, { detail }, vscode.l10n.t('Allow in This Window')),
    );
    if (!isAllowed) return undefined;
    const grant = new Set(kinds);
    this.#grants.add(grant);
    setConnectedContext(true);
    this.#revokeOldestGrant();
    return grant;
  }

  /**
   * Revokes the oldest connections above the limit. Connections would otherwise accumulate, because extensions do not
   * report the end of their use.
   */
  #revokeOldestGrant(): void {
    const [oldestGrant] = this.#grants;
    if (this.#grants.size <= maxConnections || oldestGrant === undefined) return;
    oldestGrant.clear();
    this.#grants.delete(oldestGrant);
  }

  /** Revokes the access of all connected extensions. */
  revokeAll(): void {
    for (const grant of this.#grants) grant.clear();
    this.#grants.clear();
    endRefusalPause(this.#host);
    setConnectedContext(false);
  }

  async #enqueuePrompt(prompt: () => Promise<boolean>): Promise<boolean> {
    if (this.#pendingPromptCount >= maxPendingPrompts) return false;
    this.#pendingPromptCount += 1;
    const answerPromise = this.#lastPromptClosed.then(prompt);
    this.#lastPromptClosed = answerPromise.catch(() => {});
    try {
      return await answerPromise;
    } finally {
      this.#pendingPromptCount -= 1;
    }
  }

  async #promptUser(
    question: string,
    { detail }: Pick<AccessRequest, 'detail'>,
    buttonLabel: string,
  ): Promise<boolean> {
    const fullDetail = `${detail}\n\n${getIdentityNotice()}`;
    return confirmConsent(this.#host, { question, detail: fullDetail }, buttonLabel);
  }
}

/**
 * Sets VS Code's context key for connected extensions. The Command Palette shows the command that revokes connections
 * only while the value is true.
 */
const setConnectedContext = (hasConnections: boolean): Thenable<unknown> =>
  vscode.commands.executeCommand(
    'setContext',
    'inferenceService.hasConnectedExtensions',
    hasConnections,
  );

/**
 * Returns the object that checks the access of other extensions in this window. All calls share one object, which the
 * first call creates.
 */
export function getAccess(host: Host): Access {
  const existingAccess = accessByContext.get(host.context);
  if (existingAccess !== undefined) return existingAccess;
  const access = new Access(host);
  accessByContext.set(host.context, access);
  return access;
}

/** Runs "Forget Permissions of Extensions", which revokes all connections. */
export function forgetExtensionAccess(host: Host): void {
  getAccess(host).revokeAll();
  showStatusMessage(vscode.l10n.t('Other extensions are asked about again.'));
}

const accessByContext = new WeakMap<object, Access>();

const maxNameLength = 60;

/** Returns the display name of an extension; `undefined` if the id is unknown or the extension is not installed. */
function getDisplayName(caller: string | undefined): string | undefined {
  const extension = caller === undefined ? undefined : vscode.extensions.getExtension(caller);
  if (extension === undefined) return undefined;
  const manifest: unknown = extension.packageJSON;
  const name = isRecord(manifest) ? manifest['displayName'] : undefined;
  const visibleName = typeof name === 'string' ? stripHiddenCharacters(name).text.trim() : '';
  return visibleName === ''
    ? extension.id
    : `${visibleName.slice(0, maxNameLength)} (${extension.id})`;
}

function describeAccess(kind: ApiAccess): string {
  switch (kind) {
    case 'models':
      return vscode.l10n.t('It sees the list of models.');
    case 'chat':
      return vscode.l10n.t('It sends requests to models, at your expense and within your budget.');
    case 'image':
      return vscode.l10n.t('It generates images, at your expense and within your budget.');
  }
}

const getIdentityNotice = (): string =>
  vscode.l10n.t(
    'Extensions can see into each other, so the name of the one that asks cannot be checked.',
  );

/** Result of a call that the user denied, and of a call above the limit of pending prompts. */
export const notAllowedProblem: ApiProblem = Object.freeze({
  ok: false,
  problem: 'not-allowed',
  message: 'The user did not allow the call, or too many prompts are pending.',
});

export const createInvalidRequestProblem = (message: string): ApiProblem =>
  Object.freeze({ ok: false, problem: 'invalid-request', message });

/**
 * Converts an error to a problem that the API returns to the other extension. Uses only the messages of service errors,
 * because other messages may contain secrets.
 */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ServiceError) {
    const { code, message } = error.failure;
    return Object.freeze({ ok: false, problem: code, message });
  }
  const message = 'An error in the extension. See its log for details.';
  return Object.freeze({ ok: false, problem: 'internal-error', message });
}
