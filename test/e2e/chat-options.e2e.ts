import { beforeEach, expect, test } from 'vitest';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInAllThemes } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { fillField, waitForFocus, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'chat-options', isInstalled: true });

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

test('presets and pinned models are registered for Settings Sync, and synced values from another machine take effect', async () => {
  const { chat, page, workbench } = session();
  await chat.locateButton('Options').click();
  const options = chat.content.getByRole('dialog', { name: 'Options' });
  await options.getByText('Advanced', { exact: true }).click();
  await fillField(options.getByLabel('Name'), 'Night watch');
  await options.getByRole('button', { name: 'Save', exact: true }).click();
  await options.getByRole('option', { name: 'Night watch' }).waitFor({ state: 'attached' });
  await options.getByLabel('Name').focus();
  await pressIn(options.getByLabel('Name'), 'Escape');
  await workbench.runCommand('Inference Service: Select Model…');
  const row = workbench.locateOption('Compact XS 3B');
  await row.hover();
  await row.getByRole('button', { name: 'Pin', exact: true }).click();
  await workbench.closeOverlays();

  // VS Code writes its state to the browser's storage every five seconds, and the names of the keys separately.
  const state = await eventually(async () => {
    const storedState = await page.evaluate(readStoredState, extensionId);
    expect(JSON.stringify(storedState.state)).toMatch(
      /Night watch.*compact-xs-3b|compact-xs-3b.*Night watch/u,
    );
    const keysOfPresetsAndPins = Object.entries(storedState.state).flatMap(([key, value]) =>
      /Night watch|compact-xs-3b/u.test(JSON.stringify(value)) ? [key] : [],
    );
    expect(storedState.syncedKeys.toSorted()).toEqual(keysOfPresetsAndPins.toSorted());
    return storedState.state;
  });

  const text = JSON.stringify(state)
    .replace('Night watch', 'Day watch')
    .replace('compact-xs-3b', 'tools-swift-24b');
  const address = page.url();
  // Settings Sync replaces the stored state while no window uses it, in this test from a page without VS Code.
  await page.goto(new URL('/robots.txt', address).href);
  await page.evaluate(writeStoredState, [extensionId, text] as const);
  await page.goto(address);
  await workbench.waitUntilReady();
  await session().openNewChat();
  await chat.locateButton('Options').click();
  await options.getByText('Advanced', { exact: true }).click();
  await options.getByRole('option', { name: 'Day watch' }).waitFor({ state: 'attached' });
  expect(await options.getByRole('option', { name: 'Night watch' }).count()).toBe(0);
  await options.getByLabel('Name').focus();
  await pressIn(options.getByLabel('Name'), 'Escape');
  await workbench.runCommand('Inference Service: Select Model…');
  const otherRow = workbench.locateOption('Tools Swift 24B');
  await otherRow.hover();
  await otherRow.getByRole('button', { name: 'Unpin', exact: true }).waitFor();
  await workbench.closeOverlays();
});

test('a chat shows numbered citations and sources of a web search, and stores the chosen options', async () => {
  const { chat, page, workbench } = session();
  // Only a wide panel has a separate search button.
  await workbench.resizeSecondarySideBar(480);
  await chat.locateButton('Web search: Off').click();
  await chat.locateButton('Web search: When it helps').click();
  await chat.locateButton('Web search: Always').waitFor();

  await chat.locateButton('Options').click();
  const options = chat.content.getByRole('dialog', { name: 'Options' });
  await waitForFocus(options.getByRole('combobox', { name: 'Web search' }));
  await options.getByText('Advanced', { exact: true }).click();
  await options.getByRole('combobox', { name: 'Preset' }).selectOption('Precise');
  await eventually(async () => {
    expect(await options.getByLabel('Temperature').inputValue()).toBe('0.2');
  });
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshot(session(), 'chat-options', 'dark');
  await options.getByLabel('Temperature').focus();
  await pressIn(options.getByLabel('Temperature'), 'Escape');
  await options.waitFor({ state: 'hidden' });
  await waitForFocus(chat.locateButton('Options, changed'));

  await chat.sendText('What is new today?');
  await chat.waitUntilIdle();
  const answer = chat.lastAnswer;
  const firstLink = answer.getByRole('link', { name: /^Source 1: / }).first();
  await firstLink.waitFor();
  expect(await firstLink.innerText()).toBe('1');
  const sources = answer.locator('details.sources');
  await sources.getByText(/^\d+ sources?/u).click();
  await sources.getByRole('listitem').first().waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'chat-sources');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await answer.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/\[\^1\][\s\S]*^\[\^1\]: \[/mu);

  // VS Code requests confirmation before it opens a site. The test cancels.
  await sources.getByRole('link').first().click();
  const question = page.locator('.monaco-dialog-box');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });

  await session().reloadWindow();
  // VS Code may not have stored the width before the reload.
  await session().workbench.resizeSecondarySideBar(480);
  await session().chat.locateButton('Web search: Always').waitFor();
  await session().chat.locateButton('Options, changed').waitFor();
  await session()
    .chat.lastAnswer.getByRole('link', { name: /^Source 1: / })
    .first()
    .waitFor();
  await session().chat.locateButton('Options, changed').click();
  await session().chat.locateButton('Reset all options').click();
  await session().chat.locateButton('Web search: Off').waitFor();
});

const extensionId = 'inference-service.inference-service';

/**
 * Reads VS Code's database in the browser. Returns the stored state of the extension `id`, and the keys that Settings
 * Sync includes. Runs in the page.
 */
async function readStoredState(
  id: string,
): Promise<{ syncedKeys: string[]; state: Record<string, unknown> }> {
  const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const database = await waitForRequest(indexedDB.open('vscode-web-state-db-global'));
  const itemStore = database.transaction('ItemTable').objectStore('ItemTable');
  const names = (await waitForRequest(itemStore.getAllKeys())).map(String);
  const read = async (name: string | undefined): Promise<unknown> =>
    name === undefined ? undefined : JSON.parse(String(await waitForRequest(itemStore.get(name))));
  const syncedKeys = await read(names.find((name) => name.startsWith(`extensionKeys/${id}@`)));
  const state = await read(names.find((name) => name === id));
  database.close();
  return {
    syncedKeys: (syncedKeys ?? []) as string[],
    state: (state ?? {}) as Record<string, unknown>,
  };
}

/**
 * Replaces the stored state of the extension `id` in VS Code's database in the browser. `text` is the new state as
 * JSON. Runs in the page.
 */
async function writeStoredState([id, text]: readonly [string, string]): Promise<void> {
  const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const database = await waitForRequest(indexedDB.open('vscode-web-state-db-global'));
  const transaction = database.transaction('ItemTable', 'readwrite');
  await waitForRequest(transaction.objectStore('ItemTable').put(text, id));
  database.close();
}
