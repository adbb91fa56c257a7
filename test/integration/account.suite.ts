import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { getCompletionStatus } from '../../src/completion/vscode/status-rows.ts';
import { ObservableValue } from '../../src/base/event.ts';
import { getModelStatus } from '../../src/models/vscode/selected-model.ts';
import { encodeBoundKey } from '../../src/account/key-state.ts';
import { testConnectionAndShow } from '../../src/account/vscode/connection-test.ts';
import {
  removeApiKey,
  setAddressAndKey,
  setApiKey,
} from '../../src/account/vscode/key-commands.ts';
import {
  addProfile,
  removeProfile,
  setBaseUrl,
} from '../../src/account/vscode/profile-commands.ts';
import { KeyNotStoredError } from '../../src/account/vscode/key-store.ts';
import { createStatusBar } from '../../src/account/vscode/status-bar.ts';
import { openDashboard } from '../../src/wallet/vscode/funding-view.ts';
import { InlineSuggestions } from '../../src/completion/vscode/inline-suggestions.ts';
import type { Host } from '../../src/host.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import {
  getSetting,
  type UserSetting,
  type VsCodeSetting,
  getVsCodeSetting,
} from '../../src/platform/settings.ts';
import { getRateLimits } from '../../src/service/api-keys.ts';
import { listModels } from '../../src/service/models.ts';
import { Control } from '../service/control.ts';
import { startHttpServer } from '../support/loopback.ts';
import { waitForEvent } from '../support/eventually.ts';
import {
  createAccountFixture,
  Dialogs,
  MemorySecrets,
  MemoryState,
  withSettings,
  withWorkspaceSettings,
} from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const origin = new URL(service.baseUrl).origin;
const canaryKey = 'SERVICE_INFERENCE_KEY_canary_5c1d8f';
const { signal } = new AbortController();

const readDispatchers = (): unknown[] => [
  Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')),
  Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.2')),
];

suite('the account', () => {
  test('signs in with the key from the environment, without dialogs and messages', async () => {
    using fixture = createAccountFixture({
      environment: { INFERENCE_SERVICE_API_KEY: service.apiKey },
    });
    const { account, context } = fixture;
    assert.equal(account.view.status, 'signed-in', 'at once, before anything is read');
    const limits = await getRateLimits(account.service, { signal });
    assert.ok(limits.isAccessPermitted);
    assert.equal(context.secrets.values.size, 0);
    assert.equal(JSON.stringify([...context.globalState.values]).includes(service.apiKey), false);
  });

  test('uses the environment key in the installed extension, and leaves the HTTP dispatchers of the process unchanged', async () => {
    const dispatchersBefore = readDispatchers();
    await control.reset();
    await vscode.commands.executeCommand('inferenceService.refreshModels');
    const request = await control.waitForRequest(({ path }) => path.includes('/models'));
    assert.equal(request.headers['authorization'], `Bearer ${service.apiKey}`);
    assert.deepEqual(
      readDispatchers().map((dispatcher, index) => dispatcher === dispatchersBefore[index]),
      [true, true],
    );
  });

  test('ignores a malformed key in the environment', async () => {
    using fixture = createAccountFixture({
      environment: { INFERENCE_SERVICE_API_KEY: 'two words' },
    });
    assert.equal((await fixture.account.getEndpoint()).apiKey, undefined);
    assert.equal(fixture.logLines.length, 1);
    assert.ok(!fixture.logLines[0]?.includes('two words'));
  });

  test('ignores workspace settings that would redirect requests to another address', async () => {
    await using listener = await startHttpServer((_request, response) => response.end('{}'));
    const listenerUrl = `http://127.0.0.1:${listener.port}`;
    const hostileSettings = {
      'inferenceService.baseUrl': `${listenerUrl}/api/v1`,
      'inferenceService.profiles': { evil: { baseUrl: `${listenerUrl}/api/v1` } },
      'inferenceService.profile': 'evil',
      'inferenceService.network.transport': 'editor',
      'http.proxy': listenerUrl,
      'http.proxyStrictSSL': false,
    };
    await withWorkspaceSettings(hostileSettings, async () => {
      // A workspace can change this setting for VS Code. The extension ignores the workspace value.
      assert.equal(vscode.workspace.getConfiguration().get('editor.tabSize'), 7);
      assert.equal(getVsCodeSetting('editor.tabSize'), 4);
      for (const name of Object.keys(hostileSettings)) {
        const inspection = vscode.workspace.getConfiguration().inspect(name);
        const isExtensionSetting = name.startsWith('inferenceService.');
        const effectiveValue = isExtensionSetting
          ? getSetting(name as UserSetting)
          : getVsCodeSetting(name as VsCodeSetting);
        assert.deepEqual(effectiveValue, inspection?.globalValue ?? inspection?.defaultValue, name);
      }
      using fixture = createAccountFixture({
        environment: { INFERENCE_SERVICE_API_KEY: canaryKey },
      });
      assert.equal((await fixture.account.getEndpoint()).baseUrl.href, service.baseUrl);
      assert.equal(fixture.account.transports.kind, 'direct');
      await vscode.commands.executeCommand('inferenceService.refreshModels');
      await listModels(fixture.account.service, { signal }).catch(() => {});
    });
    assert.equal(listener.countConnections(), 0);
  });

  test('withholds the key after the service’s origin changes, and notifies the user', async () => {
    const authorizations: (string | undefined)[] = [];
    await using listener = await startHttpServer((request, response) => {
      authorizations.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","type":"text","data":[]}');
    });
    using fixture = createAccountFixture();
    const { account } = fixture;
    await account.storeKey(account.profile, canaryKey);
    assert.equal((await account.getEndpoint()).apiKey, canaryKey);
    const otherUrl = `http://127.0.0.1:${listener.port}/api/v1`;
    await withSettings({ 'inferenceService.baseUrl': otherUrl }, async () => {
      await listModels(account.service, { signal });
      await waitForEvent(() => account.view.status === 'needs-attention', account.onDidChange);
      assert.match(account.view.message ?? '', new RegExp(`given for ${origin}`));
    });
    // The server also receives requests of the installed extension, whose key comes from the
    // environment.
    assert.deepEqual([...new Set(authorizations)], [undefined]);
    await waitForEvent(() => account.view.status === 'signed-in', account.onDidChange);
    assert.equal(
      (await account.getEndpoint()).apiKey,
      canaryKey,
      'back at the origin it is used again',
    );
  });

  test('sends the environment key only to the service address with which the window started', async () => {
    using fixture = createAccountFixture({ environment: { INFERENCE_SERVICE_API_KEY: canaryKey } });
    assert.equal((await fixture.account.getEndpoint()).apiKey, canaryKey);
    await withSettings({ 'inferenceService.baseUrl': 'https://other.test/api/v1' }, async () => {
      assert.equal((await fixture.account.getEndpoint()).apiKey, undefined);
    });
  });

  test('immediately applies a key that another window stores or removes', async () => {
    const secrets = new MemorySecrets();
    using firstWindow = createAccountFixture({ secrets });
    using secondWindow = createAccountFixture({ secrets });
    await secondWindow.account.storeKey(secondWindow.account.profile, canaryKey);
    assert.equal((await firstWindow.account.getEndpoint()).apiKey, canaryKey);
    await waitForEvent(
      () => firstWindow.account.view.status === 'signed-in',
      firstWindow.account.onDidChange,
    );
    await secondWindow.account.removeKey('default');
    assert.equal((await firstWindow.account.getEndpoint()).apiKey, undefined);
    await waitForEvent(
      () => firstWindow.account.view.status === 'signed-out',
      firstWindow.account.onDidChange,
    );
  });

  test('writes only one key at a time to secret storage', async () => {
    using fixture = createAccountFixture();
    const { account, context } = fixture;
    const keys = Array.from({ length: 20 }, (_, index) => `${canaryKey}-${index}`);
    await Promise.all(keys.map((key) => account.storeKey(account.profile, key)));
    assert.equal(context.secrets.maxSimultaneousWriteCount, 1);
    assert.equal((await account.getEndpoint()).apiKey, keys.at(-1));
  });

  test('stores exactly one of two keys when two windows store a key at the same time', async () => {
    const secrets = new MemorySecrets();
    using firstWindow = createAccountFixture({ secrets });
    using secondWindow = createAccountFixture({ secrets });
    const keys = Array.from({ length: 10 }, (_, index) => `${canaryKey}-${index}`);
    await Promise.all(
      keys.map((key, index) => {
        const { account } = index % 2 === 0 ? firstWindow : secondWindow;
        return account.storeKey(account.profile, key);
      }),
    );
    const { apiKey = '' } = await firstWindow.account.getEndpoint();
    assert.ok(keys.includes(apiKey));
    assert.equal((await secondWindow.account.getEndpoint()).apiKey, apiKey);
    assert.deepEqual([...secrets.values.values()], [encodeBoundKey({ origin, key: apiKey })]);
  });

  for (const mode of ['refuses', 'forgets'] as const) {
    test(`reports that secret storage ${mode} writes, without showing the key`, async () => {
      using fixture = createAccountFixture();
      const { account, context } = fixture;
      context.secrets.writeBehavior = mode;
      await assert.rejects(account.storeKey(account.profile, canaryKey), (error: Error) => {
        assert.ok(error instanceof KeyNotStoredError);
        return !`${error.stack} ${String(error.cause)}`.includes(canaryKey);
      });
      using dialogs = new Dialogs(canaryKey);
      await setApiKey(account);
      assert.match(dialogs.shownMessages.join(), /did not accept.*INFERENCE_SERVICE_API_KEY/);
      assert.ok(!dialogs.shownMessages.join().includes(canaryKey));
      assert.equal((await account.getEndpoint()).apiKey, undefined);
    });
  }

  test('shows “needs attention” for an unreadable stored key, and does not delete the stored value', async () => {
    const secrets = new MemorySecrets();
    secrets.values.set('inferenceService.key.default', '{"version":1,"key":"torn');
    using fixture = createAccountFixture({ secrets });
    await waitForEvent(
      () => fixture.account.view.status === 'needs-attention',
      fixture.account.onDidChange,
    );
    assert.match(fixture.account.view.message ?? '', /cannot be read/);
    assert.equal((await fixture.account.getEndpoint()).apiKey, undefined);
    assert.equal(secrets.values.get('inferenceService.key.default'), '{"version":1,"key":"torn');
  });

  test('reports that secret storage lost the key in a restart, and warns when the next key is stored', async () => {
    const globalState = new MemoryState();
    globalState.values.set('keyStored.default', 'an earlier session');
    using fixture = createAccountFixture({ globalState });
    const { account } = fixture;
    await waitForEvent(() => account.view.status === 'needs-attention', account.onDidChange);
    assert.match(account.view.message ?? '', /lost the API key/);
    assert.equal(account.keyRetention, 'forgotten');
    using dialogs = new Dialogs(service.apiKey);
    await setApiKey(account);
    assert.match(
      dialogs.shownMessages.join(),
      /no keyring here, so the API key will not survive a restart/,
    );
  });

  test('opens the connect form on "Set API Key" if no service address is set', async () => {
    using fixture = createAccountFixture();
    await withSettings({ 'inferenceService.baseUrl': undefined }, async () => {
      using dialogs = new Dialogs();
      await setApiKey(fixture.account);
      assert.deepEqual(dialogs.shownInputs, []);
      assert.deepEqual(dialogs.executedCommands, ['inferenceService.newChat']);
    });
  });

  test('checks the address on "Set Service Address", and then stores the key without another step', async () => {
    using fixture = createAccountFixture();
    const { account } = fixture;
    await withSettings({ 'inferenceService.baseUrl': undefined }, async () => {
      using dialogs = new Dialogs(service.baseUrl, `  ${service.apiKey}\n`);
      await setAddressAndKey(account);
      assert.deepEqual(dialogs.executedCommands, []);
      assert.equal(account.view.status, 'signed-in');
      assert.equal((await account.getEndpoint()).apiKey, service.apiKey);
      const [urlInput, keyInput] = dialogs.shownInputs;
      assert.ok(await urlInput?.validateInput?.('http://api.service.test/api/v1'));
      assert.ok(await urlInput?.validateInput?.('https://user@api.service.test/api/v1'));
      assert.equal(await urlInput?.validateInput?.('https://api.service.test/api/v1'), undefined);
      assert.equal(await keyInput?.validateInput?.('short'), undefined, 'on this machine');
      assert.equal(await keyInput?.validateInput?.(canaryKey), undefined);
    });
  });

  test('rejects a short key for a service on another machine', async () => {
    using fixture = createAccountFixture();
    await withSettings(
      { 'inferenceService.baseUrl': 'https://api.service.test/api/v1' },
      async () => {
        using dialogs = new Dialogs(undefined);
        await setApiKey(fixture.account);
        const [keyInput] = dialogs.shownInputs;
        assert.ok(await keyInput?.validateInput?.('short'));
        assert.equal(await keyInput?.validateInput?.(canaryKey), undefined);
      },
    );
  });

  test('confirms "Remove API Key" before it deletes the key', async () => {
    using fixture = createAccountFixture();
    const { account, context } = fixture;
    await account.storeKey(account.profile, canaryKey);
    using dialogs = new Dialogs();
    await removeApiKey(account);
    assert.equal(context.secrets.values.size, 1, 'not without a yes');
    dialogs.buttonsToPress.push('Remove');
    await removeApiKey(account);
    assert.equal(context.secrets.values.size, 0);
    assert.equal(account.view.status, 'signed-out');
  });

  test('sends nothing unencrypted into the local network before the user confirms the address', async () => {
    const state = new MemoryState();
    const address = 'http://192.168.254.253:9/v1';
    await withWorkspaceSettings(
      { 'editor.tabSize': 7, 'service.unencryptedOrigins': [address] },
      () =>
        withSettings({ 'inferenceService.baseUrl': address }, async () => {
          using fixture = createAccountFixture({ globalState: state });
          const { account } = fixture;
          assert.equal(account.view.status, 'needs-attention');
          assert.match(account.view.message ?? '', /travel unencrypted to 192\.168\.254\.253:9/);
          assert.deepEqual(
            account.view.actions.map(({ label }) => label),
            ['Send unencrypted', 'Set Service Address'],
          );
          await assert.rejects(account.getEndpoint(), { message: account.view.message ?? '' });
          using choices = chooseItem('Send unencrypted');
          using _ = new Dialogs(address);
          assert.equal(await setBaseUrl(account), true);
          assert.equal(choices.pickCount, 1);
          assert.equal((await account.getEndpoint()).baseUrl.href, address);
          assert.equal(account.view.status, 'signed-out');
          using otherFixture = createAccountFixture({ globalState: state });
          assert.equal(
            (await otherFixture.account.getEndpoint()).baseUrl.href,
            address,
            'confirmed once',
          );
          await withSettings(
            { 'inferenceService.baseUrl': 'http://192.168.254.253:10/v1' },
            async () => assert.equal(account.view.status, 'needs-attention', 'another origin'),
          );
        }),
    );
  });

  test('shows the input box for the address again if the user does not permit an unencrypted address', async () => {
    using fixture = createAccountFixture();
    using choices = chooseItem('Change the address');
    using dialogs = new Dialogs('http://10.9.8.7/v1', undefined);
    assert.equal(await setBaseUrl(fixture.account), false);
    assert.equal(choices.pickCount, 1);
    assert.deepEqual(
      dialogs.shownInputs.map(({ value }) => value),
      [service.baseUrl, 'http://10.9.8.7/v1'],
    );
    assert.equal(getSetting('inferenceService.baseUrl'), service.baseUrl);
  });

  test('uses the address and the key of the active profile', async () => {
    using fixture = createAccountFixture();
    const { account, context } = fixture;
    await withSettings(
      { 'inferenceService.profiles': {}, 'inferenceService.profile': undefined },
      async () => {
        await account.storeKey(account.profile, canaryKey);
        using dialogs = new Dialogs('work', 'https://work.service.test/api/v1');
        assert.equal(await addProfile(account), true);
        assert.equal(account.profileId, 'work');
        assert.equal(account.view.profile, 'work');
        const { baseUrl, vendorPrefix, apiKey } = await account.getEndpoint();
        assert.deepEqual(
          [baseUrl.href, vendorPrefix, apiKey],
          ['https://work.service.test/api/v1', 'service', undefined],
        );
        await account.storeKey(account.profile, `${canaryKey}-work`);
        assert.equal(context.secrets.values.size, 2);
        using choices = chooseItem();
        dialogs.buttonsToPress.push('Remove');
        await removeProfile(account);
        assert.equal(choices.pickCount, 1);
        assert.equal(account.profileId, 'default');
        assert.equal(context.secrets.values.size, 1);
        assert.deepEqual(getSetting('inferenceService.profiles'), {});
      },
    );
  });

  test('changes only the active profile on "Set Service Address"', async () => {
    using fixture = createAccountFixture();
    const profiles = { work: { baseUrl: 'https://work.service.test/api/v1', vendorWord: 'acme' } };
    await withSettings(
      { 'inferenceService.profiles': profiles, 'inferenceService.profile': 'work' },
      async () => {
        using _ = new Dialogs('https://new.service.test/api/v1');
        await setBaseUrl(fixture.account);
        assert.deepEqual(getSetting('inferenceService.profiles'), {
          work: { baseUrl: 'https://new.service.test/api/v1', vendorWord: 'acme' },
        });
        assert.equal(getSetting('inferenceService.baseUrl'), service.baseUrl);
      },
    );
  });

  test('stores the key in VS Code’s secret storage', async () => {
    const { executeCommand } = vscode.commands;
    using dialogs = new Dialogs(service.adminKey);
    await control.reset();
    await executeCommand('inferenceService.setApiKey');
    assert.deepEqual([dialogs.executedCommands, dialogs.shownMessages], [[], []]);
    const authorizations = (await control.getRequests()).map(
      ({ headers }) => headers['authorization'],
    );
    assert.ok(
      authorizations.includes(`Bearer ${service.adminKey}`),
      'it comes before that of the environment',
    );
    dialogs.buttonsToPress.push('Remove');
    await executeCommand('inferenceService.removeApiKey');
    await control.reset();
    await executeCommand('inferenceService.testConnection');
    const [request] = await control.getRequests();
    assert.equal(request?.headers['authorization'], `Bearer ${service.apiKey}`);
  });

  test('shows the state in the status bar and escapes the service’s error message in the hover', async () => {
    using statusProbe = new StatusBarProbe();
    using fixture = createAccountFixture();
    const { account, context, log } = fixture;
    const models = createModelCatalog({ context, account, log });
    const host: Host = {
      // The status bar reads only those host properties that the fixture has.
      context: context as unknown as vscode.ExtensionContext,
      log,
      account,
      models,
      isMintPreapproved: false,
      accountEnvironment: {},
      service: account.service,
    };
    const statusBar = createAccountStatusBar(host);
    assert.equal(statusProbe.createdItems.length, 1);
    const [item] = statusProbe.createdItems;
    assert.ok(item);
    assert.equal(item.text, '$(comment-discussion) Inference: signed out');
    assert.equal(item.command, 'inferenceService.focusChat');
    await account.storeKey(account.profile, service.apiKey);
    await models.refresh();
    assert.equal(item.text, `$(comment-discussion) ${models.chatModel?.name}`);
    assert.equal(item.command, 'inferenceService.focusChat');
    assert.match(item.accessibilityInformation?.label ?? '', /^Inference Service: /);
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      assert.match(item.text, / \$\(lock\)$/u);
      assert.match(item.accessibilityInformation?.label ?? '', /Private models only/u);
      const { value } = item.tooltip as vscode.MarkdownString;
      assert.match(value, /^\s*Model: .* · Private models only$/mu);
    });
    assert.doesNotMatch(item.text, /lock/u);
    const message = '[pay](command:evil) $(error) <img src=x>';
    account.reportOutcome({ code: 'out-of-funds', message }, account.profile);
    assert.equal(item.text, '$(warning) Inference: needs attention');
    assert.equal(item.accessibilityInformation?.label, `Inference Service: ${message}`);
    const tooltip = item.tooltip;
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(
      tooltip.value.includes('\\[pay\\]\\(command\\:evil\\) \\$ \\(error\\) \\<img src\\=x\\>'),
    );
    assert.ok(typeof tooltip.isTrusted === 'object');
    const linkedCommands = [...tooltip.value.matchAll(/\]\(command:([\w.]+)\)/g)].map(
      ([, id]) => id,
    );
    assert.deepEqual(linkedCommands, tooltip.isTrusted.enabledCommands);
    statusBar.dispose();
  });

  test('shows in the status bar why the model list could not be loaded', async () => {
    using items = new StatusBarProbe();
    await withSettings({ 'inferenceService.baseUrl': `${origin}/nowhere` }, async () => {
      using fixture = createAccountFixture();
      const { account, context, log } = fixture;
      const models = createModelCatalog({ context, account, log });
      const parts = { context, log, account, models, service: account.service };
      const host = parts as unknown as Host;
      const status = createAccountStatusBar(host);
      const [item] = items.createdItems;
      await account.storeKey(account.profile, service.apiKey);
      await models.refresh();
      assert.equal(item?.text, '$(warning) Inference: no models');
      assert.equal(item.command, 'inferenceService.focusChat');
      const { message } = models.failure ?? {};
      assert.equal(item.accessibilityInformation?.label, `Inference Service: ${message}`);
      status.dispose();
    });
  });

  const websites: readonly [string, string | undefined, string][] = [
    ['from the settings', 'https://website.test/top', 'https://website.test/top'],
    ['at the service’s origin without a setting', undefined, `${origin}/`],
    [
      'at the service’s origin if the setting is not an HTTPS address',
      'http://website.test',
      `${origin}/`,
    ],
  ];
  for (const [name, setting, expectedUrl] of websites) {
    test(`opens the dashboard ${name}`, async () => {
      const openedUrls: string[] = [];
      const originalOpenExternal = vscode.env.openExternal;
      const openExternal = async (uri: vscode.Uri): Promise<boolean> =>
        openedUrls.push(uri.toString(true)) > 0;
      Object.defineProperty(vscode.env, 'openExternal', {
        value: openExternal,
        configurable: true,
      });
      try {
        using fixture = createAccountFixture();
        await withSettings({ 'inferenceService.dashboardUrl': setting }, async () =>
          openDashboard(fixture.account),
        );
      } finally {
        Object.defineProperty(vscode.env, 'openExternal', {
          value: originalOpenExternal,
          configurable: true,
        });
      }
      assert.deepEqual(openedUrls, [expectedUrl]);
    });
  }

  test('logs a failure with the service’s reason and without the key', async () => {
    using fixture = createAccountFixture();
    const { account, context, log, logLines } = fixture;
    await account.storeKey(account.profile, canaryKey);
    await control.injectFault({
      match: { path: '/models' },
      fault: { kind: 'status', status: 400, body: { error: `Odd\nrequest of ${canaryKey}` } },
    });
    const models = createModelCatalog({ context, account, log });
    await models.refresh();
    assert.equal(logLines.length, 1, logLines.join());
    assert.match(logLines[0] ?? '', /invalid-request · 400 · .*Odd request of \[redacted\]/);
  });

  test('does not show the failures and the balance of an inactive profile', async () => {
    using fixture = createAccountFixture();
    const { account } = fixture;
    await account.storeKey(account.profile, canaryKey);
    const previousProfile = account.profile;
    const profiles = { other: { baseUrl: service.baseUrl } };
    const settings = { 'inferenceService.profiles': profiles, 'inferenceService.profile': 'other' };
    await withSettings(settings, async () => {
      await account.storeKey(account.profile, canaryKey);
      account.reportOutcome({ code: 'unauthorized', message: 'No.' }, previousProfile);
      account.reportOutcome({ balanceUsd: 5 }, previousProfile);
      assert.equal(account.view.status, 'signed-in');
      assert.deepEqual(account.balance, {});
      account.reportOutcome({ code: 'unauthorized', message: 'No.' }, account.profile);
      assert.equal(account.view.status, 'needs-attention');
    });
  });

  test('stores the key only in secret storage, and sends it only in requests to the service', async () => {
    using fixture = createAccountFixture();
    const { account, context, log } = fixture;
    using dialogs = new Dialogs(canaryKey);
    await setApiKey(account);
    await control.injectFault({
      match: { path: '/models' },
      times: 9,
      fault: {
        kind: 'status',
        status: 400,
        body: { error: `bad key ${canaryKey} in Bearer ${canaryKey}` },
      },
    });
    const models = createModelCatalog({ context, account, log });
    await models.refresh();
    await control.reset();
    await models.refresh({ force: true });
    await testConnectionAndShow(account);
    log.error('A failure', new Error(`with ${canaryKey}`));
    const visibleTexts = [
      ...fixture.logLines,
      ...dialogs.shownMessages,
      JSON.stringify(dialogs.shownInputs),
      JSON.stringify([...context.globalState.values]),
      JSON.stringify([account.view, account.balance, models.staleReason, models.failure]),
      ...readFilesBelow(context.globalStorageUri.fsPath),
    ];
    assert.ok(visibleTexts.length > 5);
    for (const text of visibleTexts) assert.ok(!text.includes(canaryKey), text);
    const storedKey = encodeBoundKey({ origin, key: canaryKey });
    assert.deepEqual([...context.secrets.values.values()], [storedKey]);
  });
});

/** Records the status bar items created during its lifetime. */
class StatusBarProbe implements Disposable {
  readonly createdItems: vscode.StatusBarItem[] = [];
  readonly #create = vscode.window.createStatusBarItem;

  constructor() {
    const create = (...args: Parameters<typeof vscode.window.createStatusBarItem>): unknown => {
      const item = this.#create(...args);
      this.createdItems.push(item);
      return item;
    };
    Object.assign(vscode.window, { createStatusBarItem: create });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { createStatusBarItem: this.#create });
  }
}

/** Selects the item with this label in every quick pick. If `label` is omitted, selects the first item. */
function chooseItem(label?: string): { pickCount: number; [Symbol.dispose](): void } {
  const originalShow = vscode.window.showQuickPick;
  const choices = {
    pickCount: 0,
    [Symbol.dispose]: () => void Object.assign(vscode.window, { showQuickPick: originalShow }),
  };
  Object.assign(vscode.window, {
    showQuickPick: async (items: readonly vscode.QuickPickItem[]) => {
      choices.pickCount++;
      return label === undefined ? items[0] : items.find((item) => item.label === label);
    },
  });
  return choices;
}

const readFilesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));

/** Creates the status bar as the extension does. */
const createAccountStatusBar = (host: Host) =>
  createStatusBar(host, {
    models: getModelStatus(host.models, new ObservableValue(undefined)),
    suggestions: getCompletionStatus({ host, suggestions: new InlineSuggestions(host) }),
  });
