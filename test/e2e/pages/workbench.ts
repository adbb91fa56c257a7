import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** VS Code's window as a person uses it. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Resolves when the window takes commands. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  }

  /**
   * Resolves when a reload would show the secondary side bar again: VS Code writes its layout into the browser
   * every five seconds, and not when the page goes.
   */
  async remembersSecondarySideBar(): Promise<void> {
    await expect
      .poll(() => this.page.evaluate(secondarySideBarHidden), { timeout: 20_000 })
      .toContain('false');
  }

  /**
   * Runs a command through the palette. `title` as shown there, with its category. An open palette does not
   * learn about extensions that come in later, and closes when something else takes the focus: it is opened
   * anew until the command was chosen in it.
   */
  async runCommand(title: string): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      await this.page.keyboard.press('F1');
      if (await this.#choose(title)) return;
      await this.page.keyboard.press('Escape');
    }
    throw new Error(`The palette has no "${title}".`);
  }

  async #choose(title: string): Promise<boolean> {
    try {
      await this.quickInput.fill(`>${title}`, { timeout: 1_500 });
      await this.option(title).click({ timeout: 1_500 });
      return true;
    } catch {
      return false;
    }
  }

  /** Opens a file of the workspace by its name or the end of its path and waits for its text. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.quickInput.fill(name);
    const label = name.slice(name.lastIndexOf('/') + 1);
    await this.option(label).click();
    await this.page.locator('.tab.active').filter({ hasText: label }).waitFor();
    await this.editor.locator('.view-line').first().waitFor();
  }

  /** Selects whole lines of the active editor, counted from 1, both ends included. */
  async selectLines(first: number, last: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    await this.quickInput.fill(`:${first}`);
    await this.page.keyboard.press('Enter');
    await this.page.keyboard.press('Home');
    for (let line = first; line < last; line++) await this.page.keyboard.press('Shift+ArrowDown');
    await this.page.keyboard.press('Shift+End');
  }

  /** The active text editor. */
  get editor(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor').first();
  }

  /** The text field of the palette, a quick pick or an input box. */
  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible input.input');
  }

  /** An entry of the open quick pick, by its exact label. */
  option(label: string): Locator {
    return this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  /** Fills the open input box or quick pick and confirms. */
  async answer(text: string): Promise<void> {
    await this.quickInput.fill(text);
    await this.page.keyboard.press('Enter');
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
    const bar = await this.secondarySideBar();
    const edge = { x: bar.x - 2, y: bar.y + bar.height / 2 };
    await this.page.mouse.move(edge.x, edge.y);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x + bar.width - width, edge.y, { steps: 5 });
    await this.page.mouse.up();
    const { width: reached } = await this.secondarySideBar();
    if (Math.abs(reached - width) > 2) throw new Error(`The side bar is ${reached} px wide.`);
  }

  /** Where the secondary side bar is, in pixels of the page. */
  async secondarySideBar(): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await this.page.locator('.part.auxiliarybar').boundingBox();
    if (!box) throw new Error('The secondary side bar is hidden.');
    return box;
  }
}

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
