import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { AccountView, ConnectResult, LocalServer } from '../../src/account/protocol.ts';
import { isSubmitKey, renderTextButton } from '../base/controls.ts';
import type { PostMessage } from './store.ts';
import { stripEllipsis } from '../../src/base/amounts.ts';

type ConnectProblem = NonNullable<ConnectResult['problem']>;

/**
 * Form for the service URL and an API key, shown in an empty chat. The page sends a typed URL to the host, so that a
 * reloaded page shows it again. The typed key is not stored, and is cleared when the form closes.
 */
export class ConnectForm {
  readonly element = document.createElement('form');
  readonly #post: PostMessage;
  readonly #addressField = createField('connect-address', 'text');
  readonly #keyField = createField('connect-key', 'password');
  #account: AccountView | undefined;
  #servers: readonly LocalServer[] = [];
  #result: ConnectResult | undefined;
  #isBusy = false;

  /** True from the submission of the form until the host replies. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  constructor(post: PostMessage) {
    this.#post = post;
    this.element.className = 'connect';
    this.element.noValidate = true;
    this.element.ariaLabel = l10n.t('Connect');
    this.#addressField.placeholder = 'api.example.com';
    for (const input of [this.#addressField, this.#keyField]) {
      input.addEventListener('keydown', (event) => this.#onKey(event));
      input.addEventListener('input', () => this.#onInput(input));
    }
    this.#addressField.maxLength = 2_000;
    this.#addressField.addEventListener('input', () =>
      this.#post({ type: 'address-change', address: this.#addressField.value }),
    );
  }

  /**
   * Shows the form for an account without a usable key. When the form opens, it requests the list of model servers on
   * this machine.
   */
  showForm(account: AccountView): void {
    const isOpening = this.#account === undefined;
    this.#account = account;
    if (isOpening) {
      this.#addressField.value = account.address;
      this.#post({ type: 'local-servers-request' });
    }
    this.#render();
  }

  close(): void {
    this.#account = undefined;
    this.#keyField.value = '';
    this.#result = undefined;
    this.#isBusy = false;
  }

  /** Focuses the first field that is empty or has a problem. */
  focus(): void {
    const { problem } = this.#result ?? {};
    const isAddressDone = this.#addressField.value !== '' && problem?.field !== 'address';
    (isAddressDone ? this.#keyField : this.#addressField).focus();
  }

  showServers(servers: readonly LocalServer[]): void {
    this.#servers = servers;
    this.#render();
  }

  showResult(result: ConnectResult): void {
    this.#isBusy = false;
    this.#result = result;
    if (result.address !== '') this.#addressField.value = result.address;
    if (result.problem === null) this.#keyField.value = '';
    this.#render();
    if (this.element.contains(document.activeElement) && result.problem !== null) this.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (!isSubmitKey(event)) return;
    event.preventDefault();
    const isKeyMissing =
      this.#keyField.value.trim() === '' && !canOmitKey(this.#addressField.value);
    if (event.currentTarget === this.#addressField && isKeyMissing) this.#keyField.focus();
    else this.#submitForm({ method: 'key' });
  }

  #onInput(input: HTMLInputElement): void {
    const { problem } = this.#result ?? {};
    if (problem == null || getFieldId(problem) !== input.id) return;
    this.#result = undefined;
    this.#render();
  }

  #submitForm({
    method,
    unencryptedOrigin = null,
  }: {
    readonly method: 'key' | 'wallet';
    readonly unencryptedOrigin?: string | null;
  }): void {
    this.#result = undefined;
    this.#isBusy = true;
    this.#render();
    const address = this.#addressField.value.trim();
    const key = method === 'wallet' ? '' : this.#keyField.value.trim();
    this.#post({ type: 'connect-submit', address, key, method, unencryptedOrigin });
  }

  #useAddress(address: string): void {
    this.#addressField.value = address;
    this.#submitForm({ method: 'key' });
  }

  #render(): void {
    if (this.#account === undefined) return;
    const { actions, status } = this.#account;
    const hasWallet =
      status === 'needs-attention' || actions.some(({ action }) => action === 'mint-key');
    render(
      html`<p class="connect-title">${l10n.t('Connect to your inference service')}</p>
        ${this.#renderRow(this.#addressField, l10n.t('URL'))}
        ${this.#renderRow(this.#keyField, l10n.t('API key'))}
        <div class="connect-actions">
          ${renderTextButton({
            label: this.#isBusy ? l10n.t('Connecting…') : l10n.t('Connect'),
            isPrimary: true,
            onClick: () => this.#submitForm({ method: 'key' }),
          })}
          ${
            hasWallet
              ? renderTextButton({
                  label: stripEllipsis(l10n.t('Get API Key with Wallet…')),
                  onClick: () => this.#submitForm({ method: 'wallet' }),
                })
              : nothing
          }
        </div>
        ${this.#servers.length === 0 ? nothing : this.#renderServerList()}`,
      this.element,
    );
  }

  #renderRow(input: HTMLInputElement, label: string): TemplateResult {
    const { problem, fixes } = this.#result ?? this.#findAccountProblem();
    const isWrong = problem !== null && getFieldId(problem) === input.id;
    input.ariaInvalid = isWrong ? 'true' : null;
    return html`<label for=${input.id}>${label}</label>${input}
      <div id="${input.id}-problem" class="connect-problem" role="alert">
        ${isWrong ? this.#renderProblem(problem, fixes) : nothing}
      </div>`;
  }

  /**
   * Returns the problem of the stored API key if the service rejects the key. Returns no problem while the host is
   * handling a submission of the form.
   */
  #findAccountProblem(): Pick<ConnectResult, 'problem' | 'fixes'> {
    const { status, message = null } = this.#account ?? {};
    const isRejected = status === 'needs-attention' && message !== null && !this.#isBusy;
    const problem: ConnectProblem = {
      field: 'key',
      message: message ?? '',
      unencryptedOrigin: null,
    };
    return { problem: isRejected ? problem : null, fixes: [] };
  }

  #renderProblem(
    { message, unencryptedOrigin }: ConnectProblem,
    fixes: readonly string[],
  ): TemplateResult {
    return html`<p>${message}</p>
      ${
        unencryptedOrigin === null
          ? nothing
          : renderTextButton({
              label: l10n.t('Send unencrypted'),
              onClick: () => this.#submitForm({ method: 'key', unencryptedOrigin }),
            })
      }
      ${fixes.map(
        (fix) =>
          html`<button type="button" class="button secondary" @click=${() => this.#useAddress(fix)}>
            ${l10n.t('Use {0}', fix)}
          </button>`,
      )}`;
  }

  #renderServerList(): TemplateResult {
    return html`<ul class="suggestions" aria-label=${l10n.t('On this machine')}>
      ${this.#servers.map(
        ({ name, baseUrl }) =>
          html`<li>
            <button type="button" class="suggestion" @click=${() => this.#useAddress(baseUrl)}>
              ${name} <span class="connect-server">${new URL(baseUrl).host}</span>
            </button>
          </li>`,
      )}
    </ul>`;
  }
}

/**
 * Checks whether a server may work without an API key, judging by its typed address. True for an empty address, an
 * `http:` address, a host without a domain name such as `localhost` or an IP address, and a host name that ends in
 * `.local`.
 */
function canOmitKey(address: string): boolean {
  const text = address.trim().toLowerCase();
  const host = text.replace(/^[a-z]+:\/\//u, '').replace(/[/?#].*$/u, '');
  return text.startsWith('http://') || !/\.[a-z]/u.test(host) || host.endsWith('.local');
}

const getFieldId = ({ field: name }: ConnectProblem): string => `connect-${name}`;

function createField(id: string, type: 'text' | 'password'): HTMLInputElement {
  const input = document.createElement('input');
  input.id = id;
  input.type = type;
  input.dir = 'ltr';
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.setAttribute('aria-describedby', `${id}-problem`);
  return input;
}
