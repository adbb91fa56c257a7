import type { FrameLocator, Locator, Page } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/eventually.ts';
import { fillField, waitForFocus, pressIn } from './typing.ts';

/** Minimum time limit for the click on a command in the Command Palette, in milliseconds. */
const minClickTimeoutMs = 30_000;

/** The VS Code window under test. */
export class Workbench {
  readonly page: Page;

  readonly #hasFolder: boolean;

  constructor(page: Page, { hasFolder = true } = {}) {
    this.page = page;
    this.#hasFolder = hasFolder;
  }

  /**
   * Resolves when the window accepts commands. The status bar is then visible and, if a folder is open, the Explorer
   * lists its files.
   */
  async waitUntilReady(): Promise<void> {
    await this.page
      .locator('.monaco-workbench .part.statusbar')
      .waitFor({ timeout: timeLimits.start });
    if (!this.#hasFolder) return;
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  }

  /** Returns a file or folder in the Explorer by its name. */
  locateExplorerItem(name: string): Locator {
    return this.page
      .locator('.explorer-folders-view .monaco-list-row')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** Entries of the open menu. */
  get menuItems(): Locator {
    return this.page.locator('.monaco-menu .action-label');
  }

  /**
   * Selects an entry in the menu that a click on the element opens. Clicks the entry until the menu closes, because a
   * menu ignores clicks in its first 100 ms.
   * @param button mouse button that opens the menu
   */
  async chooseFromMenu(
    element: Locator,
    label: string,
    { button = 'right' }: { readonly button?: 'left' | 'right' } = {},
  ): Promise<void> {
    const entry = this.menuItems.getByText(label);
    await eventually(async (timeout) => {
      if (!(await entry.isVisible())) {
        await this.closeOverlays();
        await element.click({ button, timeout });
      }
      // Another part of the window can cover the right part of a menu.
      await entry.click({ position: { x: 5, y: 5 }, timeout });
      await entry.waitFor({ state: 'hidden', timeout });
    });
  }

  /**
   * Resolves when VS Code has stored that the secondary side bar is visible, so that a reload restores it. In a
   * browser, VS Code stores its layout only every five seconds, and not before a reload.
   */
  async waitForStoredSideBar(): Promise<void> {
    await eventually(async () => {
      const storedValues = await this.page.evaluate(readStoredSideBarState);
      if (!storedValues.includes('false'))
        throw new Error('The secondary side bar is not remembered.');
    });
  }

  get secondarySideBar(): Locator {
    return this.page.locator('.part.auxiliarybar');
  }

  /**
   * Runs a command in the Command Palette. Retries, because a change of the focus closes the palette. In addition, an
   * open palette does not list commands of extensions that activate later.
   * @param title title of the command, including its category
   */
  async runCommand(title: string): Promise<void> {
    await this.#runInQuickInput('F1', async (timeout) => {
      await fillField(this.quickInput, `>${title}`, timeout);
      await this.locateOption(title).waitFor({ timeout });
      // Wait long, because a click that timed out may still arrive, and a retry would run the command twice.
      await this.locateOption(title).click({ timeout: Math.max(timeout, minClickTimeoutMs) });
    });
  }

  /** Chooses an entry of the menu in the title bar of the chat view. */
  async chooseFromChatMenu(label: string): Promise<void> {
    const moreButton = this.secondarySideBar.getByRole('button', {
      name: 'Views and More Actions...',
    });
    await this.chooseFromMenu(moreButton, label, { button: 'left' });
  }

  /** Requests the model list again with the Refresh button of the model picker. */
  async refreshModels(): Promise<void> {
    await this.runCommand('Inference Service: Select Model…');
    const refreshButton = this.page
      .locator('.quick-input-widget')
      .getByRole('button', { name: 'Refresh', exact: true });
    await refreshButton.waitFor();
    // A hover of the field would cover the button while the pointer rests over the field.
    await this.page.mouse.move(0, 0);
    await refreshButton.click();
    await this.closeOverlays();
  }

  /**
   * Returns the titles of the extension's commands in the Command Palette, including their category. Scrolls through
   * the list, because it contains only visible rows.
   */
  async readCommandTitles(): Promise<readonly string[]> {
    const titles = new Set<string>();
    await this.#runInQuickInput('F1', async (timeout) => {
      await fillField(this.quickInput, '>Inference Service: ', timeout);
      await this.locateOption('Inference Service: New Chat').waitFor({ timeout });
      const rows = this.page.locator('.quick-input-list .monaco-list-row .label-name');
      for (let previousSize = -1; previousSize < titles.size;) {
        previousSize = titles.size;
        for (const label of await rows.allInnerTexts()) titles.add(label.trim());
        await pressIn(this.quickInput, 'PageDown', timeout);
        for (const label of await rows.allInnerTexts()) titles.add(label.trim());
      }
    });
    await this.closeOverlays();
    return [...titles].filter((title) => title.startsWith('Inference Service: '));
  }

  /** Opens a workspace file by its name or the end of its path. Resolves when the editor has the focus. */
  async openFile(name: string): Promise<void> {
    const label = name.slice(name.lastIndexOf('/') + 1);
    await this.#runInQuickInput('Control+P', async (timeout) => {
      await fillField(this.quickInput, name, timeout);
      await this.locateOption(label).click({ timeout });
      // While VS Code updates the list, a click can close it without opening the file.
      await this.locateActiveTab(label).waitFor({ timeout });
    });
    await this.waitForActiveFile(label);
  }

  locateActiveTab(name: string): Locator {
    return this.page.locator('.tab.active').filter({ hasText: name });
  }

  /** Resolves when the file with this name is in the active editor, and the editor has the focus. */
  async waitForActiveFile(name: string): Promise<void> {
    await this.locateActiveTab(name).waitFor();
    const editor = this.page.locator(
      `.editor-group-container.active .monaco-editor[data-uri$="/${encodeFileName(name)}"]`,
    );
    await editor.locator('.view-line').first().waitFor();
    await waitForFocus(editor);
  }

  /**
   * Opens a terminal. Resolves when its shell integration reports completed commands to VS Code.
   * @returns the decorations that VS Code shows beside completed commands
   */
  async openTerminal(): Promise<Locator> {
    await this.runCommand('Terminal: Create New Terminal');
    await waitForFocus(this.page.locator('.terminal-wrapper.active'));
    const commandDecorations = this.page.locator(
      '.terminal-command-decoration:visible:not(.codicon-terminal-decoration-incomplete)',
    );
    // A new shell loses keystrokes and does not report commands to VS Code yet.
    await eventually(async (timeout) => {
      await this.page.keyboard.type('true\n');
      await commandDecorations.first().waitFor({ timeout });
    });
    return commandDecorations;
  }

  /**
   * Selects whole lines in the active editor. The editor must not be empty.
   * @param firstLine number of the first line, from 1
   * @param lastLine number of the last line, included in the selection
   */
  async selectLines(firstLine: number, lastLine: number): Promise<void> {
    await this.#runInQuickInput('Control+G', async (timeout) => {
      await fillField(this.quickInput, `:${firstLine}`, timeout);
      await this.locateFocusedOption(new RegExp(`line ${firstLine}\\b`, 'u')).waitFor({ timeout });
      await pressIn(this.quickInput, 'Enter', timeout);
    });
    await this.locateStatusBarItem(new RegExp(`Ln ${firstLine}, Col 1(?!\\d)`, 'u')).waitFor();
    await pressIn(this.editor, 'Home');
    for (let line = firstLine; line < lastLine; line++)
      await pressIn(this.editor, 'Shift+ArrowDown');
    await pressIn(this.editor, 'Shift+End');
    await this.locateStatusBarItem(
      new RegExp(`Ln ${lastLine}, Col \\d+ \\(\\d+ selected`, 'u'),
    ).waitFor();
  }

  /**
   * Presses `key` to open a quick input, and calls `action`. If `action` throws, for example because the quick input
   * closed, closes all overlays and retries.
   * @param action receives the time limit for each of its steps in milliseconds, which grows with every attempt
   */
  async #runInQuickInput(key: string, action: (timeout: number) => Promise<void>): Promise<void> {
    let timeout = 0;
    await eventually(async () => {
      timeout += 2_000;
      await this.page.keyboard.press(key);
      await action(timeout).catch(async (error: unknown) => {
        await this.closeOverlays();
        throw error;
      });
    });
  }

  /** Closes menus and dialogs, for example those that a failed test left open. */
  async closeOverlays(): Promise<void> {
    const openWidget = this.page
      .locator('.monaco-dialog-box, .monaco-menu, .notifications-center')
      .or(this.quickInput)
      .filter({ visible: true });
    await eventually(async () => {
      if ((await openWidget.count()) === 0) return;
      await this.page.keyboard.press('Escape');
      throw new Error('Something lies over the window.');
    });
  }

  get editor(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor').first();
  }

  /** Text field of the open Command Palette, quick pick or input box. Excludes a text field that is closing. */
  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible:not([inert]) input.input');
  }

  /** Returns an entry of the open quick pick. The label must match exactly. */
  locateOption(label: string): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  /** Returns the focused entry of the open quick pick if its text contains `text`. Enter chooses this entry. */
  locateFocusedOption(text: string | RegExp): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row.focused')
      .filter({ hasText: text });
  }

  /** Enters `text` into the open input box and accepts it. */
  async answerInputBox(text: string): Promise<void> {
    await fillField(this.quickInput, text);
    await pressIn(this.quickInput, 'Enter');
  }

  /** Returns the notification that contains `text`. */
  locateNotification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  /** Returns a button of a notification or a modal dialog by its label. */
  locateDialogButton(label: string): Locator {
    return this.page.locator('.monaco-dialog-box, .notification-toast').getByRole('button', {
      name: label,
      exact: true,
    });
  }

  /** Returns the status bar entry that contains `text`. */
  locateStatusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text });
  }

  /** Returns the document in the extension's webview, either in a view or in an editor tab. */
  locateWebview(kind: 'view' | 'editor'): FrameLocator {
    const extension = '[src*="extensionId=inference-service.inference-service"]';
    const viewSelector = '[src*="purpose=webviewView"]';
    return this.page
      .frameLocator(
        `iframe.webview${extension}${kind === 'view' ? viewSelector : `:not(${viewSelector})`}`,
      )
      .frameLocator('#active-frame');
  }

  /** Drags the border of the secondary side bar until it is `width` pixels wide. */
  async resizeSecondarySideBar(width: number): Promise<void> {
    await eventually(async () => {
      const { width: reachedWidth } = await this.readSideBarBounds();
      if (Math.abs(reachedWidth - width) <= 2) return;
      await this.#dragSecondarySideBar(width);
      throw new Error(`The side bar was ${reachedWidth} px wide.`);
    });
  }

  async #dragSecondarySideBar(width: number): Promise<void> {
    const sideBarBounds = await this.readSideBarBounds();
    const edge = { x: sideBarBounds.x - 2, y: sideBarBounds.y + sideBarBounds.height / 2 };
    await this.page.mouse.move(edge.x, edge.y);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x + sideBarBounds.width - width, edge.y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Returns the bounds of the secondary side bar, in CSS pixels. */
  async readSideBarBounds(): Promise<{ x: number; y: number; width: number; height: number }> {
    const secondarySideBarBounds = await this.secondarySideBar.boundingBox();
    if (!secondarySideBarBounds) throw new Error('The secondary side bar is hidden.');
    return secondarySideBarBounds;
  }
}

/** Encodes a file name as VS Code does in URIs. */
const encodeFileName = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  );

/**
 * Returns the stored visibility of the secondary side bar: one value per database of VS Code in the browser, that is,
 * per profile and workspace. Runs in the page.
 */
async function readStoredSideBarState(): Promise<unknown[]> {
  const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const values: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name?.startsWith('vscode-web-state-db-')) continue;
    const database = await waitForRequest(indexedDB.open(name));
    const itemStore = database.transaction('ItemTable').objectStore('ItemTable');
    values.push(await waitForRequest(itemStore.get('workbench.auxiliaryBar.hidden')));
    database.close();
  }
  return values;
}
