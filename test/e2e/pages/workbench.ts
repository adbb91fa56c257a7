import type { FrameLocator, Locator, Page } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/eventually.ts';
import { fillField, hasFocus, pressIn } from './typing.ts';

/** The time that a click may take before it counts as lost, in milliseconds. */
const clickMs = 30_000;

/** VS Code's window as a person uses it. */
export class Workbench {
  readonly page: Page;

  readonly #hasFolder: boolean;

  constructor(page: Page, { hasFolder = true } = {}) {
    this.page = page;
    this.#hasFolder = hasFolder;
  }

  /** Resolves when the window takes commands. */
  async ready(): Promise<void> {
    await this.page
      .locator('.monaco-workbench .part.statusbar')
      .waitFor({ timeout: timeLimits.start });
    if (!this.#hasFolder) return;
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  }

  /** A file or folder of the explorer, by its name. */
  explorerItem(name: string): Locator {
    return this.page
      .locator('.explorer-folders-view .monaco-list-row')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** The entries of the menu that is open. */
  get menuItems(): Locator {
    return this.page.locator('.monaco-menu .action-label');
  }

  /**
   * Resolves when a reload would show the secondary side bar again: VS Code writes its layout into the browser
   * every five seconds, and not when the page goes.
   */
  async remembersSecondarySideBar(): Promise<void> {
    await eventually(async () => {
      const hidden = await this.page.evaluate(secondarySideBarHidden);
      if (!hidden.includes('false')) throw new Error('The secondary side bar is not remembered.');
    });
  }

  /**
   * Runs a command through the palette. `title` as shown there, with its category. An open palette does not
   * learn about extensions that come in later, and closes when something else takes the focus: it is opened
   * anew until the command was chosen in it.
   */
  async runCommand(title: string): Promise<void> {
    await this.#withQuickInput('F1', async (timeout) => {
      await fillField(this.quickInput, `>${title}`, timeout);
      await this.option(title).waitFor({ timeout });
      // A click that is given up may still arrive, and would run the command twice.
      await this.option(title).click({ timeout: Math.max(timeout, clickMs) });
    });
  }

  /** Opens a file of the workspace by its name or the end of its path and waits until its text can be edited. */
  async openFile(name: string): Promise<void> {
    const label = name.slice(name.lastIndexOf('/') + 1);
    await this.#withQuickInput('Control+P', async (timeout) => {
      await fillField(this.quickInput, name, timeout);
      await this.option(label).click({ timeout });
    });
    await this.edits(label);
  }

  /** Resolves when the active editor shows the file of that name and has the focus. */
  async edits(name: string): Promise<void> {
    await this.page.locator('.tab.active').filter({ hasText: name }).waitFor();
    const file = this.page.locator(
      `.editor-group-container.active .monaco-editor[data-uri$="/${encoded(name)}"]`,
    );
    await file.locator('.view-line').first().waitFor();
    await hasFocus(file);
  }

  /** Selects whole lines of the active editor, counted from 1, both ends included; not an empty one. */
  async selectLines(first: number, last: number): Promise<void> {
    await this.#withQuickInput('Control+G', async (timeout) => {
      await fillField(this.quickInput, `:${first}`, timeout);
      await this.focusedOption(new RegExp(`line ${first}\\b`, 'u')).waitFor({ timeout });
      await pressIn(this.quickInput, 'Enter', timeout);
    });
    await this.statusBarItem(new RegExp(`Ln ${first}, Col 1(?!\\d)`, 'u')).waitFor();
    await pressIn(this.editor, 'Home');
    for (let line = first; line < last; line++) await pressIn(this.editor, 'Shift+ArrowDown');
    await pressIn(this.editor, 'Shift+End');
    await this.statusBarItem(new RegExp(`Ln ${last}, Col \\d+ \\(\\d+ selected`, 'u')).waitFor();
  }

  /**
   * Opens a quick input with `key` and works in it, and again until nothing took it away meanwhile.
   * @param work gets the time that each of its steps may take, in milliseconds: more with every try.
   */
  async #withQuickInput(key: string, work: (timeout: number) => Promise<void>): Promise<void> {
    let timeout = 0;
    await eventually(async () => {
      timeout += 2_000;
      await this.page.keyboard.press(key);
      await work(timeout).catch(async (error: unknown) => {
        await this.closeOverlays();
        throw error;
      });
    });
  }

  /** Closes what lies over the window: a test that failed may have left it open. */
  async closeOverlays(): Promise<void> {
    const open = this.page
      .locator('.monaco-dialog-box, .monaco-menu, .notifications-center')
      .or(this.quickInput)
      .filter({ visible: true });
    await eventually(async () => {
      if ((await open.count()) === 0) return;
      await this.page.keyboard.press('Escape');
      throw new Error('Something lies over the window.');
    });
  }

  /** The active text editor. */
  get editor(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor').first();
  }

  /** The text field of the palette, a quick pick or an input box; not of one that is on its way out. */
  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible:not([inert]) input.input');
  }

  /** An entry of the open quick pick, by its exact label. */
  option(label: string): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  /** The entry of the open quick pick that Enter chooses, by a part of its text. */
  focusedOption(text: string | RegExp): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row.focused')
      .filter({ hasText: text });
  }

  /** Fills the open input box and confirms. */
  async answer(text: string): Promise<void> {
    await fillField(this.quickInput, text);
    await pressIn(this.quickInput, 'Enter');
  }

  /** A notification that contains `text`. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  /** A button of a notification or a modal dialog, by its label. */
  dialogButton(label: string): Locator {
    return this.page.locator('.monaco-dialog-box, .notification-toast').getByRole('button', {
      name: label,
      exact: true,
    });
  }

  /** An entry of the status bar that contains `text`. */
  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text });
  }

  /** The content of the extension's webview: of its view, or of the editor tab with the same chat. */
  webview(place: 'view' | 'editor'): FrameLocator {
    const extension = '[src*="extensionId=inference-service.inference-service"]';
    const ofView = '[src*="purpose=webviewView"]';
    return this.page
      .frameLocator(`iframe.webview${extension}${place === 'view' ? ofView : `:not(${ofView})`}`)
      .frameLocator('#active-frame');
  }

  /** Drags the edge of the secondary side bar until it is `width` pixels wide. */
  async resizeSecondarySideBar(width: number): Promise<void> {
    await eventually(async () => {
      const { width: reached } = await this.secondarySideBar();
      if (Math.abs(reached - width) <= 2) return;
      await this.#dragSecondarySideBar(width);
      throw new Error(`The side bar was ${reached} px wide.`);
    });
  }

  async #dragSecondarySideBar(width: number): Promise<void> {
    const bar = await this.secondarySideBar();
    const edge = { x: bar.x - 2, y: bar.y + bar.height / 2 };
    await this.page.mouse.move(edge.x, edge.y);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x + bar.width - width, edge.y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Where the secondary side bar is, in pixels of the page. */
  async secondarySideBar(): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await this.page.locator('.part.auxiliarybar').boundingBox();
    if (!box) throw new Error('The secondary side bar is hidden.');
    return box;
  }
}

/** A file name as VS Code writes it into an address. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /[!'()*]/gu,
    (each) => `%${each.codePointAt(0)?.toString(16).toUpperCase()}`,
  );

/** Runs in the page: what its VS Code has kept under that name, per database (profile, workspace, …). */
async function secondarySideBarHidden(): Promise<unknown[]> {
  const resolved = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const values: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name?.startsWith('vscode-web-state-db-')) continue;
    const database = await resolved(indexedDB.open(name));
    const items = database.transaction('ItemTable').objectStore('ItemTable');
    values.push(await resolved(items.get('workbench.auxiliaryBar.hidden')));
    database.close();
  }
  return values;
}
