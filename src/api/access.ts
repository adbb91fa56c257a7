import * as vscode from 'vscode';
import type { ApiProblem } from './api-types.ts';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { isRecord } from '../base/json.ts';
import { otherEntries } from '../base/stored-list.ts';
import type { Host } from '../host.ts';
import { confirm, showStatusMessage } from '../platform/notifications.ts';
import { ServiceError } from '../service/http/failure.ts';

/** What another extension may want. */
export type AccessKind = 'models' | 'chat' | 'image';

interface AccessRequest {
  readonly kind: AccessKind;
  /** Id of the extension, as it says itself: nothing proves it. */
  readonly caller: string | undefined;
  /** What will happen, and what it costs, for the person. */
  readonly detail: string;
}

const stateKey = 'api.access';
/** In milliseconds: after a refusal nobody asks again at once, since a name is quickly changed. */
const refusalPauseMs = 30_000;
/** So many questions may wait for the person; more are refused. */
const maxPendingPrompts = 3;

/** Asks the person what other extensions may do, and remembers it as long as they say. */
export class Access {
  readonly #host: Pick<Host, 'context' | 'service'>;
  readonly #allowedInWindow = new Set<string>();
  #refusedAt = Number.NEGATIVE_INFINITY;
  #promptQueue: Promise<unknown> = Promise.resolve();
  #pendingPrompts = 0;

  constructor(host: Pick<Host, 'context' | 'service'>) {
    this.#host = host;
  }

  /** Whether the person allows it. Asks where they have not said so before. */
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

  /** Takes back all that was allowed. */
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
    const [once, inWindow, always] = [
      vscode.l10n.t('Allow Once'),
      vscode.l10n.t('Allow in This Window'),
      vscode.l10n.t('Always Allow'),
    ];
    const isNamed = displayName(request.caller) !== undefined;
    // What is remembered without a name would hold for all of them.
    const buttons = isNamed ? [once, inWindow, always] : [once];
    const pressed = await confirm(
      {
        question: formatQuestion(request),
        detail: `${request.detail}\n\n${identityNotice(request.caller)}`,
      },
      ...buttons,
    );
    if (pressed === inWindow) this.#allowedInWindow.add(key);
    if (pressed === always) await this.#allowAlways(key);
    if (pressed === undefined) this.#refusedAt = clock.now();
    return pressed !== undefined;
  }

  #isAllowed(request: AccessRequest): boolean {
    const key = accessKey(request);
    return this.#allowedInWindow.has(key) || this.#alwaysAllowed.includes(key);
  }

  /** What is stored may be anything. */
  get #alwaysAllowed(): readonly string[] {
    const stored = this.#host.context.globalState.get<unknown>(stateKey);
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  }

  async #allowAlways(key: string): Promise<void> {
    await this.#host.context.globalState.update(stateKey, [
      ...otherEntries(this.#host.context.globalState.get(stateKey), (entry) => entry === key),
      key,
    ]);
  }
}

/** One for each window. */
export function getAccess(host: Host): Access {
  const existing = accessByContext.get(host.context);
  if (existing !== undefined) return existing;
  const access = new Access(host);
  accessByContext.set(host.context, access);
  return access;
}

/** "Forget permissions of extensions". */
export async function forgetExtensionAccess(host: Host): Promise<void> {
  await getAccess(host).revokeAll();
  showStatusMessage(vscode.l10n.t('Other extensions are asked about again.'));
}

const accessByContext = new WeakMap<object, Access>();

const accessKey = ({ kind, caller }: AccessRequest): string =>
  `${kind}:${displayName(caller) === undefined ? '' : (caller ?? '').toLowerCase()}`;

const maxNameLength = 60;

/** Undefined when no such extension is installed. */
function displayName(caller: string | undefined): string | undefined {
  const extension = caller === undefined ? undefined : vscode.extensions.getExtension(caller);
  if (extension === undefined) return undefined;
  const manifest: unknown = extension.packageJSON;
  const name = isRecord(manifest) ? manifest['displayName'] : undefined;
  const shown = typeof name === 'string' ? stripHiddenCharacters(name).text.trim() : '';
  return shown === '' ? extension.id : `${shown.slice(0, maxNameLength)} (${extension.id})`;
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

/** The person said no, or is being asked about others. */
export const notAllowed: ApiProblem = Object.freeze({
  ok: false,
  problem: 'not-allowed',
  message: 'The person did not allow it, or is being asked about something else.',
});

export const invalidRequest = (message: string): ApiProblem =>
  Object.freeze({ ok: false, problem: 'invalid-request', message });

/** What was thrown, as data. Only what the service said is told: other errors may hold anything. */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ServiceError) {
    const { code, message } = error.failure;
    return Object.freeze({ ok: false, problem: code, message });
  }
  const message = 'It failed because of an error in the extension. The log says more.';
  return Object.freeze({ ok: false, problem: 'internal-error', message });
}
