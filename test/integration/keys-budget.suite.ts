import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createPayingSignIn } from '../../src/wallet/x402/vscode/paying-sign-in.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { getLastSixCharacters, getSlotId } from '../../src/account/key-state.ts';
import { createLazyBudget, type LazyBudget } from '../../src/account/vscode/budget.ts';
import { setBudget } from '../../src/account/vscode/set-budget.ts';
import { findKeyExpiry, storeKeyExpiry } from '../../src/account/vscode/key-in-use.ts';
import {
  readStoredKeyInfo,
  saveStoredKeyInfo,
  readWorkspaceKeys,
} from '../../src/account/vscode/key-store.ts';
import { sendSuggestionRequest } from '../../src/completion/vscode/send-request.ts';
import { CompletionActivity } from '../../src/completion/vscode/completion-activity.ts';
import { removeProfile } from '../../src/account/vscode/profile-commands.ts';
import { createHost, type Host } from '../../src/host.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { KnownAccounts, StoredKeys } from '../../src/wallet/vscode/known-accounts.ts';
import { mintForWorkspace } from '../../src/wallet/keys/vscode/mint-for-workspace.ts';
import { listLocalApiKeys } from '../../src/wallet/keys/vscode/local-api-keys.ts';
import { rotateKeyCommand, rotateApiKey } from '../../src/wallet/keys/vscode/rotate-key.ts';
import { saveRotation } from '../../src/wallet/keys/vscode/key-rotation.ts';
import { showKeys } from '../../src/wallet/keys/vscode/show-keys.ts';
import { getWorkspaceId } from '../../src/platform/window.ts';
import { createChatCompletion } from '../../src/service/chat/chat.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import { flattenBatches } from '../support/batches.ts';
import { ServiceError } from '../../src/service/http/failure.ts';
import { generateImages } from '../../src/service/images/image-calls.ts';
import { Control } from '../service/control.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { waitUntil } from '../support/eventually.ts';
import {
  type AccountFixture,
  createAccountFixture,
  Dialogs,
  type FixtureOptions,
  withSettings,
} from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { getChainAccount } from './mint-fixture.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const { origin } = new URL(service.baseUrl);
const { signal } = new AbortController();
const dayMs = 86_400_000;
const createSecret = (name: string): string => `SERVICE_INFERENCE_KEY_canary_${name}`;

/** Clock that starts at noon, so that no test runs past midnight, when the spending budget resets. */
const noonClock: Clock = {
  now: () => systemClock.now() + noonOffsetMs,
  after: (delayMs, run) => systemClock.after(delayMs, run),
};
const noonOffsetMs = dayMs / 2 - (Date.now() % dayMs);

/** Window with an account and a spending budget. All windows with the same storage folder share the budget. */
interface BudgetWindow extends AccountFixture {
  readonly host: Host & { readonly budget: LazyBudget };
}

function openWindow(options: FixtureOptions & { folder?: string } = {}): BudgetWindow {
  const fixture = createAccountFixture({
    environment: { INFERENCE_SERVICE_API_KEY: service.apiKey },
    ...options,
  });
  const { account, context, log } = fixture;
  const models = createModelCatalog({ context, account, log });
  const folder = options.folder ?? join(context.globalStorageUri.fsPath, 'spending');
  const budget = createLazyBudget({ folder, clock: noonClock, log, models });
  const host = {
    context: context as unknown as vscode.ExtensionContext,
    log,
    account,
    models,
    isMintPreapproved: false,
    accountEnvironment: {},
    budget,
    service: { ...account.service, spending: budget },
  };
  return {
    ...fixture,
    host,
    [Symbol.dispose]() {
      budget.dispose();
      models.dispose();
      fixture[Symbol.dispose]();
    },
  };
}

const chatRequest = {
  model: 'service-small',
  messages: [{ role: 'user', content: 'Hello' }],
} as const;

async function findTextModel({ models }: Host): Promise<string> {
  await models.refresh();
  assert.ok(models.chatModel);
  return models.chatModel.id;
}

/**
 * Selects the item that matches the next label in each quick pick. The last label applies to all further quick picks.
 */
function chooseItems(
  ...labelPatterns: readonly RegExp[]
): Disposable & { readonly labelLists: string[][] } {
  const { showQuickPick } = vscode.window;
  const remainingPatterns = [...labelPatterns];
  const labelLists: string[][] = [];
  const pick = async (items: readonly vscode.QuickPickItem[]) => {
    labelLists.push(items.map(({ label }) => label));
    const label = remainingPatterns.length > 1 ? remainingPatterns.shift() : remainingPatterns[0];
    return items.find((item) => label?.test(item.label));
  };
  Object.assign(vscode.window, { showQuickPick: pick });
  return {
    labelLists,
    [Symbol.dispose]: () => void Object.assign(vscode.window, { showQuickPick }),
  };
}

/** Sends a chat request. Returns `complete`, or the code of its failure. */
async function sendChatOnce({ host }: BudgetWindow): Promise<string> {
  const model = await findTextModel(host);
  for await (const event of flattenBatches(
    streamChat(host.service, { ...chatRequest, model }, { signal }),
  )) {
    if (event.type !== 'stream-end') continue;
    return event.outcome.kind === 'complete' ? 'complete' : event.outcome.failure.code;
  }
  return 'no end';
}

const getSpendingFolder = ({ context }: BudgetWindow): string =>
  join(context.globalStorageUri.fsPath, 'spending');

/** Records a cost, as an earlier request would. */
async function spendUsd({ host }: BudgetWindow, usd: number): Promise<void> {
  await host.budget.authorizeRequest({ kind: 'chat', isBackground: false }, signal);
  const watch = await host.budget.getWatch();
  const spendingChangePromise = new Promise<void>((resolve) => {
    const subscription = watch.onDidChange(() => {
      subscription.dispose();
      resolve();
    });
  });
  host.budget.recordSpending({ kind: 'chat', isBackground: false }, { cost: { usd } });
  await spendingChangePromise;
}

const countPaidRequests = async (): Promise<number> =>
  (await control.getRequests()).filter(({ method, path }) => method === 'POST' && path !== '/')
    .length;

suite('the budget', () => {
  test('applies to every request of the extension, and the user agent of requests contains the name and version of the extension', () => {
    using fixture = createAccountFixture();
    const extension = vscode.extensions.getExtension('inference-service.inference-service');
    assert.ok(extension);
    const { version } = extension.packageJSON as { readonly version: string };
    const context = { ...fixture.context, subscriptions: [], extension };
    const host = createHost(context as unknown as vscode.ExtensionContext, async (payment) =>
      createPayingSignIn(payment),
    );
    assert.ok(host.budget);
    assert.equal(host.service.spending, host.budget);
    assert.equal(host.service.userAgent, `inference-service/${version}`);
    host.dispose();
  });

  test('counts the cost that the service reports in the reply to a chat request', async () => {
    await control.reset();
    using window = openWindow();
    assert.equal(await sendChatOnce(window), 'complete');
    const [charge] = (await control.getAccounts()).charges;
    assert.ok(charge);
    await withSettings({ 'inferenceService.budget.daily': 5 }, async () => {
      const watch = await window.host.budget.getWatch();
      const [usage] = await watch.listBudgetUsages();
      const chargedMicros = charge.usd + charge.bundled + charge.diem;
      assert.ok(usage && usage.spentAmount > 0n);
      const difference = Number(usage.spentAmount) / 1_000 - chargedMicros;
      assert.ok(
        Math.abs(difference) <= 1,
        `${usage.spentAmount} is not ${chargedMicros} millionths`,
      );
    });
    const [file = ''] = readdirSync(getSpendingFolder(window));
    const text = readFileSync(join(getSpendingFolder(window), file), 'utf8');
    const [, model] = /"model":"([^"]+)"/u.exec(text) ?? [];
    assert.equal(model, window.host.models.chatModel?.id);
    const amountPattern =
      /"usd":"[\d.]+"|"(?:promptTokens|completionTokens)":\d+|"feature":"chat"/gu;
    const remainingText = text.replaceAll(amountPattern, '').replaceAll(`"model":"${model}"`, '');
    assert.match(remainingText, /^(?:\n\{,*\}\n)+$/u, 'figures, and nothing else');
  });

  test('requires confirmation of each request above the limit, and sends nothing after “Stop”', async () => {
    await control.reset();
    using window = openWindow();
    await findTextModel(window.host);
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      await spendUsd(window, 1);
      for (const answer of ['Stop', undefined, 'Stop']) {
        if (answer !== undefined) dialogs.buttonsToPress.push(answer);
        assert.equal(await sendChatOnce(window), 'over-budget');
      }
      assert.equal(dialogs.shownMessages.length, 3);
      assert.match(dialogs.shownMessages.join(), /Your budget is spent: \$1 of \$1 today/u);
    });
    assert.equal(await countPaidRequests(), 0);
  });

  test('stops agents, images and suggestions at the limit, and shows no dialog for suggestions', async () => {
    await control.reset();
    using window = openWindow();
    const { host } = window;
    const model = await findTextModel(host);
    const imageModel = host.models.models.find(({ type }) => type === 'image');
    assert.ok(imageModel);
    const getErrorCode = (error: unknown): string =>
      error instanceof ServiceError ? error.failure.code : String(error);
    await withSettings({ 'inferenceService.budget.monthly': 1 }, async () => {
      using dialogs = new Dialogs();
      await spendUsd(window, 1);
      dialogs.buttonsToPress.push('Stop', 'Stop');
      const agentRequestPromise = createChatCompletion(
        host.service,
        { ...chatRequest, model },
        { signal },
      );
      assert.equal(await agentRequestPromise.then(() => 'sent', getErrorCode), 'over-budget');
      const request = { model: imageModel.id, prompt: 'a' };
      const imagePromise = generateImages(host.service, request, {
        variants: 1,
        signal,
      }).next();
      assert.equal(await imagePromise.then(() => 'sent', getErrorCode), 'over-budget');
      assert.equal(dialogs.shownMessages.length, 2);
      const activity = new CompletionActivity(host.service.clock);
      const suggestionRequest = { route: 'chat', request: { ...chatRequest, model } } as never;
      const receivedTexts: string[] = [];
      for await (const batch of sendSuggestionRequest(
        { host, activity },
        suggestionRequest,
        signal,
      )) {
        for (const event of batch) receivedTexts.push(JSON.stringify(event));
      }
      assert.match(receivedTexts.join(), /over-budget.*\$1 of \$1 this month/u);
      assert.equal(dialogs.shownMessages.length, 2);
    });
    assert.equal(await countPaidRequests(), 0);
  });

  test('requires confirmation of an image that costs more than the remaining amount', async () => {
    using window = openWindow();
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      await spendUsd(window, 0.5);
      dialogs.buttonsToPress.push('Stop');
      const request = { kind: 'image', isBackground: false, price: { usd: 0.6 } } as const;
      await assert.rejects(window.host.budget.authorizeRequest(request, signal), {
        name: 'ServiceError',
      });
      assert.match(dialogs.shownMessages.join(), /costs about \$0\.60, more than is left/u);
      await window.host.budget.authorizeRequest({ ...request, price: { usd: 0.5 } }, signal);
      assert.equal(dialogs.shownMessages.length, 1);
    });
  });

  test('limits the total cost of images generated at the same time', async () => {
    using window = openWindow();
    const { budget } = window.host;
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Stop');
      const requests = [1, 2].map(
        () => ({ kind: 'image', isBackground: false, price: { usd: 0.6 } }) as const,
      );
      const outcomes = await Promise.allSettled(
        requests.map((request) => budget.authorizeRequest(request, signal)),
      );
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      assert.match(
        dialogs.shownMessages.join(),
        /more than is left of your budget: \$0\.60 of \$1/u,
      );
      for (const request of requests) budget.releaseReservedPrice(request);
      const watch = await budget.getWatch();
      await watch.listBudgetUsages();
      await watch.listBudgetUsages();
      await budget.authorizeRequest({ ...requests[0]! }, signal);
      assert.equal(dialogs.shownMessages.length, 1);
    });
  });

  test('applies “Continue today” to all windows', async () => {
    await control.reset();
    using firstWindow = openWindow();
    using secondWindow = openWindow({ folder: getSpendingFolder(firstWindow) });
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      await spendUsd(firstWindow, 1);
      dialogs.buttonsToPress.push('Continue today');
      assert.equal(await sendChatOnce(secondWindow), 'complete');
      assert.equal(await sendChatOnce(secondWindow), 'complete');
      assert.equal(await sendChatOnce(firstWindow), 'complete');
      assert.equal(dialogs.shownMessages.length, 1);
    });
  });

  test('shows one dialog for several requests that wait for confirmation', async () => {
    using window = openWindow();
    await withSettings({ 'inferenceService.budget.daily': 0 }, async () => {
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Continue today');
      const request = { kind: 'chat', isBackground: false } as const;
      const authorizationPromises = Array.from({ length: 5 }, () =>
        window.host.budget.authorizeRequest(request, signal),
      );
      await Promise.all(authorizationPromises);
      assert.equal(dialogs.shownMessages.length, 1);
    });
  });

  test('continues after “Set Budget” if the new amount suffices, and shows the dialog again if not', async () => {
    using window = openWindow();
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs('1.5', '4');
      await spendUsd(window, 2);
      dialogs.buttonsToPress.push('Set Budget', 'Set Budget');
      await window.host.budget.authorizeRequest({ kind: 'chat', isBackground: false }, signal);
      assert.equal(dialogs.shownMessages.length, 2);
      const setting = vscode.workspace.getConfiguration().get('inferenceService.budget.daily');
      assert.equal(setting, 4);
    });
  });

  test('stops waiting for the user’s answer when the request is stopped', async () => {
    using window = openWindow();
    await withSettings({ 'inferenceService.budget.daily': 0 }, async () => {
      using _dialogs = new Dialogs();
      const neverSettle = (): Promise<never> => new Promise(() => {});
      Object.assign(vscode.window, { showWarningMessage: neverSettle });
      const abortController = new AbortController();
      const request = { kind: 'chat', isBackground: false } as const;
      const authorizationPromise = window.host.budget.authorizeRequest(
        request,
        abortController.signal,
      );
      abortController.abort();
      await assert.rejects(authorizationPromise, { message: 'Stopped.' });
    });
  });

  test('shows a warning at 80 % in only one of several windows', async () => {
    using firstWindow = openWindow();
    using secondWindow = openWindow({ folder: getSpendingFolder(firstWindow) });
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      await spendUsd(firstWindow, 0.79);
      assert.deepEqual(dialogs.shownMessages, []);
      await spendUsd(secondWindow, 0.01);
      await spendUsd(secondWindow, 0.01);
      await spendUsd(firstWindow, 0.01);
      const [message = '', ...otherMessages] = dialogs.shownMessages;
      assert.match(message, /Most of your budget is spent: \$0\.80 of \$1 today/u);
      assert.deepEqual(otherMessages, []);
    });
  });

  test('shows no dialog without a limit, and counts earlier costs after the user sets a limit', async () => {
    using window = openWindow();
    using dialogs = new Dialogs('3');
    await spendUsd(window, 2);
    using _picks = chooseItems(/Daily budget/u);
    await withSettings({ 'inferenceService.budget.daily': undefined }, async () => {
      await setBudget(window.host);
      const [usage] = await (await window.host.budget.getWatch()).listBudgetUsages();
      assert.deepEqual([usage?.spentAmount, usage?.limit], [2_000_000_000n, 3_000_000_000n]);
    });
    assert.deepEqual(dialogs.shownMessages, []);
  });
});

const waitForNextTurn = (): Promise<false> =>
  new Promise((resolve) => setImmediate(() => resolve(false)));

/** Waits until the list of keys is loaded. Returns its items, each as `label | description | detail`. */
async function readKeyList(probe: PickerProbe): Promise<string[]> {
  await waitUntil(() => !probe.quickPick.busy);
  return probe.quickPick.items.map(({ label, description = '', detail = '' }) =>
    [label, description, detail].filter((text) => text !== '').join(' | '),
  );
}

const findItem = (probe: PickerProbe, text: string): vscode.QuickPickItem => {
  const item = probe.quickPick.items.find(({ label }) => label.includes(text));
  assert.ok(item, `${text} is none of ${probe.listLabels().join(', ')}`);
  return item;
};

/**
 * Opens the list of keys, and runs an action in it. The list opens again after the action, and is then closed. Returns
 * the items that the list contained before the action.
 */
async function withKeyList(
  { host }: BudgetWindow,
  run: (probe: PickerProbe, rows: readonly string[]) => Promise<void> | void,
): Promise<readonly string[]> {
  using probe = new PickerProbe();
  const keyListPromise = showKeys(host);
  await waitUntil(() => isPickerOpen(probe));
  const rows = await readKeyList(probe);
  let lastPicker = probe.quickPick;
  await run(probe, rows);
  // The list opens again after the action. The probe closes each list only once, because
  // closing sends a message to the window.
  const closedPromise = keyListPromise.then(() => true);
  while (!(await Promise.race([closedPromise, waitForNextTurn()]))) {
    if (probe.quickPick === lastPicker) continue;
    lastPicker = probe.quickPick;
    lastPicker.hide();
  }
  return rows;
}

function isPickerOpen(probe: PickerProbe): boolean {
  try {
    return probe.quickPick !== undefined;
  } catch {
    return false;
  }
}

/** Opens a window whose profile has the API key `key`. If `canManage` is true, the profile also has an ADMIN key. */
async function openKeyWindow(key: string, { canManage = false } = {}): Promise<BudgetWindow> {
  const window = openWindow({ environment: {} });
  const { account } = window;
  await account.storeKey(account.profile, key);
  if (canManage) await account.storeKey(account.profile, service.adminKey, 'management');
  return window;
}

const readKeys = async (): Promise<readonly { id: string; last6?: string }[]> => {
  const reply = await fetch(`${service.baseUrl}/api_keys`, {
    headers: { authorization: `Bearer ${service.adminKey}` },
  });
  const { data } = (await reply.json()) as { data: { id: string; last6Chars: string }[] };
  return data.map(({ id, last6Chars }) => ({ id, last6: last6Chars }));
};

const formatDateInDays = (days: number): string =>
  new Date(Date.now() + days * dayMs).toISOString();

/** Stores the private key of an account with a stake in VS Code's secret storage, and selects the account. */
async function connectStaker({ host }: BudgetWindow): Promise<void> {
  const { address, privateKey } = getChainAccount(4);
  await new StoredKeys(host.context).store(address, privateKey);
  await new KnownAccounts(host.context).setCurrent({ kind: 'private-key', address });
}

suite('key management', () => {
  test('rejects a management key that cannot list keys, and stores an ADMIN key separately', async () => {
    await control.reset();
    using window = await openKeyWindow(service.apiKey);
    using dialogs = new Dialogs(service.adminKey);
    const { account } = window;
    const { profile } = account;
    const last6 = getLastSixCharacters(service.apiKey);
    const limit = { consumptionLimit: { usd: 5 }, limitPeriod: 'MONTH' } as const;
    await saveStoredKeyInfo(
      account.state,
      { profileId: profile.id, slot: 'profile' },
      {
        last6,
        type: 'INFERENCE',
        origin,
        description: 'Laptop',
        expiresAt: formatDateInDays(4.5),
        ...limit,
      },
    );
    const rows = await withKeyList(window, (probe) => {
      assert.equal(probe.quickPick.placeholder, 'To see and change all keys, use an ADMIN key');
      assert.equal(account.view.status, 'signed-in', 'nothing is wrong with the key');
      probe.acceptItems(findItem(probe, 'Enter an ADMIN key'));
    });
    assert.deepEqual(rows, [
      `Laptop (…${last6}) | At most $5 per month · expires in 5 days | In use here · Stored on this machine`,
      'Create API Key for This Workspace',
      'Enter an ADMIN key…',
      'Get ADMIN Key with Wallet…',
    ]);
    assert.equal(dialogs.shownInputs[0]?.password, true);
    assert.equal(await account.readStoredKey(account.profile, 'management'), service.adminKey);
    assert.equal((await account.getEndpoint()).apiKey, service.apiKey, 'calls carry the other one');
    assert.ok(!window.logLines.join().includes(service.adminKey));
  });

  test('recommends minting an ADMIN key with a wallet if an action requires an ADMIN key', async () => {
    await control.reset();
    using window = await openKeyWindow(service.apiKey);
    await withKeyList(window, async (probe) => {
      probe.acceptItems(findItem(probe, 'Get ADMIN Key with Wallet'));
      await probe.waitForLabel(/Recommended/u);
      assert.match(findItem(probe, 'Recommended').detail ?? '', /^Admin key, until /u);
    });
  });

  test('reports an unreachable service with a Retry action', async () => {
    using window = await openKeyWindow(service.apiKey, { canManage: true });
    await control.injectFault({ path: '/api_keys', status: 500, times: 3 } as never);
    const rows = await withKeyList(window, (probe) => probe.quickPick.hide());
    await control.reset();
    assert.match(rows.join('\n'), /Retry/u);
  });

  test('shows the limit, usage, expiry and storage location of each key', async () => {
    await control.reset();
    const key = createSecret('list01');
    await control.changeAccount({
      keys: [
        {
          secret: key,
          id: 'listed',
          description: 'This laptop $(error)',
          limit: { usd: 5 },
          limitPeriod: 'MONTH',
          expiresAt: formatDateInDays(4.5),
        },
      ],
    });
    using window = await openKeyWindow(key, { canManage: true });
    let placeholder = '';
    const rows = await withKeyList(window, (probe) => {
      placeholder = probe.quickPick.placeholder ?? '';
      probe.quickPick.hide();
    });
    assert.ok((window.account.balance.usd ?? 0) > 0, 'the balance is known from the list');
    assert.match(placeholder, / · Balance \$.* · \$0 in 7 days$/u);
    assert.equal(
      rows[0],
      'This laptop $ (error) (…list01) | INFERENCE · $0 of $5 per month · expires in 5 days | In use here · Stored on this machine',
    );
    assert.match(rows[1] ?? '', /ADMIN · .*Manages keys only/u);
  });

  test('changes the limit of a key at the service', async () => {
    await control.reset();
    await control.changeAccount({ keys: [{ secret: createSecret('edit01'), id: 'edited' }] });
    using window = await openKeyWindow(service.apiKey, { canManage: true });
    using _dialogs = new Dialogs('2.50');
    using _picks = chooseItems(/Limit/u, /In DIEM/u, /Each day/u);
    await withKeyList(window, (probe) => probe.pressItemButton(findItem(probe, 'edit01'), /Edit/u));
    const patchRequest = (await control.getRequests()).find(({ method }) => method === 'PATCH');
    assert.deepEqual(patchRequest?.body, {
      id: 'edited',
      consumptionLimit: { usd: null, diem: 2.5 },
      limitPeriod: 'EPOCH',
    });
  });

  test('requires confirmation of a revocation, and signs out when the active key is revoked', async () => {
    await control.reset();
    const key = createSecret('revok1');
    await control.changeAccount({ keys: [{ secret: key, id: 'revoked' }] });
    using window = await openKeyWindow(key, { canManage: true });
    const { account } = window;
    using dialogs = new Dialogs();
    await withKeyList(window, (probe) =>
      probe.pressItemButton(findItem(probe, 'revok1'), /Revoke/u),
    );
    assert.ok(
      (await readKeys()).some(({ id }) => id === 'revoked'),
      'nobody said yes',
    );
    dialogs.buttonsToPress.push('Revoke');
    await withKeyList(window, (probe) =>
      probe.pressItemButton(findItem(probe, 'revok1'), /Revoke/u),
    );
    assert.ok(!(await readKeys()).some(({ id }) => id === 'revoked'));
    assert.match(dialogs.shownMessages.join(), /Revoke the key/u);
    assert.equal(account.view.status, 'signed-out');
  });

  test('prefers the workspace key to the profile key, lists workspace keys, and removes a revoked key only from its workspace', async () => {
    await control.reset();
    const key = createSecret('works1');
    await control.changeAccount({ keys: [{ secret: key, id: 'of-workspace' }] });
    using window = await openKeyWindow(service.apiKey, { canManage: true });
    const { account } = window;
    const { profile } = account;
    const otherKeyInfo = { last6: 'works2', type: 'INFERENCE', origin } as const;
    const slot = { workspace: getWorkspaceId() };
    await account.storeKey(profile, key, slot);
    const workspaceInfo = { id: getWorkspaceId(), name: 'here' };
    await saveStoredKeyInfo(
      account.state,
      { profileId: profile.id, slot },
      { ...otherKeyInfo, last6: 'works1', id: 'of-workspace', workspace: workspaceInfo },
    );
    await saveStoredKeyInfo(
      account.state,
      { profileId: profile.id, slot: { workspace: 'ab'.repeat(16) } },
      { ...otherKeyInfo, workspace: { id: 'ab'.repeat(16), name: 'elsewhere' } },
    );
    assert.equal((await account.getEndpoint()).apiKey, key);
    assert.deepEqual(account.key, { kind: 'usable', key, source: 'workspace' });
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Revoke');
    const rows = await withKeyList(window, (probe) =>
      probe.pressItemButton(findItem(probe, 'works1'), /Revoke/u),
    );
    assert.match(rows.join('\n'), /In use here · API key for here/u);
    assert.match(rows.join('\n'), /works2.*API key for elsewhere/u);
    assert.equal(
      (await account.getEndpoint()).apiKey,
      service.apiKey,
      'the profile’s counts again',
    );
    assert.ok(!(await readKeys()).some(({ id }) => id === 'of-workspace'));
    assert.deepEqual(
      readWorkspaceKeys(account.state, profile.id).map(({ workspace }) => workspace?.name),
      ['elsewhere'],
    );
  });

  test('does not fall back to the profile key if the workspace key is lost, until the user enters a key', async () => {
    using window = await openKeyWindow(service.apiKey);
    const { account, context } = window;
    const slot = { workspace: getWorkspaceId() };
    await account.storeKey(account.profile, createSecret('gone01'), slot);
    await context.secrets.delete(`inferenceService.key.${getSlotId(account.profileId, slot)}`);
    assert.equal((await account.getEndpoint()).apiKey, undefined);
    assert.deepEqual(await account.readKey(), { kind: 'lost', source: 'workspace' });
    await account.reloadKey();
    assert.match(account.view.message ?? '', /API key of this workspace/u);
    await account.storeKey(account.profile, createSecret('again1'));
    assert.equal((await account.getEndpoint()).apiKey, createSecret('again1'));
  });

  test('removes all keys of a removed profile, and no key of another profile', async () => {
    using window = await openKeyWindow(service.apiKey, { canManage: true });
    const { account, context } = window;
    const profiles = { work: { baseUrl: service.baseUrl } };
    await withSettings({ 'inferenceService.profiles': profiles }, async () => {
      const workProfile = { ...account.profile, id: 'work' };
      const workspace = { workspace: 'ab'.repeat(16) };
      const slots = ['profile', 'management', { next: 'profile' }, workspace] as const;
      for (const slot of slots) {
        await account.storeKey(workProfile, createSecret('remove'), slot);
        const keyInfo = { last6: 'remove', type: 'INFERENCE', origin } as const;
        await saveStoredKeyInfo(account.state, { profileId: workProfile.id, slot }, keyInfo);
      }
      await account.storeKey({ ...workProfile, id: 'work-2' }, createSecret('beside'));
      using dialogs = new Dialogs();
      using _picks = chooseItems(/^work$/u);
      dialogs.buttonsToPress.push('Remove');
      await removeProfile(account);
      for (const slot of slots)
        assert.equal(await account.readStoredKey(workProfile, slot), undefined);
      const remainingEntries = [...context.globalState.values].filter(([name]) =>
        /\.work(\.|$)/u.test(name),
      );
      assert.deepEqual(
        remainingEntries.filter(([, value]) => value !== undefined),
        [],
      );
      assert.equal(
        await account.readStoredKey({ ...workProfile, id: 'work-2' }, 'profile'),
        createSecret('beside'),
      );
      assert.equal(await account.readStoredKey(account.profile, 'management'), service.adminKey);
    });
  });

  test('requires a limit for a workspace key, or the explicit choice of no limit', async () => {
    await control.reset();
    using window = await openKeyWindow(service.apiKey);
    using dialogs = new Dialogs();
    using picks = chooseItems(/nothing of this/u);
    await mintForWorkspace(window.host);
    assert.deepEqual(picks.labelLists, [['In US dollars', 'In DIEM', 'No limit']]);
    assert.deepEqual(dialogs.shownMessages, []);
    assert.equal(window.account.key.kind, 'usable');
  });

  /** Creates a key rotation that a reload interrupted after the new key was minted. */
  async function startRotation(name: string, { canManage = true, isValid = true } = {}) {
    await control.reset();
    const [oldKey, newKey] = [createSecret(`${name}o1`), createSecret(`${name}n1`)];
    const keys = [{ secret: oldKey, id: `${name}-old` }];
    await control.changeAccount({
      keys: isValid ? [...keys, { secret: newKey, id: `${name}-next` }] : keys,
    });
    const window = await openKeyWindow(oldKey, { canManage });
    const { account } = window;
    await account.storeKey(account.profile, newKey, { next: 'profile' });
    const storedRotation = {
      id: `${name}-next`,
      last6: getLastSixCharacters(newKey),
      type: 'INFERENCE',
      origin,
    } as const;
    await saveRotation(
      account.state,
      { profileId: account.profile.id, slot: 'profile' },
      {
        newKey: storedRotation,
        oldKey: { last6: getLastSixCharacters(oldKey) },
        usesNewKey: false,
      },
    );
    return { window, old: oldKey, next: newKey };
  }

  test('resumes a key rotation after a reload: tests the new key, switches to it, and revokes the old key', async () => {
    const { window, old: oldKey, next: nextKey } = await startRotation('rota');
    using _window = window;
    using dialogs = new Dialogs();
    await rotateKeyCommand(window.host);
    const { account } = window;
    assert.equal((await account.getEndpoint()).apiKey, nextKey);
    assert.equal(await account.readStoredKey(account.profile, { next: 'profile' }), undefined);
    assert.equal(readStoredKeyInfo(account.state, account.profile.id)?.id, 'rota-next');
    const ids = (await readKeys()).map(({ id }) => id);
    assert.deepEqual([ids.includes('rota-old'), ids.includes('rota-next')], [false, true]);
    assert.deepEqual(dialogs.shownMessages, []);
    const storedText =
      JSON.stringify([...window.context.globalState.values]) + window.logLines.join();
    assert.ok(!storedText.includes(oldKey) && !storedText.includes(nextKey));
  });

  test('keeps the old key when the new key does not work', async () => {
    const { window, old: oldKey } = await startRotation('rotb', { isValid: false });
    using _window = window;
    using dialogs = new Dialogs();
    await rotateKeyCommand(window.host);
    assert.equal((await window.account.getEndpoint()).apiKey, oldKey);
    assert.match(dialogs.shownMessages.join(), /old API key stays in use/u);
    dialogs.buttonsToPress.push('Discard');
    await rotateKeyCommand(window.host);
    const { account } = window;
    assert.equal(await account.readStoredKey(account.profile, { next: 'profile' }), undefined);
    assert.ok((await readKeys()).some(({ id }) => id === 'rotb-old'));
  });

  test('warns that the old key is still valid if no ADMIN key is stored, and can resume the rotation', async () => {
    const { window, next: nextKey } = await startRotation('rotc', { canManage: false });
    using _window = window;
    using dialogs = new Dialogs(service.adminKey);
    await rotateKeyCommand(window.host);
    assert.equal((await window.account.getEndpoint()).apiKey, nextKey);
    assert.match(
      dialogs.shownMessages.join(),
      /is still valid: revoking it takes a key of type ADMIN/u,
    );
    dialogs.buttonsToPress.push('Enter an ADMIN key…');
    await rotateKeyCommand(window.host);
    assert.ok(!(await readKeys()).some(({ id }) => id === 'rotc-old'));
  });

  test('mints a replacement key with the same limits if a wallet is connected', async () => {
    await control.reset();
    const oldKey = createSecret('whole1');
    const expiresAt = formatDateInDays(60);
    const key = { secret: oldKey, id: 'whole-old', description: 'CI', expiresAt };
    await control.changeAccount({ keys: [{ ...key, limit: { usd: 4 }, limitPeriod: 'MONTH' }] });
    using window = await openKeyWindow(oldKey, { canManage: true });
    await connectStaker(window);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Rotate', 'Sign');
    await rotateKeyCommand(window.host);
    const { account } = window;
    const { apiKey = '' } = await account.getEndpoint();
    assert.notEqual(apiKey, oldKey);
    const storedKeyInfo = readStoredKeyInfo(account.state, account.profile.id);
    assert.deepEqual(storedKeyInfo?.consumptionLimit, { usd: 4 });
    assert.deepEqual([storedKeyInfo?.limitPeriod, storedKeyInfo?.description], ['MONTH', 'CI']);
    assert.equal(storedKeyInfo?.expiresAt?.slice(0, 10), expiresAt.slice(0, 10));
    assert.ok(!(await readKeys()).some(({ id }) => id === 'whole-old'));
    const traceText =
      JSON.stringify([...window.context.globalState.values]) + window.logLines.join();
    for (const secretValue of [apiKey, oldKey, getChainAccount(4).privateKey]) {
      assert.ok(
        !traceText.includes(secretValue) && !dialogs.shownMessages.join().includes(secretValue),
      );
    }
  });

  test('replaces a key only once when two rotations start at the same time', async () => {
    await control.reset();
    const oldKey = createSecret('twice1');
    await control.changeAccount({ keys: [{ secret: oldKey, id: 'twice-old' }] });
    using window = await openKeyWindow(oldKey, { canManage: true });
    const { account, host } = window;
    await connectStaker(window);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Rotate', 'Sign');
    const [localKey] = await listLocalApiKeys(account, account.profile);
    assert.ok(localKey);
    const rotateKey = () => rotateApiKey(host, { localKey, profile: account.profile });
    await Promise.all([rotateKey(), rotateKey()]);
    await rotateKey();
    assert.equal(dialogs.shownMessages.filter((text) => /Replace the key/u.test(text)).length, 1);
    assert.match(dialogs.shownMessages.join(), /already under way.*The API key was replaced\./u);
    const mintRequests = (await control.getRequests()).filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/generate_web3_key'),
    );
    assert.equal(mintRequests.length, 1);
  });

  test('keeps the old key when the user rejects the signature for a new key', async () => {
    await control.reset();
    using window = await openKeyWindow(service.apiKey, { canManage: true });
    await connectStaker(window);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Rotate');
    await rotateKeyCommand(window.host);
    assert.equal((await window.account.getEndpoint()).apiKey, service.apiKey);
    assert.ok(!(await control.getRequests()).some(({ method }) => method === 'DELETE'));
  });

  test('mints a workspace key with a separate limit', async () => {
    await control.reset();
    await control.changeWeb3Settings({ firstAllocation: 'at-once' });
    using window = await openKeyWindow(service.apiKey);
    await connectStaker(window);
    using dialogs = new Dialogs('3');
    dialogs.buttonsToPress.push('Sign');
    using _picks = chooseItems(/In US dollars/u, /Each day/u);
    await mintForWorkspace(window.host);
    const { account } = window;
    const key = await account.readKey();
    assert.equal(key.kind === 'usable' && key.source, 'workspace');
    const [localKey] = readWorkspaceKeys(account.state, account.profile.id);
    assert.deepEqual([localKey?.consumptionLimit, localKey?.limitPeriod], [{ usd: 3 }, 'EPOCH']);
    assert.equal(localKey?.workspace?.id, getWorkspaceId());
    assert.equal(await account.readStoredKey(account.profile, 'profile'), service.apiKey);
  });

  test('stores the expiry of a key, and reports the key as urgent when it expires within three days', async () => {
    await control.reset();
    using window = await openKeyWindow(createSecret('expiry'));
    const { account } = window;
    const clock = new ManualClock(Date.now());
    await storeKeyExpiry(account, 'soon');
    assert.equal(readStoredKeyInfo(account.state, account.profile.id), undefined);
    await storeKeyExpiry(account, new Date(clock.now() + 15 * dayMs).toISOString());
    const urgencyFlags: (boolean | undefined)[] = [];
    for (let day = 0; day < 16; day++) {
      await clock.advance(dayMs);
      urgencyFlags.push(findKeyExpiry(account, clock.now())?.isUrgent);
    }
    assert.deepEqual(urgencyFlags.slice(0, 13), [...Array<boolean>(11).fill(false), true, true]);
  });
});
