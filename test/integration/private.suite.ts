import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createModelCatalogue } from '../../src/host/models/create-model-catalogue.ts';
import { privateService } from '../../src/host/private/private-service.ts';
import { streamChat } from '../../src/service/chat.ts';
import type { ChatEvent } from '../../src/service/chat-types.ts';
import type { ServiceContext } from '../../src/service/client.ts';
import { Control } from '../service/control.ts';
import { type AccountFixture, accountFixture, Dialogs, withSettings } from './account-fixture.ts';
import { suiteEnvironment } from './environment.ts';

const { service } = suiteEnvironment();
const control = new Control(service.controlUrl);
const signal = new AbortController().signal;
const environment = { INFERENCE_SERVICE_API_KEY: service.apiKey };
const secret = 'Lanternfish';
const sealed = 'sealed-letter-70b';
const attested = 'enclave-quiet-32b';

/** A client of the service as the extension has one, with the lock and the protection. */
function guarded(fixture: AccountFixture): ServiceContext {
  const { context, account, log } = fixture;
  const models = createModelCatalogue({ context, account, log });
  return { ...account.service, ...privateService({ account, models }) };
}

const chat = (context: ServiceContext, model: string, isBackground = false): Promise<ChatEvent[]> =>
  Array.fromAsync(
    streamChat(
      context,
      { model, messages: [{ role: 'user', content: `Say ${secret}` }] },
      { signal, isBackground },
    ),
  );

const chatsSent = async (): Promise<string> =>
  JSON.stringify((await control.requests()).filter(({ path }) => path.includes('/chat/')));

suite('private', () => {
  test('a model that offers it is talked to encrypted', async () => {
    await control.reset();
    using fixture = accountFixture({ environment });
    await control.script({ steps: [{ content: secret }] });
    const events = await chat(guarded(fixture), sealed);
    assert.deepEqual(
      events.slice(-2).map((event) => ('protection' in event ? event.protection.kind : event)),
      ['encrypted', { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } }],
    );
    assert.ok(!(await chatsSent()).includes(secret));
  });

  test('one that only attests says so, and an enclave is asked once', async () => {
    await control.reset();
    using fixture = accountFixture({ environment });
    const context = guarded(fixture);
    for (let count = 0; count < 2; count++) {
      const events = await chat(context, attested);
      assert.equal(
        events.find((event) => event.type === 'protection')?.protection.kind,
        'attested',
      );
    }
    const asked = (await control.requests()).filter(({ path }) => path.includes('/tee/'));
    assert.equal(asked.length, 1);
  });

  for (const attestation of ['nonce', 'key', 'debug', 'expired', 'root', 'refuses'] as const) {
    test(`to an enclave that lies about its ${attestation}, nothing is sent`, async () => {
      await control.reset();
      await control.tee({ attestation });
      using fixture = accountFixture({ environment });
      using dialogs = new Dialogs();
      const events = await chat(guarded(fixture), sealed);
      const end = events.at(-1);
      assert.ok(end?.type === 'stream-end' && end.outcome.kind === 'failed');
      assert.equal(end.outcome.failure.code, 'protection-failed');
      assert.match(dialogs.messages.join(), /could not be verified/u);
      assert.equal(await chatsSent(), '[]');
    });
  }

  test('the person can send it unprotected once, and the answer says so', async () => {
    await control.reset();
    await control.tee({ attestation: 'debug' });
    using fixture = accountFixture({ environment });
    using dialogs = new Dialogs();
    dialogs.presses.push('Send unprotected once');
    const events = await chat(guarded(fixture), sealed);
    assert.deepEqual(events.at(-2), { type: 'protection', protection: { kind: 'none' } });
    assert.match(await chatsSent(), /Lanternfish/u);
  });

  test('nobody is asked about what they did not begin', async () => {
    await control.reset();
    await control.tee({ attestation: 'debug' });
    using fixture = accountFixture({ environment });
    using dialogs = new Dialogs();
    const events = await chat(guarded(fixture), sealed, true);
    assert.equal(events.length, 1);
    assert.deepEqual(dialogs.messages, []);
  });

  test('the lock hides models that are not private, and refuses them before anything is sent', async () => {
    await control.reset();
    using fixture = accountFixture({ environment });
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      const { context, account, log } = fixture;
      const models = createModelCatalogue({ context, account, log });
      await models.refresh();
      assert.ok(models.models.length > 3 && models.models.length < models.all.length);
      assert.ok(!models.models.some(({ id }) => id === 'search-scout-24b'));
      const events = await chat(guarded(fixture), 'search-scout-24b');
      const end = events.at(-1);
      assert.ok(end?.type === 'stream-end' && end.outcome.kind === 'failed');
      assert.equal(end.outcome.failure.code, 'private-only');
      assert.equal(await chatsSent(), '[]');
    });
  });

  test('an attestation is shown as a document', async () => {
    await control.reset();
    await vscode.commands.executeCommand('inferenceService.showAttestation', sealed);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /Verified: every check passed/u);
    assert.match(text, /Not checked/u);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
