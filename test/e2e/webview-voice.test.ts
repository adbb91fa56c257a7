import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { DictationSession } from '../../src/speech/vscode/dictation-session.ts';
import { createPageServerOptions } from '../../src/speech/vscode/dictate.ts';
import { startLoopbackPageServer } from '../../src/platform/pages/page-server.ts';
import { createPageLink } from '../../src/platform/pages/open-page.ts';
import { dictationSampleRate } from '../../src/speech/dictation-protocol.ts';
import type { SpeechMessage } from '../../src/speech/protocol.ts';
import { synthesizeSpeech } from '../service/audio/speech.ts';
import { decodePcm } from '../service/audio/samples.ts';
import { decodeSpeech } from '../service/audio/tones.ts';
import { createFakeMicrophoneFlags, launchBrowser } from '../support/browser.ts';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';
import { DictationPage } from './pages/dictation-page.ts';

vi.mock('vscode', () => ({ env: { language: 'en' }, l10n: { t: (text: string) => text } }));

const spokenText = 'Rename the function, then run the tests.';
/**
 * Spoken words with spaces before and after them, which become pauses. The simulated microphone repeats its sound, and
 * the pauses separate the repetitions.
 */
const paddedText = `   ${spokenText} `;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inference-service-voice-'));
  const speechBytes = Buffer.concat([
    ...synthesizeSpeech({ text: paddedText, voice: 'af_sky', speed: 1 }, 'wav'),
  ]);
  const file = join(folder, 'said.wav');
  await writeFile(file, speechBytes);
  await build({
    entryPoints: [
      { in: join(root, 'webview/dictation/main.ts'), out: 'dictation' },
      { in: join(root, 'webview/dictation/style.css'), out: 'dictation' },
      { in: join(root, 'webview/dictation/recorder.ts'), out: 'recorder' },
    ],
    ...{ bundle: true, format: 'esm', outdir: folder, logLevel: 'warning' },
  });
  await build({
    entryPoints: { player: join(root, 'webview/chat/transcript/speech-player.ts') },
    ...{ bundle: true, format: 'iife', globalName: 'voice', outdir: folder, logLevel: 'warning' },
  });
  browser = await launchBrowser(createFakeMicrophoneFlags(file));
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the dictation page', () => {
  /** Opens the dictation page in a tab. The test acts as the host. */
  async function openDictationTab() {
    await using stack = new AsyncDisposableStack();
    const session = new DictationSession({ clock: systemClock });
    stack.defer(() => session.dispose());
    const type = 'text/javascript; charset=utf-8';
    const assets = {
      'dictation.js': { type, bytes: await readFile(join(folder, 'dictation.js')) },
      'recorder.js': { type, bytes: await readFile(join(folder, 'recorder.js')) },
      'dictation.css': {
        type: 'text/css; charset=utf-8',
        bytes: await readFile(join(folder, 'dictation.css')),
      },
    };
    const content = createPageServerOptions(session, assets);
    const server = await startLoopbackPageServer({ ...content, clock: systemClock, id: 'test' });
    stack.defer(() => server.dispose());
    const page = await browser.newPage({ viewport: { width: 320, height: 480 } });
    page.setDefaultTimeout(timeLimits.condition);
    stack.defer(() => page.close());
    const pageErrors: string[] = [];
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/u.test(message.text())) pageErrors.push(message.text());
    });
    await page.goto(
      createPageLink(
        new URL(`http://127.0.0.1:${server.port}/`),
        session.pairing.token,
        'fragment',
      ),
    );
    const resources = stack.move();
    return { page, session, pageErrors, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }

  test('sends intelligible speech from the microphone to the host', async () => {
    await using openedPage = await openDictationTab();
    const { page, session, pageErrors } = openedPage;
    expect(new URL(page.url()).hash).toBe('');
    await new DictationPage(page).recordUntilUnderstood(spokenText);
    const dictation = await session.result;
    if (dictation.kind !== 'recorded') throw new Error(dictation.kind);
    expect(decodeSpeech(decodePcm(dictation.pcm), dictationSampleRate)).toContain(spokenText);
    session.show('done', '');
    await page.getByText('You can close this tab.').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('ends when the user clicks Cancel', async () => {
    await using openedPage = await openDictationTab();
    await openedPage.page.getByRole('button', { name: 'Cancel' }).click();
    expect(await openedPage.session.result).toEqual({ kind: 'canceled' });
  });
});

describe('reading an answer aloud', () => {
  const id = 'r1';
  const createSamplesMessage = (text: string): SpeechMessage => ({
    ...{ type: 'speech-samples', id, rate: 24_000, channels: 1 },
    samples: Buffer.concat([
      ...synthesizeSpeech({ text, voice: 'af_sky', speed: 1 }, 'pcm'),
    ]).toString('base64'),
  });

  /** Opens a page that contains only the speech player. */
  async function openPlayerPage() {
    const page = await browser.newPage();
    page.setDefaultTimeout(timeLimits.condition);
    await page.goto('about:blank');
    const script = await readFile(join(folder, 'player.js'), 'utf8');
    await page.addScriptTag({ content: script });
    await page.evaluate(() => {
      const { voice } = globalThis as unknown as {
        voice: { SpeechPlayer: new (context: object) => { element: HTMLElement } };
      };
      const messages: unknown[] = [];
      const clock = {
        now: () => Date.now(),
        after: (delayMs: number, run: () => void) => {
          const timer = setTimeout(run, delayMs);
          return () => clearTimeout(timer);
        },
      };
      const player = new voice.SpeechPlayer({
        post: (message: unknown) => messages.push(message),
        clock,
        announce: () => {},
        onRead: (messageId: string | null) => messages.push({ read: messageId }),
      });
      document.body.append(player.element);
      Object.assign(globalThis, { player, messages });
    });
    const send = (message: SpeechMessage): Promise<void> =>
      page.evaluate((receivedMessage) => {
        (
          globalThis as unknown as { player: { handleMessage(message: unknown): void } }
        ).player.handleMessage(receivedMessage);
      }, message);
    const listPostedMessages = (): Promise<unknown[]> =>
      page.evaluate(() => (globalThis as unknown as { messages: unknown[] }).messages);
    return { page, send, posted: listPostedMessages };
  }

  test('starts before the audio is complete, requests the next part, and reports the end', async () => {
    const { page, send, posted } = await openPlayerPage();
    const readingBar = page.getByRole('group', { name: 'Reading aloud' });
    await send({ type: 'speech-open', id, messageId: 'm1' });
    await readingBar.getByText('Loading').waitFor();
    expect((await posted()).at(-1)).toEqual({ read: 'm1' });
    await send(createSamplesMessage('Half a second or so.'));
    await readingBar.getByText(/^Reading aloud 0:01$/u).waitFor();
    await send({ type: 'speech-part', id, isLast: false });
    await expect.poll(posted).toContainEqual({ type: 'speech-next', id });
    await send(createSamplesMessage('And more.'));
    await send({ type: 'speech-part', id, isLast: true });
    await expect.poll(posted).toContainEqual({ type: 'speech-end', id });
    await expect.poll(() => readingBar.isHidden()).toBe(true);
    expect(
      (await posted()).filter((message) => Object.hasOwn(Object(message), 'read')).at(-1),
    ).toEqual({
      read: null,
    });
    await page.close();
  });

  test('shows the wait before a retry, and the Stop button cancels the wait', async () => {
    const { page, send, posted } = await openPlayerPage();
    const retryAt = (await page.evaluate(() => Date.now())) + 45_000;
    await send({ type: 'speech-open', id, messageId: 'm1' });
    await send({ type: 'speech-wait', id, message: 'The service is busy.', retryAt });
    await page.getByText(/^The service is busy\. Trying again in \d+ s$/u).waitFor();
    // While audio remains, the bar shows the playback time instead.
    await send(createSamplesMessage('x'.repeat(300)));
    await page.getByText(/^Reading aloud \d:\d\d$/u).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await posted()).toContainEqual({ type: 'speech-end', id });
    await page.close();
  });

  test('stops when the user selects Stop, and shows a message if the audio cannot be played', async () => {
    const { page, send, posted } = await openPlayerPage();
    await send({ type: 'speech-open', id, messageId: 'm1' });
    await send(createSamplesMessage('x'.repeat(300)));
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await posted()).toContainEqual({ type: 'speech-end', id });
    await send({ type: 'speech-open', id, messageId: 'm1' });
    await send({ type: 'speech-file', id, file: Buffer.from('no sound').toString('base64') });
    await page.getByText('This editor cannot play what the voice makes.').waitFor();
    expect((await posted()).at(-1)).toEqual({ read: null });
    await page.close();
  });
});
