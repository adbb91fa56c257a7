import { describe, expect, test } from 'vitest';
import { startPlainServer } from '../foreign/plain-server.mjs';
import { Control } from '../service/control.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInAllThemes } from './appearance.ts';
import { InjectedWallet } from '../support/injected-wallet/injected-wallet.ts';
import { WalletPage } from './pages/wallet-page.ts';
import { eventually } from '../support/eventually.ts';
import { getAddressField, getKeyField } from './pages/sign-in.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { type Session, useSession } from './session.ts';

const emptySettings = { 'inferenceService.baseUrl': undefined };
const environmentWithoutKey = { INFERENCE_SERVICE_API_KEY: undefined };

const overlaySelector = '.monaco-dialog-box, .notification-toast, .quick-input-widget';
const locateOverlays = ({ page }: Session) =>
  page.locator('.monaco-dialog-box, .notification-toast, .quick-input-widget:visible');

/**
 * Records the text of each dialog, notification and quick input that becomes visible, even for a short time. Returns a
 * function that returns the recorded texts.
 */
async function recordOverlays({ page }: Session): Promise<() => Promise<readonly string[]>> {
  await page.evaluate((selector) => {
    const texts = new Set<string>();
    const recordVisibleTexts = (): void => {
      for (const overlay of document.querySelectorAll<HTMLElement>(selector))
        if (overlay.getClientRects().length > 0) texts.add(overlay.innerText);
    };
    recordVisibleTexts();
    const options = { attributes: true, childList: true, subtree: true };
    new MutationObserver(recordVisibleTexts).observe(document.body, options);
    Object.assign(globalThis, { overlayTexts: texts });
  }, overlaySelector);
  return () =>
    page.evaluate(() => [
      ...(globalThis as unknown as { overlayTexts: ReadonlySet<string> }).overlayTexts,
    ]);
}

describe('the first run', () => {
  const session = useSession({
    name: 'first-run',
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('reaches the first answer with four user actions and without a dialog', async () => {
    const { page, workbench, chat, service } = session();
    await new Control(service.controlUrl).setResponsePace('instant');
    const readOverlays = await recordOverlays(session());
    let actionCount = 0;
    const performAction = async (action: () => Promise<void>): Promise<void> => {
      actionCount++;
      await action();
    };
    await performAction(() => workbench.locateStatusBarItem('signed out').click());
    await getAddressField(session()).waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'chat-connect');
    await eventually(async () => expect(await isFocused(getAddressField(session()))).toBe(true));
    // The user enters only a host, and the extension completes the path.
    await page.keyboard.insertText(new URL(service.baseUrl).host);
    await performAction(() => page.keyboard.press('Enter'));
    await chat.content.getByText('No API key is set for').waitFor();
    await eventually(async () => expect(await isFocused(getKeyField(session()))).toBe(true));
    expect(await getAddressField(session()).inputValue()).toBe(service.baseUrl);
    await page.keyboard.insertText(service.apiKey);
    await performAction(() => page.keyboard.press('Enter'));
    await getAddressField(session()).waitFor({ state: 'hidden' });
    await eventually(async () => expect(await isFocused(chat.composer)).toBe(true));
    await page.keyboard.insertText('Hello');
    await performAction(() => page.keyboard.press('Enter'));
    await chat.lastAnswer.waitFor();
    await chat.waitUntilIdle();
    expect(await chat.lastAnswer.getByRole('group', { name: 'Problem' }).count()).toBe(0);
    expect(await readOverlays()).toEqual([]);
    expect(actionCount).toBeLessThanOrEqual(4);
    await takeScreenshot(session(), 'first-answer', 'dark');
  });

  test('stores the API key in no webview state', async () => {
    const { page, service } = session();
    const storedText = await page.evaluate(readBrowserStorage);
    expect(storedText.length).toBeGreaterThan(100);
    expect(storedText).not.toContain(service.apiKey);
  });
});

describe('the connect form', () => {
  const session = useSession({
    name: 'connect',
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('shows problems beside the field, and sends the key only to an accepted address', async () => {
    const { workbench, chat, service } = session();
    const control = new Control(service.controlUrl);
    await workbench.runCommand('Inference Service: Open Chat');
    await fillField(getAddressField(session()), 'http://api.example.com/v1');
    await fillField(getKeyField(session()), service.apiKey);
    await getKeyField(session()).press('Enter');
    await locateProblem(session(), 'address').getByText('http:// is allowed only for').waitFor();
    await takeScreenshotInAllThemes(session(), 'chat-connect-problem');

    // The user enters the URL of an endpoint. The form suggests the base URL, and sends no key before the user accepts
    // it.
    await control.reset();
    await fillField(getAddressField(session()), `${service.baseUrl}/chat/completions`);
    await getAddressField(session()).press('Enter');
    const fixButton = chat.locateButton(`Use ${service.baseUrl}`);
    await fixButton.waitFor();
    const requests = await control.getRequests();
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ headers }) => 'authorization' in headers)).toEqual([]);

    await fillField(getKeyField(session()), 'SERVICE_INFERENCE_KEY_not-a-known-one-at-all');
    await fixButton.click();
    await locateProblem(session(), 'key').getByText('does not accept the API key').waitFor();
    expect(await getKeyField(session()).getAttribute('aria-invalid')).toBe('true');
    await fillField(getKeyField(session()), service.apiKey);
    await getKeyField(session()).press('Enter');
    await getAddressField(session()).waitFor({ state: 'hidden' });
    await chat.modelPicker.getByText('Assistant Large').waitFor();
    expect(await locateOverlays(session()).count()).toBe(0);
  });
});

describe('a model server on this machine', () => {
  const session = useSession({
    name: 'local-server',
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('is suggested while the connect form is visible, and answers after two more user actions', async () => {
    const server = await startPlainServer({ kind: 'ollama', port: 11_434 });
    try {
      const { page, workbench, chat } = session();
      await workbench.locateStatusBarItem('signed out').click();
      const offerButton = chat.content.getByRole('button', { name: 'Ollama 127.0.0.1:11434' });
      await offerButton.waitFor();
      // Windows of other tests may send requests to the same port.
      for (const { method, path } of server.requests)
        expect(`${method} ${path}`).toBe('GET /api/tags');
      await takeScreenshotInAllThemes(session(), 'chat-connect-local');
      await offerButton.click();
      await eventually(async () => expect(await isFocused(chat.composer)).toBe(true));
      await page.keyboard.insertText('Hello');
      await page.keyboard.press('Enter');
      await chat.lastAnswer.waitFor();
      await chat.waitUntilIdle();
      await chat.lastAnswer
        .getByText(/test server/u)
        .first()
        .waitFor();
      expect(await locateOverlays(session()).count()).toBe(0);
    } finally {
      await server.close();
    }
  });
});

const locateProblem = ({ chat }: Session, field: 'address' | 'key') =>
  chat.content.locator(`#connect-${field}-problem`);

const isFocused = (field: ReturnType<typeof getAddressField>): Promise<boolean> =>
  field.evaluate((element) => element === document.activeElement && document.hasFocus());

/** Returns all data of the window in local storage and in the databases of the browser as JSON. Runs in the page. */
async function readBrowserStorage(): Promise<string> {
  const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const contents: unknown[] = [Object.entries(localStorage)];
  for (const { name } of await indexedDB.databases()) {
    if (name === undefined) continue;
    const database = await waitForRequest(indexedDB.open(name));
    for (const storeName of database.objectStoreNames)
      contents.push(
        await waitForRequest(database.transaction(storeName).objectStore(storeName).getAll()),
      );
    database.close();
  }
  return JSON.stringify(contents);
}

describe('inline suggestions', () => {
  const session = useSession({ name: 'suggestions-offer' });

  test('are offered by a dismissible line in the empty chat', async () => {
    const { page, workbench, chat, service } = session();
    await new Control(service.controlUrl).setResponsePace('instant');
    await session().openNewChat();
    await chat.sendText('Hello');
    await chat.waitUntilIdle();
    expect(await locateOverlays(session()).count()).toBe(0);
    await session().openNewChat();
    await takeScreenshotInAllThemes(session(), 'chat-suggestions-offer');
    await chat.locateButton('Turn On Inline Suggestions').click();
    const dialog = page.locator('.monaco-dialog-box');
    await workbench.locateDialogButton('Turn On').waitFor();
    await workbench.locateDialogButton('Learn More').waitFor();
    await takeScreenshot(session(), 'suggestions-dialog', 'dark');
    const text = await dialog.locator('.dialog-message-container').innerText();
    expect(text.split(/\s+/u).filter((word) => word !== '').length).toBeLessThanOrEqual(40);
    await workbench.closeOverlays();
    await chat.locateButton('Close').click();
    await chat.locateButton('Turn On Inline Suggestions').waitFor({ state: 'hidden' });
    await session().openNewChat();
    expect(await chat.locateButton('Turn On Inline Suggestions').count()).toBe(0);
  });
});

describe('the first key of a wallet with a stake', () => {
  const session = useSession({
    name: 'first-key',
    needsChain: true,
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('requires at most six user actions', async () => {
    const { page, workbench, chat, service } = session();
    const { rpcUrl, chainId, accounts } = service.chain!;
    const staker = { privateKey: accounts[4]!.privateKey, rpcUrl, chainId };
    await InjectedWallet.install(page.context(), staker);
    let actionCount = 0;
    const performAction = async (action: () => Promise<void>): Promise<void> => {
      actionCount++;
      await action();
    };
    await performAction(() => workbench.locateStatusBarItem('signed out').click());
    await fillField(getAddressField(session()), new URL(service.baseUrl).host);
    await performAction(() =>
      chat.content
        .locator('.connect')
        .getByText(/wallet/iu)
        .click(),
    );
    await performAction(() => workbench.locateOption('Recommended').click());
    const tab = await WalletPage.waitForPage(page.context(), () =>
      performAction(() => workbench.locateOption('Browser wallet').click()),
    );
    await performAction(() => tab.connect());
    await performAction(() => tab.pressAction());
    await tab.waitForOutcome('Done');
    expect(actionCount).toBeLessThanOrEqual(6);
    await getAddressField(session()).waitFor({ state: 'hidden' });
  });
});

describe('the side bar at the default width', () => {
  const session = useSession({
    name: 'side-bar',
    settings: { ...emptySettings, 'workbench.secondarySideBar.defaultVisibility': 'visible' },
    env: environmentWithoutKey,
  });

  test('opens when the user clicks the status bar item, and shows the label of the chat at 290 pixels', async () => {
    const { page, workbench } = session();
    await workbench.locateStatusBarItem('signed out').click();
    await getAddressField(session()).waitFor();
    const labels = page.locator('.part.auxiliarybar .composite-bar .action-label');
    const label = labels.filter({ hasText: /^Infer$/u, visible: true });
    await workbench.resizeSecondarySideBar(320);
    await workbench.resizeSecondarySideBar(290);
    expect((await workbench.readSideBarBounds()).width).toBe(290);
    await label.waitFor();
    await takeScreenshotInAllThemes(session(), 'chat-default-width');
    // VS Code shows its own chat in a new window, with more buttons beside the labels.
    await labels.filter({ hasText: /^Chat$/u, visible: true }).click();
    await getAddressField(session()).waitFor({ state: 'hidden' });
    await label.waitFor();
    await takeScreenshot(session(), 'native-chat-default-width', 'dark');
    await label.click();
    await workbench.secondarySideBar.getByRole('button', { name: 'Show Chat History' }).waitFor();
  });
});

describe('the image studio without an API key', () => {
  const session = useSession({
    name: 'studio-key',
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('opens, and leads to the connect form', async () => {
    const { workbench } = session();
    await workbench.runCommand('Inference Service: Open Image Studio');
    const studio = workbench.locateWebview('editor');
    await studio.getByRole('button', { name: 'Set API Key', exact: true }).click();
    await getAddressField(session()).waitFor();
  });
});

describe('the walkthrough', () => {
  const session = useSession({
    name: 'walkthrough',
    settings: emptySettings,
    env: environmentWithoutKey,
  });

  test('opens the chat', async () => {
    const { page, workbench } = session();
    const title = 'Get Started with Inference Service';
    await eventually(async (timeout) => {
      await workbench.closeOverlays();
      await workbench.runCommand('Welcome: Open Walkthrough...');
      await fillField(workbench.quickInput, title, timeout);
      await workbench.locateFocusedOption(title).waitFor({ timeout });
      await pressIn(workbench.quickInput, 'Enter', timeout);
      await page.locator('.getting-started-step').first().waitFor({ timeout });
    });
    await page.locator('.getting-started-step').getByRole('button', { name: 'Connect' }).click();
    await getAddressField(session()).waitFor();
  });
});
