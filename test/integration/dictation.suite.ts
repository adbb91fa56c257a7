import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { dictateMessage } from '../../src/speech/vscode/dictate.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import {
  type DictationEvent,
  dictationPageVersion,
  dictationSampleRate,
} from '../../src/speech/dictation-protocol.ts';
import { secretHeader } from '../../src/platform/pages/protocol.ts';
import { Downsampler, toBase64 } from '../../webview/dictation/downsampler.ts';
import { decodePcm } from '../service/audio/samples.ts';
import { synthesizeSpeech } from '../service/audio/speech.ts';
import { sampleRate } from '../service/audio/tones.ts';
import { Control } from '../service/control.ts';
import { Dialogs } from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };
const spokenText = 'Rename it, then test.';

suite('dictation', () => {
  test('inserts the transcription into the composer, and shows progress in a notification', async () => {
    using scene = await openScene();
    const { tab, dictationEndPromise, progress, page } = await scene.startDictation();
    assert.deepEqual(progress.progressMessages, ['Continue in your browser.']);
    const composerMessagePromise = page.waitForMessage('composer-type');
    await tab.speakText(spokenText);
    await tab.sendEvent('finished');
    assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
    await dictationEndPromise;
    assert.equal(progress.title, 'Dictate into Chat');
    assert.equal(progress.progressMessages.at(-1), 'Transcribing…');
    assert.equal((await tab.pollState('working')).state, 'done');
    assert.deepEqual(await readChatRequests(), [], 'nothing is sent to a model that answers');
    assert.deepEqual(scene.dialogs.shownMessages, []);
  });

  test('reports a recording without speech, and inserts nothing', async () => {
    using scene = await openScene();
    const { tab, dictationEndPromise, page } = await scene.startDictation();
    const noticePromise = page.waitForMessage('notice-show');
    await tab.sendSamples(new Float32Array(dictationSampleRate / 4));
    await tab.sendEvent('finished');
    assert.equal(
      ((await noticePromise) as { readonly text: string }).text,
      'No speech was found in the recording.',
    );
    await dictationEndPromise;
    assert.ok(!page.receivedMessages.some(({ type }) => type === 'composer-type'));
  });

  test('ends the recording on Cancel, notifies the dictation page, and closes the local server of this page', async () => {
    using scene = await openScene();
    const { tab, dictationEndPromise, progress } = await scene.startDictation();
    await tab.speakText(spokenText);
    progress.cancelProgress();
    await dictationEndPromise;
    assert.equal((await tab.pollState('ready')).state, 'failed');
    assert.deepEqual(await readTranscriptionRequests(), []);
    await tab.waitUntilClosed();
  });

  test('aborts the transcription request on Cancel', async () => {
    using scene = await openScene();
    await control.injectFault({
      match: { path: '/audio/transcriptions' },
      fault: { kind: 'hold', name: 'the words' },
    });
    const { tab, dictationEndPromise, progress, page } = await scene.startDictation();
    await tab.speakText(spokenText);
    await tab.sendEvent('finished');
    await control.waitForRequest(isTranscriptionRequest);
    progress.cancelProgress();
    await dictationEndPromise;
    const abortedRequest = await control.waitForRequest(
      (item) => isTranscriptionRequest(item) && item.closedAt !== undefined,
    );
    assert.equal(abortedRequest.abortedByClient, true);
    assert.deepEqual(scene.dialogs.shownMessages, [], 'who cancels knows that');
    assert.ok(!page.receivedMessages.some(({ type }) => type === 'composer-type'));
  });

  test('shows a transcription failure in VS Code and on the dictation page', async () => {
    using scene = await openScene();
    await control.injectFault({
      match: { path: '/audio/transcriptions' },
      fault: { kind: 'status', status: 400, body: { error: 'No speech model here' } },
    });
    const { tab, dictationEndPromise } = await scene.startDictation();
    await tab.speakText(spokenText);
    await tab.sendEvent('finished');
    await dictationEndPromise;
    const { state, message } = await tab.pollState('working');
    assert.equal(state, 'failed');
    assert.notEqual(message, '');
    assert.deepEqual(scene.dialogs.shownMessages, [`${message} No speech model here`]);
  });

  test('keeps a recording whose transcription was rejected, and transcribes it when the user selects Retry', async () => {
    using scene = await openScene();
    await control.injectFault({
      match: { path: '/audio/transcriptions' },
      fault: { kind: 'status', status: 400, body: { error: 'No speech model here' } },
      times: 1,
    });
    const { tab, page } = await scene.startDictation();
    const composerMessagePromise = page.waitForMessage('composer-type');
    scene.dialogs.buttonsToPress.push('Retry');
    await tab.speakText(spokenText);
    await tab.sendEvent('finished');
    assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
  });

  test('offers to transcribe the recording of a failed dictation before the next dictation starts', async () => {
    using scene = await openScene();
    await control.injectFault({
      match: { path: '/audio/transcriptions' },
      fault: { kind: 'status', status: 400, body: { error: 'No speech model here' } },
      times: 1,
    });
    const { tab, dictationEndPromise, page } = await scene.startDictation();
    await tab.speakText(spokenText);
    await tab.sendEvent('finished');
    await dictationEndPromise;
    const composerMessagePromise = page.waitForMessage('composer-type');
    scene.dialogs.buttonsToPress.push('Transcribe');
    await dictateMessage(scene.parts);
    assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
    assert.equal(scene.dialogs.shownMessages.at(-1), 'The last recording was not transcribed.');
  });

  const refusals: Partial<Record<DictationEvent, RegExp>> = {
    denied: /does not let this page use the microphone/u,
    'no-microphone': /No microphone was found/u,
  };
  for (const [event, pattern] of Object.entries(refusals)) {
    test(`lets the user choose an audio file after the dictation page sends the event “${event}”`, async () => {
      using scene = await openScene();
      using _file = scene.offerFile();
      const { tab, dictationEndPromise, page } = await scene.startDictation();
      const composerMessagePromise = page.waitForMessage('composer-type');
      await tab.sendEvent(event as DictationEvent);
      await dictationEndPromise;
      assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
      assert.match(scene.dialogs.shownMessages[0] ?? '', pattern);
      assert.deepEqual(scene.dialogs.buttonsToPress, []);
    });
  }

  test('opens no dictation page at an unencrypted address, but lets the user choose an audio file', async () => {
    using scene = await openScene({ externalUrl: 'http://pages.test/' });
    using _file = scene.offerFile();
    const composerMessagePromise = scene.fixture.page.waitForMessage('composer-type');
    await dictateMessage(scene.parts);
    assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
    assert.match(scene.dialogs.shownMessages[0] ?? '', /not encrypted/u);
    assert.deepEqual(scene.opened, []);
  });

  test('shows no dialog when the user closes the dictation page', async () => {
    using scene = await openScene();
    const { tab, dictationEndPromise } = await scene.startDictation();
    await tab.sendEvent('canceled');
    await dictationEndPromise;
    assert.deepEqual(scene.dialogs.shownMessages, []);
    assert.deepEqual(await readTranscriptionRequests(), []);
  });

  test('ends when another dictation starts', async () => {
    using scene = await openScene();
    const firstDictation = await scene.startDictation();
    const secondDictation = await scene.startDictation();
    await firstDictation.dictationEndPromise;
    assert.equal((await firstDictation.tab.pollState('ready')).state, 'failed');
    await secondDictation.tab.sendEvent('canceled');
    await secondDictation.dictationEndPromise;
  });

  test('offers the recorded part to the user when another dictation starts', async () => {
    using scene = await openScene();
    const firstDictation = await scene.startDictation();
    await firstDictation.tab.speakText(spokenText);
    const composerMessagePromise = firstDictation.page.waitForMessage('composer-type');
    scene.dialogs.buttonsToPress.push('Transcribe');
    const secondDictation = await scene.startDictation();
    assert.equal(((await composerMessagePromise) as { readonly text: string }).text, spokenText);
    assert.deepEqual(scene.dialogs.shownMessages, [
      'The recording ended early. The part until then is available.',
    ]);
    await firstDictation.dictationEndPromise;
    await secondDictation.tab.sendEvent('canceled');
    await secondDictation.dictationEndPromise;
  });
});

type LoggedRequest = Awaited<ReturnType<Control['getRequests']>>[number];

const isTranscriptionRequest = ({ path }: LoggedRequest): boolean =>
  path.endsWith('/audio/transcriptions');
const readTranscriptionRequests = async (): Promise<readonly LoggedRequest[]> =>
  (await control.getRequests()).filter(isTranscriptionRequest);
const readChatRequests = async (): Promise<readonly LoggedRequest[]> =>
  (await control.getRequests()).filter(({ path }) => path.endsWith('/chat/completions'));

/** Simulates the progress notification and its Cancel button. */
class FakeProgress {
  title = '';
  readonly progressMessages: string[] = [];
  readonly #onCancellationEmitter = new vscode.EventEmitter<unknown>();

  run<T>(
    { title = '' }: vscode.ProgressOptions,
    task: (
      progress: { report(value: { message?: string }): void },
      token: vscode.CancellationToken,
    ) => T,
  ): T {
    this.title = title;
    const report = ({ message = '' }: { message?: string }): void =>
      void this.progressMessages.push(message);
    const token = {
      isCancellationRequested: false,
      onCancellationRequested: this.#onCancellationEmitter.event,
    };
    return task({ report }, token);
  }

  cancelProgress(): void {
    this.#onCancellationEmitter.fire(undefined);
  }
}

/** Simulates the dictation page in a browser tab. */
class DictationTab {
  readonly #baseUrl: URL;
  #secret: string;
  #chunkCount = 0;

  private constructor(link: string) {
    const { origin, hash } = new URL(link);
    this.#baseUrl = new URL(origin);
    this.#secret = hash.slice(1);
  }

  static async open(link: string): Promise<DictationTab> {
    const tab = new DictationTab(link);
    const reply = await tab.#post('claim', { version: dictationPageVersion });
    tab.#secret = (reply as { readonly secret: string }).secret;
    return tab;
  }

  /**
   * Converts the text to speech, and sends the samples to the extension as the page does with those of the microphone.
   */
  async speakText(text: string): Promise<void> {
    const speechBytes = Buffer.concat([
      ...synthesizeSpeech({ text, voice: 'af_sky', speed: 1 }, 'pcm'),
    ]);
    await this.sendSamples(
      new Downsampler(sampleRate, dictationSampleRate).downsample(decodePcm(speechBytes)),
    );
  }

  async sendSamples(samples: Float32Array): Promise<void> {
    for (let offset = 0; offset < samples.length; offset += dictationSampleRate / 2) {
      const encodedChunk = toBase64(samples.subarray(offset, offset + dictationSampleRate / 2));
      await this.#post('audio', { number: this.#chunkCount++, samples: encodedChunk });
    }
  }

  async sendEvent(event: DictationEvent): Promise<void> {
    await this.#post('event', { event });
  }

  /** Resolves with the page's state as soon as it differs from `state`. */
  async pollState(state: string): Promise<{ readonly state: string; readonly message: string }> {
    return (await this.#post('poll', { state })) as { state: string; message: string };
  }

  /** Resolves when the server of the page is closed. */
  async waitUntilClosed(): Promise<void> {
    for (;;) {
      try {
        await this.#post('poll', { state: null });
      } catch (error) {
        assert.match(String((error as { code?: string }).code), /ECONNREFUSED|ECONNRESET/u);
        return;
      }
      // Keeps the rate of requests below the limit of the server.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #post(name: string, body: object): Promise<unknown> {
    const headers = {
      'content-type': 'application/json',
      origin: this.#baseUrl.origin,
      [secretHeader]: this.#secret,
      connection: 'close',
    };
    return new Promise((resolve, reject) => {
      const clientRequest = request(new URL(`/api/${name}`, this.#baseUrl), {
        method: 'POST',
        headers,
      });
      clientRequest.on('error', reject);
      clientRequest.on('response', (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (reply.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${name}: ${reply.statusCode} ${text}`));
        });
      });
      clientRequest.end(JSON.stringify(body));
    });
  }
}

interface SceneOptions {
  /** Public URL of the page. Set if the browser runs on another machine. */
  readonly externalUrl?: string;
}

/** Opens a chat with a fake browser, which records the URLs that the extension opens. */
async function openScene({ externalUrl }: SceneOptions = {}) {
  await control.reset();
  await control.setResponsePace('instant');
  const undoStack = new DisposableStack();
  const fixture = undoStack.use(createChatFixture(signedInOptions));
  const dialogs = undoStack.use(new Dialogs());
  await fixture.host.models.refresh();
  await waitUntilReady(fixture);
  const openedUrls: string[] = [];
  let notifyOpened = (): void => {};
  const openExternal = async (uri: vscode.Uri): Promise<boolean> => {
    openedUrls.push(uri.toString(true));
    notifyOpened();
    return true;
  };
  const asExternalUri = async (uri: vscode.Uri): Promise<vscode.Uri> =>
    externalUrl === undefined ? uri : vscode.Uri.parse(externalUrl);
  undoStack.use(replaceProperty(vscode.env, 'openExternal', openExternal));
  undoStack.use(replaceProperty(vscode.env, 'asExternalUri', asExternalUri));
  const { host, chats, chatWebview, page } = fixture;
  const parts = { host, chats, openChat: async () => chatWebview };
  const startDictation = async () => {
    const progress = new FakeProgress();
    undoStack.use(replaceProperty(vscode.window, 'withProgress', progress.run.bind(progress)));
    const linkPromise = new Promise<string>((resolve) => {
      notifyOpened = () => resolve(openedUrls.at(-1) ?? '');
    });
    const dictationEndPromise = dictateMessage(parts);
    const tab = await DictationTab.open(await linkPromise);
    return { tab, dictationEndPromise, progress, page };
  };
  /** Makes the open dialog return an audio file with the spoken text. */
  const offerFile = (): Disposable => {
    const stack = new DisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'dictation-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'said.wav');
    const voice = { text: spokenText, voice: 'af_sky', speed: 1 };
    writeFileSync(file, Buffer.concat([...synthesizeSpeech(voice, 'wav')]));
    dialogs.buttonsToPress.push('Transcribe an Audio File');
    const showOpenDialog = async (): Promise<vscode.Uri[]> => [vscode.Uri.file(file)];
    stack.use(replaceProperty(vscode.window, 'showOpenDialog', showOpenDialog));
    return stack;
  };
  return {
    fixture,
    parts,
    dialogs,
    opened: openedUrls,
    startDictation,
    offerFile,
    [Symbol.dispose]: () => undoStack.dispose(),
  };
}

/** Resolves when the page has received its initial state. */
async function waitUntilReady({ page }: ChatFixture): Promise<HostMessage> {
  const statePromise = page.waitForMessage('state-set');
  page.sendToHost({ type: 'ready', version: protocolVersion });
  return statePromise;
}

function replaceProperty<T extends object>(owner: T, name: keyof T, value: unknown): Disposable {
  const originalValue = owner[name];
  Object.assign(owner, { [name]: value });
  return { [Symbol.dispose]: () => void Object.assign(owner, { [name]: originalValue }) };
}
