// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { AccountView, ConnectResult } from '../../src/account/protocol.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { ConnectForm } from './connect-form.ts';
import { needsConnectForm } from './transcript/transcript.ts';

const account: AccountView = {
  status: 'signed-out',
  profile: 'default',
  address: 'https://api.example.com/v1',
  message: null,
  actions: [{ action: 'mint-key', label: 'Get API Key with Wallet' }],
};

let postedMessages: WebviewMessage[];
let form: ConnectForm;

beforeEach(() => {
  postedMessages = [];
  form = new ConnectForm((message) => postedMessages.push(message));
  document.body.replaceChildren(form.element);
});

const findField = (name: 'address' | 'key'): HTMLInputElement =>
  form.element.querySelector<HTMLInputElement>(`#connect-${name}`)!;

const pressKey = (key: string, field: 'address' | 'key' = 'key'): boolean =>
  findField(field).dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));

const createResult = (change: Partial<ConnectResult> = {}): ConnectResult => ({
  ...{ address: 'https://api.example.com/v1', problem: null, fixes: [] },
  ...change,
});

test('ConnectForm requests the list of local servers once, when it becomes visible', () => {
  expect(postedMessages).toEqual([]);
  form.showForm(account);
  form.showForm(account);
  expect(postedMessages).toEqual([{ type: 'local-servers-request' }]);
  expect(findField('address').value).toBe(account.address);
});

test('ConnectForm submits both fields on Enter, and is busy until the reply', () => {
  form.showForm(account);
  findField('key').value = ' key-1234 ';
  pressKey('a');
  expect(form.isBusy).toBe(false);
  pressKey('Enter');
  expect(postedMessages.at(-1)).toEqual({
    ...{ type: 'connect-submit', address: account.address, key: 'key-1234' },
    ...{ method: 'key', unencryptedOrigin: null },
  });
  expect(form.isBusy).toBe(true);
  form.showResult(createResult());
  expect(form.isBusy).toBe(false);
  expect(findField('key').value).toBe('');
});

test('ConnectForm shows a problem beside its field until the user changes the field', () => {
  form.showForm(account);
  const problem = { field: 'key', message: 'Wrong key', unencryptedOrigin: null } as const;
  form.showResult(createResult({ problem }));
  const problemElement = form.element.querySelector('#connect-key-problem');
  expect(problemElement?.textContent?.trim()).toBe('Wrong key');
  expect(findField('key').ariaInvalid).toBe('true');
  expect(document.activeElement).not.toBe(findField('address'));
  findField('key').dispatchEvent(new Event('input'));
  expect(problemElement?.textContent?.trim()).toBe('');
});

test('ConnectForm permits an unencrypted connection only to the origin that the form has shown to the user', () => {
  form.showForm(account);
  const unencryptedOrigin = 'http://192.168.1.5';
  form.showResult(
    createResult({ problem: { field: 'address', message: 'Unencrypted', unencryptedOrigin } }),
  );
  form.element.querySelector<HTMLElement>('#connect-address-problem vscode-button')?.click();
  expect(postedMessages.at(-1)).toMatchObject({ type: 'connect-submit', unencryptedOrigin });
});

test('ConnectForm sends a typed address to the host, but not a typed key', () => {
  form.showForm(account);
  findField('key').value = 'key-1234';
  findField('key').dispatchEvent(new Event('input'));
  findField('address').value = 'api.example.org';
  findField('address').dispatchEvent(new Event('input'));
  expect(postedMessages.slice(1)).toEqual([{ type: 'address-change', address: 'api.example.org' }]);
});

test('ConnectForm clears the key when it closes', () => {
  form.showForm(account);
  findField('key').value = 'key-1234';
  form.close();
  expect(findField('key').value).toBe('');
  expect(JSON.stringify(postedMessages)).not.toContain('key-1234');
});

test('ConnectForm shows the problem of a rejected stored key beside the key field, and focuses the field', () => {
  const message = 'The service does not accept the API key.';
  const actions = [{ action: 'set-key', label: 'Set API Key' }] as const;
  form.showForm({ ...account, status: 'needs-attention', message, actions: [...actions] });
  expect(form.element.querySelector('#connect-key-problem')?.textContent.trim()).toBe(message);
  expect(findField('key').ariaInvalid).toBe('true');
  form.focus();
  expect(document.activeElement).toBe(findField('key'));
  expect(form.element.textContent).toContain('Get API Key with Wallet');
  pressKey('Enter');
  expect(form.element.querySelector('#connect-key-problem')?.textContent.trim()).toBe('');
});

test.each([
  ['signed-out', ['set-key', 'mint-key'], 'shows'],
  ['needs-attention', ['set-key'], 'shows'],
  ['needs-attention', ['set-key', 'retry'], 'shows'],
  ['needs-attention', ['set-key', 'add-credits'], 'does not show'],
  ['needs-attention', ['add-credits', 'choose-model'], 'does not show'],
  ['needs-attention', ['connect-wallet', 'set-key'], 'does not show'],
  ['signed-in', [], 'does not show'],
] as const)(
  'the empty chat $2 the connect form for an account with the status %s and the actions %j',
  (status, names, result) => {
    const actions = names.map((action) => ({ action, label: action }));
    expect(needsConnectForm({ ...account, status, actions })).toBe(result === 'shows');
  },
);

test.each(['api.example.com', 'https://api.example.com/v1'])(
  'ConnectForm focuses the empty key field on Enter in the address field with %s, and submits on the next Enter',
  (address) => {
    form.showForm(account);
    findField('address').value = address;
    findField('address').focus();
    pressKey('Enter', 'address');
    expect(document.activeElement).toBe(findField('key'));
    expect(form.isBusy).toBe(false);
    pressKey('Enter');
    expect(form.isBusy).toBe(true);
  },
);

test.each([
  '',
  'localhost:1234',
  'http://10.0.0.2:8000/v1',
  'http://models.example.com',
  '127.0.0.1:8080',
  'studio',
  'pi.local',
])(
  'ConnectForm submits on Enter in the address field if the address is %j, because its server may need no key',
  (address) => {
    form.showForm(account);
    findField('address').value = address;
    pressKey('Enter', 'address');
    expect(form.isBusy).toBe(true);
  },
);
