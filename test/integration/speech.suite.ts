import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createPrivacyPorts } from '../../src/privacy/vscode/contribute.ts';
import { dictateMessage } from '../../src/speech/vscode/dictate.ts';
import { stopReading } from '../../src/speech/vscode/read-aloud.ts';
import { saveSpeech } from '../../src/speech/vscode/save-speech.ts';
import { selectVoice } from '../../src/speech/vscode/select-voice.ts';
import { transcribeFile } from '../../src/speech/vscode/transcribe.ts';
import { readAloud, saveSpeechAs } from '../../src/speech/vscode/voice-commands.ts';
import { getSelectedVoice } from '../../src/speech/vscode/voice-settings.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import { decodeSpeech } from '../service/audio/tones.ts';
import { readWav } from '../service/audio/wav.ts';
import { Control } from '../service/control.ts';
import { Dialogs, withSettings } from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };

/** Resolves when the page has received the `state-set` message and the list of models. */
async function waitUntilReady(fixture: ChatFixture): Promise<void> {
  await fixture.host.models.refresh();
  const statePromise = fixture.page.waitForMessage('state-set');
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await statePromise;
}

/** Decodes the spoken text from all audio samples that the page received. */
function getSpokenText(fixture: ChatFixture): string {
  const samples = fixture.page.receivedMessages.flatMap((message) =>
    message.type === 'speech-samples' ? [Buffer.from(message.samples, 'base64')] : [],
  );
  const pcm = Buffer.concat(samples);
  const sampleValues = Float32Array.from(
    { length: pcm.length / 2 },
    (_, index) => pcm.readInt16LE(index * 2) / 32_768,
  );
  return decodeSpeech(sampleValues, 24_000);
}

const listSpeechMessageTypes = ({ page }: ChatFixture): Set<string> =>
  new Set(
    page.receivedMessages.map(({ type }) => type).filter((type) => type.startsWith('speech-')),
  );

/** Replaces a property of an object. Disposal restores it. */
function replaceProperty<T extends object>(owner: T, name: keyof T, value: unknown): Disposable {
  const originalValue = owner[name];
  Object.assign(owner, { [name]: value });
  return { [Symbol.dispose]: () => void Object.assign(owner, { [name]: originalValue }) };
}

interface StartedReading {
  readonly id: string;
  readonly answerId: string;
}

const isSpeechRequest = ({ path }: { readonly path: string }): boolean =>
  path.endsWith('/audio/speech');

/** Starts to read an answer aloud. Resolves when the first audio has been received. */
async function startReading(fixture: ChatFixture): Promise<StartedReading> {
  await waitUntilReady(fixture);
  await control.reset();
  const { session } = fixture.chat;
  await session.send('What is a queue?', []);
  const messageId = session.conversation.head?.id ?? '';
  await control.injectFault({
    match: { path: '/audio/speech' },
    fault: { kind: 'hold', name: 'rest of it', afterBytes: 100 },
  });
  const openMessagePromise = fixture.page.waitForMessage('speech-open');
  fixture.page.sendToHost({ type: 'speech-start', messageId });
  const openedMessage = (await openMessagePromise) as Extract<HostMessage, { type: 'speech-open' }>;
  assert.equal(openedMessage.messageId, messageId);
  await control.waitForRequest((request) => isSpeechRequest(request) && request.body !== undefined);
  return { id: openedMessage.id, answerId: messageId };
}

/** Resolves when the client has canceled the speech request. Checks that there was only one speech request. */
async function waitForAbort(): Promise<void> {
  const abortedRequest = await control.waitForRequest(
    (request) => isSpeechRequest(request) && request.closedAt !== undefined,
  );
  assert.equal(abortedRequest.abortedByClient, true);
  assert.equal((await control.getRequests()).filter(isSpeechRequest).length, 1);
}

suite('the speech features', () => {
  test('notify the chat page about the service’s support for speech and transcription', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    const state = fixture.page.receivedMessages.find((message) => message.type === 'state-set');
    assert.deepEqual(state?.state.voice, { reads: true, listens: true, persona: null });
  });

  test('read an answer as plain text, and synthesize each further part when the chat page requests it', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    const partPromise = fixture.page.waitForMessage('speech-part');
    const longText = `# Title\n\nSome **bold** words. ${'And one more sentence. '.repeat(20)}`;
    await fixture.chatWebview.readAloud({ markdown: longText });
    const firstPart = (await partPromise) as Extract<HostMessage, { type: 'speech-part' }>;
    assert.equal(firstPart.isLast, false);
    assert.match(getSpokenText(fixture), /^Title\.\s+Some bold words\. And one more/u);
    const nextPartPromise = fixture.page.waitForMessage('speech-part');
    fixture.page.sendToHost({ type: 'speech-next', id: firstPart.id });
    assert.equal(((await nextPartPromise) as typeof firstPart).isLast, true);
    assert.equal(getSpokenText(fixture).match(/one more sentence/gu)?.length, 20);
    fixture.page.sendToHost({ type: 'speech-end', id: firstPart.id });
    await fixture.page.waitForMessage('speech-close');
  });

  test('stop reading an answer when another reading starts', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    const openMessagePromise = fixture.page.waitForMessage('speech-open');
    await fixture.chatWebview.readAloud({ markdown: 'One.' });
    const { id } = (await openMessagePromise) as { readonly id: string };
    const closeMessagePromise = fixture.page.waitForMessage('speech-close');
    await fixture.chatWebview.readAloud({ markdown: 'Two.' });
    assert.equal(((await closeMessagePromise) as { readonly id: string }).id, id);
  });

  // Calls functions of the test's own instance, because the registered command belongs to the
  // installed extension.
  const stopActions: Record<string, (fixture: ChatFixture, reading: StartedReading) => unknown> = {
    'the command': () => stopReading(),
    'the playback bar': ({ page }, { id }) => page.sendToHost({ type: 'speech-end', id }),
    'the button of the answer': ({ page }, { answerId }) =>
      page.sendToHost({ type: 'speech-start', messageId: answerId }),
  };
  for (const [name, stop] of Object.entries(stopActions)) {
    test(`abort the speech request when the user stops the reading by ${name}`, async () => {
      using fixture = createChatFixture(signedInOptions);
      const startedReading = await startReading(fixture);
      const closeMessagePromise = fixture.page.waitForMessage('speech-close');
      await stop(fixture, startedReading);
      assert.deepEqual(await closeMessagePromise, { type: 'speech-close', id: startedReading.id });
      await waitForAbort();
      // The page receives no more audio.
      assert.equal(fixture.page.receivedMessages.at(-1)?.type, 'speech-close');
      await control.reset();
    });
  }

  test('abort the speech request when the chat page closes', async () => {
    using fixture = createChatFixture(signedInOptions);
    await startReading(fixture);
    fixture.chatWebview.onPageHidden();
    await waitForAbort();
    await control.reset();
  });

  test('notify the chat page about the wait before a retry, which the user can cancel', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    await control.reset();
    await control.injectFault({
      match: { path: '/audio/speech' },
      fault: { kind: 'status', status: 503, headers: { 'retry-after': '50' } },
    });
    const waitMessagePromise = fixture.page.waitForMessage('speech-wait');
    const startedAt = Date.now();
    await fixture.chatWebview.readAloud({ markdown: 'Hello.' });
    const waitMessage = (await waitMessagePromise) as Extract<HostMessage, { type: 'speech-wait' }>;
    assert.ok(waitMessage.retryAt >= startedAt + 50_000);
    assert.match(waitMessage.message, /busy|overloaded|capacity|moment/iu);
    const closeMessagePromise = fixture.page.waitForMessage('speech-close');
    fixture.page.sendToHost({ type: 'speech-end', id: waitMessage.id });
    await closeMessagePromise;
    assert.equal((await control.getRequests()).filter(isSpeechRequest).length, 1);
  });

  test('retry a failed reading when the user clicks the answer’s button', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    await control.reset();
    const { session } = fixture.chat;
    await session.send('What is a queue?', []);
    const messageId = session.conversation.head?.id ?? '';
    await control.injectFault({
      match: { path: '/audio/speech' },
      fault: { kind: 'status', status: 400, body: { error: 'Invalid voice' } },
    });
    const failMessagePromise = fixture.page.waitForMessage('speech-fail');
    fixture.page.sendToHost({ type: 'speech-start', messageId });
    await failMessagePromise;
    const partPromise = fixture.page.waitForMessage('speech-part');
    fixture.page.sendToHost({ type: 'speech-start', messageId });
    await partPromise;
    assert.ok(listSpeechMessageTypes(fixture).has('speech-samples'));
    fixture.chatWebview.onPageHidden();
  });

  test('report text that cannot be read aloud', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    const noticePromise = fixture.page.waitForMessage('notice-show');
    await fixture.chatWebview.readAloud({ markdown: '   ' });
    assert.match(((await noticePromise) as { readonly text: string }).text, /nothing to read/u);
    await control.injectFault({
      match: { path: '/audio/speech' },
      fault: { kind: 'status', status: 400, body: { error: 'Invalid voice' } },
    });
    const failMessagePromise = fixture.page.waitForMessage('speech-fail');
    await fixture.chatWebview.readAloud({ markdown: 'Hello.' });
    assert.match(
      ((await failMessagePromise) as { readonly message: string }).message,
      /did not accept the request/u,
    );
    assert.ok(!listSpeechMessageTypes(fixture).has('speech-samples'));
    await control.reset();
  });

  test('require confirmation of the price of a long text', async () => {
    using fixture = createChatFixture(signedInOptions);
    using dialogs = new Dialogs();
    await waitUntilReady(fixture);
    await fixture.chatWebview.readAloud({ markdown: 'A sentence. '.repeat(1_000) });
    assert.match(dialogs.shownMessages[0] ?? '', /Read 11,999 characters aloud\?/u);
    assert.ok(!listSpeechMessageTypes(fixture).has('speech-open'));
  });

  test('read or save an encrypted answer only after confirmation', async () => {
    using fixture = createChatFixture(signedInOptions);
    using dialogs = new Dialogs();
    await waitUntilReady(fixture);
    await control.reset();
    const { host, chatWebview } = fixture;
    Object.assign(host, { service: { ...host.service, ...createPrivacyPorts(host) } });
    await host.models.selectChatModel('sealed-letter-70b');
    const { session } = fixture.chat;
    await session.send('What is a queue?', []);
    const messageId = session.conversation.head?.id ?? '';
    const parts = { host, openChat: async () => chatWebview };
    const countSpeechRequests = async () =>
      (await control.getRequests()).filter(isSpeechRequest).length;
    for (const run of [readAloud, saveSpeechAs]) {
      await run(parts);
      assert.match(dialogs.shownMessages.splice(0).join(), /Read an encrypted answer aloud/u);
      assert.equal(await countSpeechRequests(), 0);
    }
    dialogs.buttonsToPress.push('Read Aloud');
    const partPromise = fixture.page.waitForMessage('speech-part');
    fixture.page.sendToHost({ type: 'speech-start', messageId });
    await partPromise;
    assert.equal(dialogs.shownMessages.length, 1);
    assert.ok((await countSpeechRequests()) > 0);
    fixture.chatWebview.onPageHidden();
    await control.reset();
  });

  test('read and save the editor selection instead of the last answer', async () => {
    using fixture = createChatFixture(signedInOptions);
    await waitUntilReady(fixture);
    await control.reset();
    const { host, chatWebview } = fixture;
    await fixture.chat.session.send('What is a queue?', []);
    const document = await vscode.workspace.openTextDocument({
      content: 'High water at noon, and low at six.',
    });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, 18);
    const parts = { host, openChat: async () => chatWebview };
    const file = join(mkdtempSync(join(tmpdir(), 'speech-')), 'tide.wav');
    using _saveDialog = replaceProperty(vscode.window, 'showSaveDialog', async () =>
      vscode.Uri.file(file),
    );
    using _dialogs = new Dialogs();
    const partPromise = fixture.page.waitForMessage('speech-part');
    await readAloud(parts);
    await partPromise;
    await saveSpeechAs(parts);
    const { samples, rate } = readWav(readFileSync(file));
    assert.equal(decodeSpeech(samples, rate), 'High water at noon');
    const inputs = (await control.getRequests()).filter(isSpeechRequest).map(({ body }) => body);
    assert.deepEqual(
      inputs.map((body) => (body as { readonly input: string }).input),
      ['High water at noon', 'High water at noon'],
    );
    fixture.chatWebview.onPageHidden();
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await control.reset();
  });

  test('save speech as a file, and transcribe a file', async () => {
    using fixture = createChatFixture(signedInOptions);
    using dialogs = new Dialogs();
    await waitUntilReady(fixture);
    const file = join(mkdtempSync(join(tmpdir(), 'speech-')), 'hello.wav');
    using _saveDialog = replaceProperty(vscode.window, 'showSaveDialog', async () =>
      vscode.Uri.file(file),
    );
    using _openDialog = replaceProperty(vscode.window, 'showOpenDialog', async () => [
      vscode.Uri.file(file),
    ]);
    await saveSpeech(fixture.host, { markdown: '`hello` **there**, reader' });
    const { samples, rate } = readWav(readFileSync(file));
    assert.equal(decodeSpeech(samples, rate), 'hello there, reader');
    assert.match(dialogs.shownMessages.at(-1) ?? '', /Saved as/u);
    const composerMessagePromise = fixture.page.waitForMessage('composer-type');
    const { host, chatWebview } = fixture;
    await transcribeFile({ host, openChat: async () => chatWebview });
    assert.equal(
      ((await composerMessagePromise) as { readonly text: string }).text,
      'hello there, reader',
    );
    const paths = (await control.getRequests()).map(({ path }) => path);
    assert.ok(!paths.some((path) => path.includes('/chat/completions')), 'nothing is sent');
  });

  test('transcribe a recording for an encrypted chat only after confirmation', async () => {
    await control.reset();
    using fixture = createChatFixture(signedInOptions);
    using dialogs = new Dialogs();
    await waitUntilReady(fixture);
    const { host, chatWebview } = fixture;
    await host.models.selectChatModel('sealed-letter-70b');
    let dialogCount = 0;
    using _openDialog = replaceProperty(vscode.window, 'showOpenDialog', async () => {
      dialogCount += 1;
      return undefined;
    });
    const parts = { host, openChat: async () => chatWebview };
    for (const run of [dictateMessage, transcribeFile]) {
      await run(parts);
      assert.match(
        dialogs.shownMessages.splice(0).join(),
        /Transcribe speech for an encrypted chat/u,
      );
    }
    assert.equal(dialogCount, 0);
    dialogs.buttonsToPress.push('Transcribe');
    await transcribeFile(parts);
    await transcribeFile(parts);
    assert.equal(dialogCount, 2);
    assert.equal(dialogs.shownMessages.length, 1);
  });

  test('transcribe no file in an untrusted workspace, and no link to a secret file', async () => {
    await control.reset();
    using fixture = createChatFixture(signedInOptions);
    using dialogs = new Dialogs();
    await waitUntilReady(fixture);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const key = join(mkdtempSync(join(tmpdir(), 'speech-')), 'id_rsa');
    writeFileSync(key, 'verysecret');
    const link = join(folder, 'talk.mp3');
    symlinkSync(key, link);
    const { host, chatWebview } = fixture;
    const write = async (): Promise<void> => {
      using _openDialog = replaceProperty(vscode.window, 'showOpenDialog', async () => [
        vscode.Uri.file(link),
      ]);
      await transcribeFile({ host, openChat: async () => chatWebview });
    };
    await write();
    {
      using _ = simulateUntrustedWorkspace();
      await write();
    }
    rmSync(link);
    assert.match(dialogs.shownMessages[0] ?? '', /talk\.mp3 may hold secrets/u);
    assert.match(dialogs.shownMessages[1] ?? '', /until you trust the workspace/u);
    const paths = (await control.getRequests()).map(({ path }) => path);
    assert.ok(!paths.some((path) => path.includes('/audio/')), paths.join());
  });

  test('list voices by name and language, and store the ID of the selected voice', async () => {
    using fixture = createChatFixture(signedInOptions);
    await withSettings(
      { 'inferenceService.speech.model': undefined, 'inferenceService.speech.voice': undefined },
      async () => {
        const offeredItems: vscode.QuickPickItem[] = [];
        // Selects "Emma" in the list of voices. Dismisses the list of speeds, which has no such
        // entry.
        const pick = async (items: readonly vscode.QuickPickItem[]): Promise<unknown> => {
          offeredItems.push(...items);
          return items.find(({ label }) => label === 'Emma');
        };
        using _quickPick = replaceProperty(vscode.window, 'showQuickPick', pick);
        await selectVoice(fixture.host);
        assert.deepEqual(
          offeredItems.slice(1, 3).map(({ label, description }) => [label, description]),
          [
            ['Sky', 'American English, female, current, Default'],
            ['Bella', 'American English, female'],
          ],
        );
        assert.equal(getSelectedVoice(fixture.host.models)?.voice, 'bf_emma');
      },
    );
  });
});
