import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Control } from '../service/control.ts';
import type { RecordedRequest } from '../service/control/request-log.ts';
import { takeScreenshotInThemes, writeScreenshot } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { findFlickers, GhostText } from './pages/ghost-text.ts';
import { waitForFocus, pressIn, typeIn, typeSlowlyIn } from './pages/typing.ts';
import { getControl, type Session, useSession } from './session.ts';

const canaryText = 'CANARY-7c1e55-must-stay-here';
/**
 * Returns code that resembles the code in the other files of this test, so that the model always has a suggestion. If
 * no suggestion is visible, a rule of the extension has therefore prevented it.
 */
const createSimilarCode = (line: string): string => `def first(a):\n    return total(a, ${line})\n`;
/**
 * Returns Python code with the cursor at its end, at the start of a function body. The function name `name` must be
 * unique among the tests, so that no cached suggestion matches.
 */
const createPythonCode = (name: string): string =>
  `def total(a, b):\n    return a + b\n\n\ndef ${name}(a):\n`;
const gaugeLines = [
  'water_level = read_gauge(1)',
  'print(water_level)',
  '# The water_level is in meters.',
  'if water_level > limit:',
  "    warn('water_level', water_level)",
  '',
];
const callerLines = ['one = fetch_tide(1)', 'two = fetch_tide(2)', 'three = fetch_tide(3)', ''];

/** Settings that turn off all pop-ups of the editor except inline suggestions. */
const quietEditorSettings = {
  'inferenceService.completion.prefetch': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  'editor.hover.delay': 100,
};

describe('inline suggestions in a folder', () => {
  const session = useSession({
    name: 'completion',
    files: {
      '.env': `TOKEN=${canaryText}\n${createSimilarCode(`'${canaryText}'`)}`,
      'harbour.py': createSimilarCode('harbour_level'),
      'tides.py': createPythonCode('first'),
      'callers.py': callerLines.join('\n'),
      'readings.py': gaugeLines.join('\n'),
    },
    settings: quietEditorSettings,
  });
  const createGhostText = (): GhostText => new GhostText(session().page);

  // Screenshots wait for a theme change in a visible webview of the extension.
  beforeAll(() => session().openNewChat());

  beforeEach(async () => {
    await session().workbench.closeOverlays();
    await getControl(session()).reset();
    await getControl(session()).setResponsePace('instant');
  });

  afterEach(async () => {
    const requestsText = JSON.stringify(await getControl(session()).getRequests());
    expect(requestsText).not.toContain(canaryText);
  });

  test('stay off until the user consents to the data use', async () => {
    const { page, workbench } = session();
    await workbench.openFile('.env');
    await openFreshFile(session());
    await typeSlowlyIn(workbench.editor, 'ret');
    expect(await readSuggestionRequests(session())).toEqual([]);
    expect(await createGhostText().readText()).toBe('');

    await workbench.runCommand('Inference Service: Turn On Inline Suggestions');
    const question = page.locator('.monaco-dialog-box');
    await question.getByText('Turn on inline suggestions?').waitFor();
    await question.getByText('100 suggestions cost about').waitFor();
    await workbench.locateDialogButton('Cancel').click();
    await question.waitFor({ state: 'hidden' });
    await waitForFocus(workbench.editor);
    await typeSlowlyIn(workbench.editor, 'u');
    expect(await readSuggestionRequests(session())).toEqual([]);

    await workbench.runCommand('Inference Service: Turn On Inline Suggestions');
    await workbench.locateDialogButton('Turn On').click();
    await question.waitFor({ state: 'hidden' });
    await waitForStatus(session(), /Inline suggestions: On/u);
  });

  test('are requested with code from other tabs, except from secret files', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await workbench.openFile('harbour.py');
    await workbench.openFile('.env');
    await openFreshFile(session());
    await getControl(session()).addScripts(createAnswerScript('return total(a, 1)'));
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText('return total(a, 1)');
    const [request] = await readSuggestionRequests(session());
    expect(JSON.stringify(request?.body)).toContain('return total(a, harbour_level)');
    await pressIn(workbench.editor, 'Escape');
  });

  test('stay visible without flicker or request while the user types the suggested text', async () => {
    const { page, workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('along'));
    await getControl(session()).addScripts(createAnswerScript('remaining_tide = total(a, a)'));
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText('remaining_tide = total(a, a)');
    await takeScreenshotInThemes(session(), 'ghost-text', session().chat.content);
    const group = page.locator('.editor-group-container.active');
    const { x = 0, y = 0, width = 0 } = (await group.boundingBox()) ?? {};
    const clip = { x, y, width: Math.min(width, 628), height: 190 };
    await writeScreenshot(page, 'media/screenshots/suggestion-dark.png', clip);
    await waitForFocus(workbench.editor);
    const recording = await createGhostText().startRecording();
    await typeSlowlyIn(workbench.editor, 'remaining_tide = t');
    await typeIn(workbench.editor, 'otal(');
    // The editor inserted the closing bracket.
    await recording.waitForText('a, a');
    const recordedTexts = await recording.stop();
    expect([recordedTexts[0], recordedTexts.at(-1)]).toEqual([
      'remaining_tide = total(a, a)',
      'a, a',
    ]);
    expect(findFlickers(recordedTexts, ')')).toEqual([]);
    expect(await readSuggestionRequests(session())).toHaveLength(1);

    await pressIn(workbench.editor, 'Backspace');
    await createGhostText().waitForText('(a, a)');
    expect(await readSuggestionRequests(session())).toHaveLength(1);
    await pressIn(workbench.editor, 'Tab');
    await createGhostText().waitUntilHidden();
    await saveAndExpectText(
      session(),
      `${createPythonCode('along')}    remaining_tide = total(a, a)`,
    );
    await pressIn(workbench.editor, 'Control+Z');
    await saveAndExpectText(session(), `${createPythonCode('along')}    remaining_tide = total`);
  });

  test('appear again without a request after Enter moved the closing bracket to the line below', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('braces'));
    const dictionary = "levels = {\n        'low': a,\n    }";
    await getControl(session()).addScripts(createAnswerScript(`${dictionary}\n    return levels`));
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText(dictionary);
    await typeSlowlyIn(workbench.editor, 'levels = ');
    await typeIn(workbench.editor, '{');
    const textAfterBrace = "\n        'low': a,\n    }";
    await createGhostText().waitForText(textAfterBrace);
    const recording = await createGhostText().startRecording();
    await pressIn(workbench.editor, 'Enter');
    await recording.waitForText("'low': a,");
    // VS Code hides the suggestion until the provider returns, because its rest would replace text on two lines.
    const visibleTexts = (await recording.stop()).filter((text) => text !== '');
    expect(visibleTexts).toEqual([textAfterBrace, "'low': a,"]);
    expect(await readSuggestionRequests(session())).toHaveLength(1);
    await pressIn(workbench.editor, 'Escape');
  });

  test('can be accepted by word and line without another request, and Escape dismisses the rest', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('by_words'));
    await getControl(session()).addScripts(
      createAnswerScript('sum = total(a, a)\n    again = sum\n    return again'),
    );
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText('sum = total(a, a)\n    again = sum\n    return again');
    await pressIn(workbench.editor, 'Control+ArrowRight');
    await createGhostText().waitForText(' = total(a, a)\n    again = sum\n    return again');
    await pressIn(workbench.editor, 'Alt+Shift+\\');
    await createGhostText().waitForText('    again = sum\n    return again');
    await typeSlowlyIn(workbench.editor, '    ag');
    await createGhostText().waitForText('ain = sum\n    return again');
    expect(await readSuggestionRequests(session())).toHaveLength(1);
    await pressIn(workbench.editor, 'Escape');
    await createGhostText().waitUntilHidden();
    await saveAndExpectText(
      session(),
      `${createPythonCode('by_words')}    sum = total(a, a)\n    ag`,
    );
    expect(await readSuggestionRequests(session())).toHaveLength(1);
  });

  test('show alternatives when the user selects the next suggestion', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('several'));
    const texts = ['return total(a, a)', 'return 2 * a', 'return a << 1'];
    await getControl(session()).addScripts(...texts.map((text) => createAnswerScript(text)));
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText(/return/u);
    const firstText = await createGhostText().readText();
    await pressIn(workbench.editor, 'Alt+]');
    await eventually(async () => {
      const nextText = await createGhostText().readText();
      expect(texts).toContain(nextText);
      expect(nextText).not.toBe(firstText);
    });
    await pressIn(workbench.editor, 'Alt+[');
    await createGhostText().waitForText(firstText);
    expect((await readSuggestionRequests(session())).length).toBeLessThanOrEqual(4);
  });

  test("continue the selected entry of VS Code's completion list", async () => {
    const { page, workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('twofold'));
    await pressIn(workbench.editor, 'Enter');
    await typeIn(workbench.editor, 'return twof');
    await getControl(session()).reset();
    await getControl(session()).addScripts({ ...createAnswerScript('(a) + 1'), times: 5 });
    await pressIn(workbench.editor, 'Control+Space');
    await page
      .locator('.suggest-widget.visible .monaco-list-row.focused')
      .getByText('twofold')
      .waitFor();
    await createGhostText().waitForText('old(a) + 1');
    expect(JSON.stringify((await readSuggestionRequests(session())).at(-1)?.body)).toContain(
      'return twofold',
    );
    await pressIn(workbench.editor, 'Tab');
    await createGhostText().waitForText('(a) + 1');
    await pressIn(workbench.editor, 'Tab');
    await saveAndExpectText(session(), `${createPythonCode('twofold')}    return twofold(a) + 1`);
  });

  test('show the same text at several cursors while the user types the suggested text', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), 'x = [\ny = [\n');
    for (const key of ['Control+Home', 'End']) await pressIn(workbench.editor, key);
    // This key adds a cursor in the next line.
    await pressIn(workbench.editor, 'Shift+Alt+ArrowDown');
    await getControl(session()).addScripts({ ...createAnswerScript('1, 2, 3'), times: 3 });
    await typeSlowlyIn(workbench.editor, ' ');
    await createGhostText().waitForText('1, 2, 31, 2, 3');
    const recording = await createGhostText().startRecording();
    await typeSlowlyIn(workbench.editor, '1, ');
    await createGhostText().waitForText('2, 32, 3');
    expect(await recording.stop()).not.toContain('');
    expect(await readSuggestionRequests(session())).toHaveLength(1);
    await pressIn(workbench.editor, 'Tab');
    await saveAndExpectText(session(), 'x = [ 1, 2, 3\ny = [ 1, 2, 3\n');
    await pressIn(workbench.editor, 'Escape');
    await pressIn(workbench.editor, 'Escape');
  });

  test('propose a small edit of the user again at the next matching position, without a request', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await workbench.openFile('callers.py');
    for (const key of ['Control+Home', 'End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'])
      await pressIn(workbench.editor, key);
    await typeIn(workbench.editor, '_at');
    await pressIn(workbench.editor, 'ArrowDown');
    await pressIn(workbench.editor, 'Home');
    await createGhostText().waitForText('_at');
    await pressIn(workbench.editor, 'Tab');
    await createGhostText().waitUntilHidden();
    await pressIn(workbench.editor, 'ArrowDown');
    await pressIn(workbench.editor, 'Home');
    await createGhostText().waitForText('_at');
    await pressIn(workbench.editor, 'Tab');
    const expected = callerLines.map((line) => line.replace('tide', 'tide_at')).join('\n');
    await saveAndExpectText(session(), expected, 'callers.py');
    expect(await readSuggestionRequests(session())).toEqual([]);
  });

  test('let the user rename each further use of a renamed variable with the Tab key, without a request', async () => {
    const { page, workbench } = session();
    await ensureSuggestionsOn(session());
    await workbench.openFile('readings.py');
    await pressIn(workbench.editor, 'Control+Home');
    await pressIn(workbench.editor, 'Control+Shift+ArrowRight');
    await typeIn(workbench.editor, 'tide');
    const editorText = workbench.editor.locator('.view-lines');
    const waitForHint = async (line: string, text: string): Promise<void> =>
      eventually(async () => {
        const attachedTexts = await readAttachedTexts(page);
        expect(attachedTexts).toContain(text);
        expect(await editorText.innerText()).toContain(line);
      });
    await waitForHint('tide', 'Tab to go to line 2');
    await takeScreenshotInThemes(session(), 'next-edit', session().chat.content);
    await waitForFocus(workbench.editor);
    await pressIn(workbench.editor, 'Tab');
    await waitForHint('tide', 'Tab to apply');
    await takeScreenshotInThemes(session(), 'next-edit-reached', session().chat.content);
    await waitForFocus(workbench.editor);
    await pressIn(workbench.editor, 'Tab');
    for (const line of [4, 5]) {
      await waitForHint('print(tide)', `Tab to go to line ${line}`);
      await pressIn(workbench.editor, 'Tab');
      await waitForHint('tide', 'Tab to apply');
      await pressIn(workbench.editor, 'Tab');
    }
    await eventually(async () => expect(await readAttachedTexts(page)).toEqual([]));
    const expected = gaugeLines
      .map((line) => (line.startsWith('#') ? line : line.replaceAll(/(?<!')water_level/gu, 'tide')))
      .join('\n');
    await saveAndExpectText(session(), expected, 'readings.py');
    await pressIn(workbench.editor, 'Control+Z');
    const textAfterUndo = expected.replace("'water_level', tide", "'water_level', water_level");
    await saveAndExpectText(session(), textAfterUndo, 'readings.py');
    expect(await readSuggestionRequests(session())).toEqual([]);
  });

  test('have a status bar item that shows their state, snoozes them, and explains why no suggestion is visible', async () => {
    const { page, workbench, chat } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('status'));
    await locateStatusItem(session()).hover();
    const hover = page.locator('.monaco-hover:visible, .workbench-hover:visible');
    await hover.getByText('Inline suggestions').waitFor();
    // Three actions, and the balance, which opens the funding view.
    expect(await hover.locator('a').allInnerTexts()).toHaveLength(4);
    await takeScreenshotInThemes(session(), 'completion-status', chat.content);
    await page.keyboard.press('Escape');
    await workbench.runCommand('Inference Service: Inline Suggestions');
    await workbench.locateOption('Why no suggestion here?').waitFor();
    await takeScreenshotInThemes(session(), 'completion-menu', chat.content);
    await workbench.locateOption('Snooze: 5 minutes').click();
    await waitForStatus(session(), /Inline suggestions: snoozed/u);
    await waitForFocus(workbench.editor);
    // VS Code may have requested a suggestion when the file opened.
    const { length: requestCount } = await readSuggestionRequests(session());
    await typeSlowlyIn(workbench.editor, '    ret');
    expect(await readSuggestionRequests(session())).toHaveLength(requestCount);
    expect(await readExplanation(session())).toContain('Inline suggestions are snoozed.');
    await page.locator('.notifications-center').getByRole('button', { name: 'Resume' }).click();
    await waitForStatus(session(), /Inline suggestions: On/u);
  });
});

describe('inline suggestions without a network', () => {
  const session = useSession({
    name: 'completion-offline',
    files: { 'tides.py': createPythonCode('first') },
    settings: quietEditorSettings,
  });

  test('show nothing, and do not disturb typing', async () => {
    const { page, workbench } = session();
    await turnSuggestionsOn(session());
    await injectFaults(session(), { kind: 'reset', afterBytes: 0 }, 1_000);
    await openFreshFile(session());
    for (let line = 0; line < 6; line++) {
      await typeSlowlyIn(workbench.editor, '    b = a');
      await pressIn(workbench.editor, 'Enter');
    }
    const { length } = await readSuggestionRequests(session());
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(12);
    expect(await new GhostText(page).readText()).toBe('');
    expect(await readNotifications(session(), 0)).toEqual([]);
  });
});

describe('the prefetching of suggestions', () => {
  const session = useSession({
    name: 'completion-ahead',
    files: { 'tides.py': createPythonCode('first') },
    settings: { ...quietEditorSettings, 'inferenceService.completion.prefetch': true },
  });
  const createGhostText = (): GhostText => new GhostText(session().page);

  test('requests the continuation of a visible suggestion, which appears when the user accepts the suggestion', async () => {
    const { workbench } = session();
    await turnSuggestionsOn(session());
    await getControl(session()).setResponsePace('instant');
    await getControl(session()).addScripts(
      createAnswerScript('tide = total(a, a)'),
      createAnswerScript('\n    return tide'),
    );
    await openFreshFile(session());
    await pressIn(workbench.editor, 'Enter');
    await createGhostText().waitForText('tide = total(a, a)');
    // The continuation is requested while the suggestion is visible.
    await eventually(async () => expect(await readSuggestionRequests(session())).toHaveLength(2));
    await pressIn(workbench.editor, 'Tab');
    await createGhostText().waitForText('\n    return tide');
    await pressIn(workbench.editor, 'Escape');
  });

  test('sends few requests after failures, and reports the failures only in the status bar', async () => {
    const { workbench } = session();
    await ensureSuggestionsOn(session());
    await openFreshFile(session(), createPythonCode('failing'));
    await workbench.runCommand('Notifications: Clear All Notifications');
    await getControl(session()).reset();
    await injectFaults(session(), { kind: 'status', status: 500 }, 100);
    await typeLines(session(), 6);
    await waitForStatus(session(), /Inline suggestions: paused/u);
    expect(await readSuggestionRequests(session())).toHaveLength(3);
    await typeLines(session(), 8);
    // The delay doubles before each further request. Unit tests check later delays with a fake clock.
    const times = (await readSuggestionRequests(session()))
      .slice(2)
      .map(({ startedAt }) => startedAt);
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(29_000 * 2 ** index);
    expect(await createGhostText().readText()).toBe('');
    expect(await readNotifications(session(), 0)).toEqual([]);
    await workbench.closeOverlays();
    await pressIn(workbench.editor, 'Control+Home');
  });
});

describe('inline suggestions in an untrusted folder', () => {
  const session = useSession({
    name: 'completion-restricted',
    files: { 'tides.py': createPythonCode('first') },
    settings: {
      ...quietEditorSettings,
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    },
  });

  beforeAll(() => getControl(session()).setResponsePace('instant'));

  test("cause no request, even after the user's consent", async () => {
    const { workbench, page } = session();
    await turnSuggestionsOn(session(), /Inline suggestions: off in Restricted Mode/u);
    await openFreshFile(session());
    await typeSlowlyIn(workbench.editor, '    return');
    expect(await new GhostText(page).readText()).toBe('');
    expect(await readSuggestionRequests(session())).toEqual([]);
  });
});

const createAnswerScript = (content: string) => ({ steps: [{ content }] });

const readSuggestionRequests = async (session: Session): Promise<readonly RecordedRequest[]> =>
  (await getControl(session).getRequests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );

const injectFaults = (
  session: Session,
  fault: Parameters<Control['injectFault']>[0]['fault'],
  count: number,
): Promise<void> =>
  getControl(session).injectFault({ match: { path: '/chat/completions' }, fault, times: count });

/** Number of painted frames after which the extension has requested a suggestion at the start of a line. */
const requestFrameCount = 60;

/** Types `count` lines of code. Waits at the start of each line, so that the extension can send a request. */
async function typeLines({ workbench }: Session, count: number): Promise<void> {
  for (let line = 0; line < count; line += 1) {
    await typeIn(workbench.editor, `b = ${line}`);
    await typeSlowlyIn(workbench.editor, '\n', requestFrameCount);
  }
}

/** Returns the extension's entry in the status bar. */
const locateStatusItem = ({ page }: Session) =>
  page.locator('.part.statusbar .statusbar-item[id^="inference-service"]');

/** Resolves when the accessible label of the extension's status bar entry matches `pattern`. */
const waitForStatus = async (session: Session, pattern: RegExp): Promise<void> =>
  eventually(async () => {
    const label = await locateStatusItem(session).locator('a').first().getAttribute('aria-label');
    expect(label ?? '').toMatch(pattern);
  });

/** Turns inline suggestions on unless they are already on. */
async function ensureSuggestionsOn(session: Session): Promise<void> {
  const entry = locateStatusItem(session).locator('a');
  const labels = await entry.evaluateAll((elements) =>
    elements.map((element) => element.ariaLabel ?? ''),
  );
  if (!labels.some((label) => /Inline suggestions: (?!off)/iu.test(label)))
    await turnSuggestionsOn(session);
}

async function turnSuggestionsOn(
  session: Session,
  explanationPattern = /Inline suggestions: On/u,
): Promise<void> {
  const { workbench } = session;
  await workbench.runCommand('Inference Service: Turn On Inline Suggestions');
  await workbench.locateDialogButton('Turn On').click();
  await waitForStatus(session, explanationPattern);
}

/** Returns the texts that decorations in the active editor show after parts of the code. */
const readAttachedTexts = (page: Session['page']): Promise<string[]> =>
  page
    .locator('.editor-group-container.active .view-lines [class*="ced-"]')
    .evaluateAll((elements) =>
      elements.flatMap((element) => {
        const { content } = getComputedStyle(element, '::after');
        return content === 'none' || content === 'normal'
          ? []
          : [content.replaceAll(/^"|"$/gu, '').replaceAll('\u00A0', ' ')];
      }),
    );

/** Writes `content` to `tides.py`, and opens the file with the cursor at the end of the last line that is not empty. */
async function openFreshFile(session: Session, content = createPythonCode('first')): Promise<void> {
  const { workbench, folder } = session;
  // Revert and close the editor first, because replacing an open file would trigger a suggestion request.
  await workbench.openFile('tides.py');
  await workbench.runCommand('View: Revert and Close Editor');
  await writeFile(join(folder, 'tides.py'), content);
  await workbench.openFile('tides.py');
  await waitForEditorText(session, content);
  await pressIn(workbench.editor, 'Control+End');
  // Move to the end of the line before the empty last line.
  await pressIn(workbench.editor, 'ArrowLeft');
}

/**
 * Selects "Why no suggestion here?" in the menu of the command Inline Suggestions. Returns the explanation from the
 * notification center.
 */
async function readExplanation(session: Session): Promise<string> {
  await session.workbench.runCommand('Notifications: Clear All Notifications');
  await session.workbench.runCommand('Inference Service: Inline Suggestions');
  await session.workbench.locateOption('Why no suggestion here?').click();
  const [notification = ''] = await readNotifications(session, 1);
  return notification;
}

/**
 * Returns the texts of all notifications in the notification center. VS Code shows no notification toasts while a test
 * drives the window.
 * @param count minimum number of notifications to wait for
 */
async function readNotifications({ page, workbench }: Session, count: number): Promise<string[]> {
  const notificationCenter = page.locator('.notifications-center.visible');
  const messages = notificationCenter.locator('.notification-list-item-message');
  // An empty notification center closes when a notification arrives.
  await eventually(async (timeout) => {
    if (!(await notificationCenter.isVisible()))
      await workbench.runCommand('Notifications: Show Notifications');
    await notificationCenter.waitFor({ timeout });
    if ((await messages.count()) < count) throw new Error('No notification came.');
  });
  return messages.allInnerTexts();
}

/** Resolves when the active editor shows `content`. Ignores empty lines. */
const waitForEditorText = ({ workbench }: Session, content: string): Promise<void> =>
  eventually(async () => {
    const visibleText = (await workbench.editor.locator('.view-lines').innerText()).replaceAll(
      '\u00A0',
      ' ',
    );
    expect(visibleText.split('\n').filter(Boolean)).toEqual(content.split('\n').filter(Boolean));
  });

/**
 * Saves the active file. Resolves when the file `name` contains the text `expected`, except for white space at its end.
 */
async function saveAndExpectText(
  { workbench, folder }: Session,
  expected: string,
  name = 'tides.py',
): Promise<void> {
  await pressIn(workbench.editor, 'Control+S');
  await eventually(async () =>
    expect((await readFile(join(folder, name), 'utf8')).trimEnd()).toBe(expected.trimEnd()),
  );
}
