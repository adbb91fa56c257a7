import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { decodePcm } from '../service/audio/samples.ts';
import { synthesizeSpeech } from '../service/audio/speech.ts';
import { decodeSpeech } from '../service/audio/tones.ts';
import { readWav } from '../service/audio/wav.ts';
import { timeLimits } from '../support/time-limits.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, applyTheme } from './appearance.ts';
import { DictationPage } from './pages/dictation-page.ts';
import { eventually } from '../support/eventually.ts';
import { routeLoopbackProxy } from './pages/route-loopback-proxy.ts';
import { fillField, waitForFocus, pressIn, typeSlowlyIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const spokenText = 'Rename it, then test.';
/**
 * Spoken words with spaces before and after them, which become pauses. The simulated microphone repeats its sound, and
 * the pauses separate the repetitions.
 */
const paddedText = `   ${spokenText} `;
const folder = mkdtempSync(join(tmpdir(), 'inference-service-voice-'));
const microphoneAudioPath = join(folder, 'said.wav');
writeFileSync(
  microphoneAudioPath,
  Buffer.concat([...synthesizeSpeech({ text: paddedText, voice: 'af_sky', speed: 1 }, 'wav')]),
);

const session = useSession({ name: 'voice', microphone: microphoneAudioPath });

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the chat reads an answer aloud, stops on request, and saves the speech as a file', async () => {
  const { chat, workbench, webviewMessages } = session();
  const answer = `The **tide** turns twice a day. ${'The moon pulls at the sea. '.repeat(20)}`;
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  await chat.sendText('What is a tide?');
  await chat.waitUntilIdle();
  const messageCountBefore = webviewMessages.length;
  await chat.lastAnswer.getByRole('button', { name: 'Read Aloud' }).click();

  // The displayed time depends on the clock of the sound card. Without an audio device, the time does not advance.
  const readingBar = chat.content.getByRole('group', { name: 'Reading aloud' });
  await readingBar.getByText(/^Reading aloud 0:(?:0[2-9]|[1-9]\d)$/u).waitFor();
  const stopButton = chat.lastAnswer.getByRole('button', { name: 'Stop' });
  expect(await stopButton.getAttribute('aria-pressed')).toBe('true');
  await waitForFocus(stopButton);
  const spokenPattern = /^The tide turns twice a day\. The moon/u;
  await expect
    .poll(() => decodePlayedAudio(webviewMessages.slice(messageCountBefore)))
    .toMatch(spokenPattern);
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshot(session(), 'voice-reading', 'dark');

  await stopButton.click();
  await readingBar.waitFor({ state: 'hidden' });
  const readButton = chat.lastAnswer.getByRole('button', { name: 'Read Aloud' });
  expect(await readButton.getAttribute('aria-pressed')).toBe('false');
  await waitForFocus(readButton);

  // The playback bar has a second button that stops reading.
  await readButton.click();
  await readingBar.getByText(/^Reading aloud 0:(?:0[1-9]|[1-9]\d)$/u).waitFor();
  await readingBar.getByRole('button', { name: 'Stop' }).click();
  await readingBar.waitFor({ state: 'hidden' });
  await readButton.waitFor();

  await workbench.runCommand('Inference Service: Save Speech As…');
  await expect.poll(() => workbench.quickInput.inputValue()).toContain('speech.');
  const file = join(session().folder, 'answer.wav');
  await fillField(workbench.quickInput, file);
  await pressIn(workbench.quickInput, 'Enter');
  await eventually(async () => {
    const { samples, rate } = readWav(await readFile(file));
    expect(decodeSpeech(samples, rate)).toMatch(spokenPattern);
  });
});

test('the persona list is filtered while the user types, and the chosen persona answers, even after a reload', async () => {
  const { chat, workbench } = session();
  await workbench.runCommand('Inference Service: Chat with a Persona…');
  await workbench.locateOption('The Data Weaver').waitFor();
  await typeSlowlyIn(workbench.quickInput, 'zen');
  await workbench.locateOption('The Data Weaver').waitFor({ state: 'hidden' });
  const personaOption = workbench.locateOption('Alan Watts');
  await eventually(async () => {
    expect(
      await personaOption.locator('.quick-input-list-icon').evaluate(readBackgroundMediaType),
    ).toMatch(/^image\//u);
  });
  await takeScreenshot(session(), 'persona-list', 'dark');
  await personaOption.click();
  const chip = chat.content.getByRole('list', { name: 'Persona' });
  await chip.getByText('Alan Watts').waitFor();
  await waitForFocus(chat.composer);

  await chat.sendText('What is a queue?');
  await chat.lastAnswer.getByText(/^You see, my friend/u).waitFor();
  await chat.waitUntilIdle();
  await workbench.waitForStoredSideBar();
  await session().reloadWindow();
  await chip.getByText('Alan Watts').waitFor();
  await chat.sendText('And a stack?');
  await chat.lastAnswer.getByText(/^You see, my friend/u).waitFor();
  await chat.waitUntilIdle();
  const matchingRequests = (await getControl(session()).getRequests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );
  expect(matchingRequests).toHaveLength(2);
  for (const { body } of matchingRequests)
    expect(JSON.stringify(body)).toContain('"character_slug":"alan-watts"');

  // The persona and the playback bar must fit into the narrowest side bar together.
  await chat.lastAnswer.getByRole('button', { name: 'Read Aloud' }).click();
  const readingBar = chat.content.getByRole('group', { name: 'Reading aloud' });
  await readingBar.getByText(/^Reading aloud 0:(?:0[1-9]|[1-9]\d)$/u).waitFor();
  const { width } = await workbench.readSideBarBounds();
  await workbench.resizeSecondarySideBar(250);
  await applyTheme(session(), 'hc-light');
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await expect.poll(() => measureOverflow(chat.content.locator('html'))).toBe(0);
  await takeScreenshot(session(), 'voice-persona', 'narrow');
  await workbench.resizeSecondarySideBar(width);
  await applyTheme(session(), 'dark');

  await chip.getByRole('button', { name: 'Remove Alan Watts' }).click();
  await chip.waitFor({ state: 'hidden' });
});

test('dictation inserts text into the composer without sending the message', async () => {
  const { chat, page } = session();
  const context = page.context();
  await routeLoopbackProxy(context);
  const pagePromise = context.waitForEvent('page', { timeout: timeLimits.condition });
  await chat.locateButton('Dictate').click();
  const tab = await pagePromise;
  tab.setDefaultTimeout(timeLimits.condition);
  await new DictationPage(tab).recordUntilUnderstood(spokenText);
  await tab.getByText('You can close this tab.').waitFor();
  await tab.close();
  await page.bringToFront();
  await expect.poll(() => chat.composer.inputValue()).toContain(spokenText);
  const requestPaths = (await getControl(session()).getRequests()).map(({ path }) => path);
  expect(requestPaths).toContainEqual(expect.stringMatching(/\/audio\/transcriptions$/u));
  expect(requestPaths).not.toContainEqual(expect.stringMatching(/\/chat\/completions$/u));
});

/** Decodes the spoken words from the audio in the webview messages. */
function decodePlayedAudio(messages: readonly string[]): string {
  const pcm = Buffer.concat(
    messages
      .filter((message) => message.startsWith('{"type":"speech-samples"'))
      .map((message) => {
        const { samples } = JSON.parse(message) as { readonly samples: string };
        return Buffer.from(samples, 'base64');
      }),
  );
  return decodeSpeech(decodePcm(pcm), 24_000);
}

/** Returns the number of pixels by which the page is wider than its visible part. */
const measureOverflow = (html: Locator): Promise<number> =>
  html.evaluate((element) => element.scrollWidth - element.clientWidth);

/**
 * Returns the media type of the element's background image. Returns an empty string if it has no such image. Runs in
 * the page.
 */
async function readBackgroundMediaType(element: Element): Promise<string> {
  const { backgroundImage } = getComputedStyle(element);
  const [, url] = /^url\("(.+)"\)$/u.exec(backgroundImage) ?? [];
  if (url === undefined) return '';
  const reply = await fetch(url);
  return (await reply.blob()).type;
}
