import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import { togglePayPerRequest } from '../../src/wallet/x402/vscode/pay-per-request.ts';
import { savePayingAccount } from '../../src/account/vscode/payment-choice.ts';
import { showPayments } from '../../src/wallet/x402/vscode/payments-view.ts';
import { reportOpenTopUps } from '../../src/wallet/x402/vscode/top-up-store.ts';
import { offerOpenTopUps } from '../../src/wallet/vscode/unfinished-hints.ts';
import { runTopUpCommand, getTopUpFolder } from '../../src/wallet/x402/vscode/top-up-command.ts';
import { acquireWindowLock } from '../../src/platform/window-lock.ts';
import { createChatCompletion } from '../../src/service/chat/chat.ts';
import type { ServiceError } from '../../src/service/http/failure.ts';
import { getRateLimits } from '../../src/service/api-keys.ts';
import { listModels } from '../../src/service/models.ts';
import { setSetting } from '../../src/platform/settings.ts';
import { Control } from '../service/control.ts';
import type { RecordedRequest } from '../service/control/request-log.ts';
import { startHttpServer } from '../support/loopback.ts';
import { waitForEvent } from '../support/eventually.ts';
import { withSettings } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';
import { PayingScene } from './x402-fixture.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const { signal } = new AbortController();
const serviceHost = new URL(service.baseUrl).host;
const signAndPayLabel = 'Sign and pay 10 USDC';
const modelId = 'assistant-large-480b';

const listTopUpRequests = async (): Promise<readonly RecordedRequest[]> =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/x402/top-up'));
const readPaymentRequests = async (): Promise<readonly RecordedRequest[]> =>
  (await listTopUpRequests()).filter(({ headers }) => headers['payment-signature'] !== undefined);

/**
 * Sends a chat request. Returns the remaining balance in dollars that the reply contains.
 * @throws ServiceError if the request fails
 */
async function sendChat({ host }: PayingScene): Promise<number | undefined> {
  const request = { model: modelId, messages: [{ role: 'user' as const, content: 'Say hello.' }] };
  const { info } = await createChatCompletion(host.service, request, { signal });
  host.account.reportOutcome(info, host.account.profile);
  return info.balanceUsd;
}

/**
 * Checks that stored state, log lines, messages and settings contain neither the private key nor a signature that was
 * sent.
 */
async function assertNoSecrets(scene: PayingScene): Promise<void> {
  const { collectedOutput, privateKey } = scene;
  assert.ok(!collectedOutput.includes(privateKey.slice(2)), 'the private key');
  for (const { headers } of await control.getRequests()) {
    for (const name of ['payment-signature', 'sign-in-with-x']) {
      const value = headers[name];
      if (typeof value !== 'string') continue;
      assert.ok(!collectedOutput.includes(value.slice(0, 40)), name);
      const [signature = ''] = /0x[0-9a-f]{130}/.exec(atob(value)) ?? [];
      assert.ok(
        signature !== '' && !collectedOutput.includes(signature.slice(2, 40)),
        'a signature',
      );
    }
  }
}

suite('the x402 client', () => {
  setup(async () => {
    await control.reset();
    await control.setResponsePace('instant');
  });
  teardown(() => setSetting('inferenceService.wallet.payPerRequest', undefined));

  test('shows a top-up for confirmation, signs one payment, pays on the chain and reports the credit', async () => {
    using scene = await new PayingScene(1, '10').connectAccount();
    const balanceBefore = await scene.readUsdcBalance(scene.address);
    await scene.topUp('Details', signAndPayLabel);
    await scene.waitForMessage(
      /^10 USDC was paid, and .* has credited it\. Your balance there is \$10 now\. Transaction: 0x/u,
    );
    assert.equal(balanceBefore - (await scene.readUsdcBalance(scene.address)), 10_000_000n);
    assert.equal((await readPaymentRequests()).length, 1);
    const reviewText = scene.dialogDetails.join('\n');
    for (const part of [
      'Amount: 10 USDC',
      `To: ${scene.chainFacts.payTo}`,
      `From: ${scene.address}`,
      `Token: USD Coin (USDC), ${scene.chainFacts.usdc}`,
      'Network: Local Chain (31337)',
      'At the service: $0 → $10',
      `Service: ${service.baseUrl}`,
      'This is the first payment to this payee.',
    ]) {
      assert.ok(reviewText.includes(part), `${part} is not in\n${reviewText}`);
    }
    await assertNoSecrets(scene);
  });

  test('switches from the API key to pay-per-request with a top-up, because the key cannot spend the top-up', async () => {
    using scene = await new PayingScene(2, '10', '10').connectAccount();
    const { account } = scene.fixture;
    await account.storeKey(account.profile, 'a-key-without-credit');
    await runTopUpCommand(scene.host);
    assert.equal(account.key.kind, 'usable', 'nothing changes if the user declines');
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/has credited it/u);
    await scene.waitForMessage(new RegExp(`^Requests are paid by ${scene.address} now`, 'u'));
    assert.match(
      scene.dialogDetails.join('\n'),
      /in place of an API key\. The extension signs each request/u,
    );
    assert.equal(account.key.kind, 'wallet');
    const balance = await sendChat(scene);
    assert.ok(balance !== undefined && balance > 9, 'the next request is paid by the top-up');
  });

  test('pays nothing if the user cancels or enters no amount', async () => {
    using scene = await new PayingScene(1, undefined, '4.99', '20.01', '10').connectAccount();
    for (let turn = 0; turn < 4; turn++) await runTopUpCommand(scene.host);
    assert.equal(scene.dialogDetails.length, 1, 'only the last amount leads to a review');
    const [box] = scene.dialogs.shownInputs;
    assert.ok(box?.title?.includes(scene.address), `${box?.title} does not say who pays`);
    assert.match(box?.prompt ?? '', /^5 USDC or more, 20 USDC at most\. The wallet has /u);
    assert.deepEqual(await readPaymentRequests(), []);
    assert.deepEqual(scene.messages, []);
  });

  test('warns about a changed payee, and pays only after another confirmation', async () => {
    using scene = await new PayingScene(1, '10', '10', '10').connectAccount();
    await scene.topUp(signAndPayLabel);
    const otherAddress = scene.chainFacts.accounts[3]!.address;
    await control.setTopUpMisbehavior({ offer: { payTo: otherAddress } });
    scene.dialogs.buttonsToPress.push(signAndPayLabel);
    await runTopUpCommand(scene.host);
    assert.match(scene.dialogDetails.join('\n'), /The payee has changed/u);
    assert.match(
      scene.dialogDetails.at(-1) ?? '',
      new RegExp(`Before: ${scene.chainFacts.payTo}\nNow: ${otherAddress}`, 'u'),
    );
    assert.equal((await readPaymentRequests()).length, 1, 'the second was not signed');
  });

  const forgedPaymentTerms: readonly [string, Parameters<Control['setTopUpMisbehavior']>[0]][] = [
    ['another chain', { offer: { network: 'eip155:1' } }],
    ['another token', { offer: { asset: '0x1111111111111111111111111111111111111111' } }],
    ['another scheme', { offer: { scheme: 'upto' } }],
    ['another name for the token', { offer: { extra: { name: 'Other', version: '2' } } }],
    ['another version of the token', { offer: { extra: { name: 'USD Coin', version: '1' } } }],
    ['a validity of one day', { offer: { maxTimeoutSeconds: 86_400 } }],
    ['another service', { resource: 'https://evil.test/api/v1/x402/top-up' }],
  ];
  for (const [name, misbehavior] of forgedPaymentTerms) {
    test(`signs nothing for a service that requests ${name}`, async () => {
      await control.setTopUpMisbehavior(misbehavior);
      using scene = await new PayingScene(1, '10').connectAccount();
      await scene.topUp(signAndPayLabel);
      await scene.waitForMessage(/unsafe signature or payment, so nothing was signed/u);
      assert.deepEqual(await readPaymentRequests(), []);
      assert.deepEqual(scene.dialogs.shownInputs, []);
    });
  }

  test('finds a settled payment on the chain when the service did not report it', async () => {
    await control.setTopUpMisbehavior({ settlement: 'settled-timeout' });
    using scene = await new PayingScene(2, '10').connectAccount();
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/^10 USDC was paid, but .* did not confirm/u);
    await assertNoSecrets(scene);
  });

  test('signs no second payment while the result of the first is unknown', async () => {
    await control.setTopUpMisbehavior({ settlement: 'unsettled-timeout' });
    using scene = await new PayingScene(2, '10', '10').connectAccount();
    const balanceBefore = await scene.readUsdcBalance(scene.address);
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/^It is not known whether 10 USDC was paid/u);
    await runTopUpCommand(scene.host);
    await scene.waitForMessage(/No other payment is signed before then/u);
    // Simulates a reload.
    scene.dialogs.shownMessages.length = 0;
    scene.dialogs.buttonsToPress.push('Look it up');
    await offerOpenTopUps(scene.host, () => reportOpenTopUps(scene.host));
    await scene.waitForMessage(/^The result of a top-up of your balance is not known yet/u);
    await scene.waitForMessage(/No other payment is signed before then/u);
    assert.equal((await readPaymentRequests()).length, 1);
    assert.equal(await scene.readUsdcBalance(scene.address), balanceBefore);
    await assertNoSecrets(scene);
  });

  test('starts no top-up if another window has started a top-up before or during the confirmation', async () => {
    await control.setTopUpMisbehavior({ settlement: 'unsettled-timeout' });
    using scene = await new PayingScene(2, '10', '10').connectAccount();
    {
      using _lock = await acquireWindowLock(getTopUpFolder(scene.host));
      await runTopUpCommand(scene.host);
      await scene.waitForMessage(/already under way, here or in another window/u);
      assert.deepEqual(scene.dialogDetails, []);
    }
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/^It is not known whether 10 USDC was paid/u);
    const { values } = scene.fixture.context.globalState;
    const openTopUps = [...values].filter(([name]) => name.startsWith('wallet.topUp.'));
    assert.equal(openTopUps.length, 1);
    for (const [name] of openTopUps) values.delete(name);
    scene.whileDialogIsOpen = () => {
      for (const [name, record] of openTopUps) values.set(name, record);
    };
    scene.dialogs.buttonsToPress.push(signAndPayLabel);
    await runTopUpCommand(scene.host);
    await scene.waitForMessage(/No other payment is signed before then/u);
    assert.equal((await readPaymentRequests()).length, 1);
  });

  test('resends the same payment on request, and pays only once', async () => {
    await control.setTopUpMisbehavior({ settlement: 'unsettled-timeout' });
    using scene = await new PayingScene(2, '10').connectAccount();
    const usdcBefore = await scene.readUsdcBalance(scene.address);
    scene.dialogs.buttonsToPress.push(signAndPayLabel, 'Send it again');
    const topUpPromise = runTopUpCommand(scene.host);
    await control.waitForRequest(
      ({ headers, closedAt }) =>
        headers['payment-signature'] !== undefined && closedAt !== undefined,
    );
    await control.setTopUpMisbehavior({});
    await topUpPromise;
    await scene.waitForMessage(/has credited it/u);
    const signatures = (await readPaymentRequests()).map(
      ({ headers }) => headers['payment-signature'],
    );
    assert.equal(signatures.length, 2);
    assert.equal(signatures[0], signatures[1]);
    assert.equal(usdcBefore - (await scene.readUsdcBalance(scene.address)), 10_000_000n);
  });

  test('reports a credit for which the chain contains no payment', async () => {
    await control.setTopUpMisbehavior({ settlement: 'unsettled-success' });
    using scene = await new PayingScene(3, '10').connectAccount();
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/but the chain does not show the payment yet/u);
  });

  test('sends no payment and no sign-in to a redirect', async () => {
    let visitCount = 0;
    await using sinkServer = await startHttpServer((_request, response) => {
      visitCount++;
      response.end('{}');
    });
    await control.setTopUpMisbehavior({
      redirect: `http://127.0.0.1:${sinkServer.port}/api/v1/x402/top-up`,
    });
    using scene = await new PayingScene(1, '10').connectAccount();
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/redirect/u);
    assert.equal(visitCount, 0);
  });

  test('signs each request instead of sending an API key, and pays from the balance', async () => {
    using scene = await new PayingScene(1, '10').enablePayPerRequest();
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/has credited it/u);
    const { account } = scene.fixture;
    await Promise.all([sendChat(scene), sendChat(scene), listModels(account.service, { signal })]);
    const signedRequests = (await control.getRequests()).filter(({ path }) =>
      /chat|models/u.test(path),
    );
    const headers = signedRequests.map((item) => String(item.headers['sign-in-with-x']));
    assert.equal(new Set(headers).size, signedRequests.length);
    assert.ok(signedRequests.every((item) => item.headers['authorization'] === undefined));
    const messages = headers.map(
      (header) => (JSON.parse(atob(header)) as { message: string }).message,
    );
    assert.ok(messages.every((text) => text.startsWith(`${serviceHost} wants you to sign in`)));
    assert.equal(
      new Set(messages.map((text) => /^Nonce: (.*)$/mu.exec(text)?.[1])).size,
      signedRequests.length,
    );
    assert.equal(account.view.status, 'signed-in');
    const balance = await sendChat(scene);
    assert.ok(balance !== undefined && balance > 9 && balance < 10, `${balance} dollars are left`);
    assert.equal(account.balance.usd, balance);
    await assertNoSecrets(scene);
  });

  test('reads the balance and shows that the wallet pays, with a top-up action', async () => {
    using scene = await new PayingScene(5).enablePayPerRequest('Top up…');
    const announcement = `Requests are paid by ${scene.address} now.`;
    assert.deepEqual(scene.messages, [announcement]);
    assert.equal(scene.fixture.account.balance.usd, 0);
    assert.deepEqual(scene.dialogs.executedCommands, ['inferenceService.wallet.topUp']);
  });

  test('shows that the wallet pays even if the service reports no balance', async () => {
    using scene = new PayingScene(5);
    const fault = { kind: 'status', status: 403 } as const;
    await control.injectFault({ match: { path: scene.address }, times: 5, fault });
    await scene.enablePayPerRequest();
    assert.deepEqual(scene.messages, [`Requests are paid by ${scene.address} now.`]);
  });

  test('requires an account that can sign without user interaction', async () => {
    using scene = new PayingScene(5);
    await togglePayPerRequest(scene.host);
    assert.deepEqual(scene.shownChoices, ['$(add) Private key or recovery phrase']);
    await scene.connectAccount();
    await togglePayPerRequest(scene.host);
    assert.deepEqual(scene.shownChoices.slice(1), [
      scene.address,
      '$(add) Private key or recovery phrase',
    ]);
    assert.equal(scene.fixture.account.key.kind, 'none', 'nothing was agreed to');
  });

  test('signs in without a chain setting after the user confirms the chain ID that the service claims', async () => {
    await withSettings({ 'inferenceService.wallet.chain': {} }, async () => {
      using scene = await new PayingScene(5, '31337').enablePayPerRequest();
      assert.match(
        scene.dialogs.shownInputs[0]?.prompt ?? '',
        /service claims to use chain 31337/u,
      );
      assert.equal(scene.dialogs.shownInputs[0]?.value, '31337');
      const failure = await sendChat(scene).then(
        () => undefined,
        (error: unknown) => (error as ServiceError).failure,
      );
      assert.equal(failure?.code, 'wallet-out-of-funds', 'the service accepts the sign-in');
    });
  });

  test('signs each request with a message that the service accepts only once', async () => {
    using scene = await new PayingScene(1, '10').enablePayPerRequest();
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/has credited it/u);
    await sendChat(scene);
    const usedRequest = (await control.getRequests()).find(({ path }) =>
      path.endsWith('/chat/completions'),
    );
    const reply = await fetch(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sign-in-with-x': String(usedRequest?.headers['sign-in-with-x']),
      },
      body: JSON.stringify({ model: modelId, messages: [{ role: 'user', content: 'Again.' }] }),
    });
    assert.equal(reply.status, 401);
    assert.match(await reply.text(), /X402_SIGN_IN_NONCE_REUSED/u);
  });

  test('reports an empty balance with a top-up action, and pays nothing automatically', async () => {
    using scene = await new PayingScene(5).enablePayPerRequest();
    const failure = await sendChat(scene).then(
      () => undefined,
      (error: unknown) => (error as ServiceError).failure,
    );
    assert.equal(failure?.code, 'wallet-out-of-funds');
    const { account } = scene.fixture;
    account.reportOutcome(failure, account.profile);
    assert.deepEqual(account.view.actions[0], { action: 'add-credits', label: 'Show Funding' });
    assert.deepEqual(await listTopUpRequests(), []);
  });

  for (const minutes of [10, -10]) {
    test(`retries once if the service’s clock is off by ${minutes} minutes`, async () => {
      using scene = await new PayingScene(5).enablePayPerRequest();
      await control.changeClock({ advance: minutes * 60_000 });
      const emptyBalanceError = { name: 'ServiceError', message: /not enough/u };
      await assert.rejects(sendChat(scene), emptyBalanceError);
      await assert.rejects(sendChat(scene), emptyBalanceError);
      const chatRequests = (await control.getRequests()).filter(({ path }) =>
        path.includes('/chat'),
      );
      assert.deepEqual(
        chatRequests.map(({ status }) => status),
        [401, 402, 402],
      );
    });
  }

  test('sends the API key to endpoints without wallet support, and reports a missing key', async () => {
    using scene = await new PayingScene(1).enablePayPerRequest();
    const { account } = scene.fixture;
    await assert.rejects(getRateLimits(account.service, { signal }), (error: ServiceError) => {
      assert.equal(error.failure.code, 'no-key');
      return true;
    });
    assert.deepEqual(
      (await control.getRequests()).filter(({ path }) => path.includes('/api_keys')),
      [],
    );
    await account.storeKey(account.profile, service.apiKey);
    assert.equal((await account.readKey()).kind, 'usable', 'what was entered last counts');
    await setSetting('inferenceService.wallet.payPerRequest', true);
    assert.ok((await getRateLimits(account.service, { signal })).isAccessPermitted);
  });

  test('signs nothing for a removed wallet, and marks the account as needing attention', async () => {
    using scene = await new PayingScene(1).enablePayPerRequest();
    const { account, context } = scene.fixture;
    context.secrets.values.clear();
    await assert.rejects(listModels(account.service, { signal }), { name: 'ServiceError' });
    await savePayingAccount(context.globalState, undefined);
    await account.reloadKey();
    assert.equal(account.view.status, 'needs-attention');
    assert.deepEqual(
      account.view.actions.map(({ action }) => action),
      ['connect-wallet', 'set-key'],
    );
  });

  test('signs only for the service for which the user consented, and sends another service at most an API key', async () => {
    const receivedHeaders: unknown[] = [];
    await using otherService = await startHttpServer(({ headers }, response) => {
      receivedHeaders.push([headers['sign-in-with-x'], headers['authorization']]);
      response.end('{"data":[]}');
    });
    using scene = await new PayingScene(1).enablePayPerRequest();
    const { account } = scene.fixture;
    const baseUrl = `http://127.0.0.1:${otherService.port}/api/v1`;
    await withSettings({ 'inferenceService.baseUrl': baseUrl }, async () => {
      await waitForEvent(() => account.key.kind === 'none', account.onDidChange);
      await listModels(account.service, { signal });
      await account.storeKey(account.profile, service.apiKey);
      await setSetting('inferenceService.wallet.payPerRequest', true);
      await listModels(account.service, { signal });
    });
    const missingHeader = undefined;
    assert.deepEqual(receivedHeaders, [
      [missingHeader, missingHeader],
      [missingHeader, `Bearer ${service.apiKey}`],
    ]);
    await waitForEvent(() => account.key.kind === 'wallet', account.onDidChange);
  });

  test('sends the header names of x402 version 1 with the setting “compatible”', async () => {
    await withSettings({ 'inferenceService.wallet.x402Headers': 'compatible' }, async () => {
      using scene = await new PayingScene(1, '10').enablePayPerRequest();
      await scene.topUp(signAndPayLabel);
      await scene.waitForMessage(/has credited it/u);
      const requests = await control.getRequests();
      assert.ok(requests.some(({ headers }) => headers['x-402-payment'] !== undefined));
      assert.ok(requests.every(({ headers }) => headers['payment-signature'] === undefined));
      assert.ok(requests.every(({ headers }) => headers['sign-in-with-x'] === undefined));
    });
  });

  test('lists balance and payments, or shows an empty list or a failure', async () => {
    using scene = await new PayingScene(1, '10').connectAccount();
    using probe = new PickerProbe();
    const firstListPromise = showPayments(scene.host);
    await probe.waitForLabel(/^None$/u);
    assert.ok(probe.listLabels().some((label) => label.includes('At the service: $0')));
    probe.quickPick.hide();
    await firstListPromise;
    await scene.topUp(signAndPayLabel);
    await scene.waitForMessage(/has credited it/u);
    const secondListPromise = showPayments(scene.host);
    await probe.waitForLabel(/^\+\$10$/u);
    probe.quickPick.hide();
    await secondListPromise;
    const fault = { kind: 'status', status: 403 } as const;
    await control.injectFault({ match: { path: scene.address }, times: 5, fault });
    const failingListPromise = showPayments(scene.host);
    await probe.waitForLabel(/cannot be read/u);
    probe.quickPick.hide();
    await failingListPromise;
  });
});
