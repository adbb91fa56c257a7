import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { pressIn, typeSlowlyIn, waitForFocus } from './typing.ts';

/** VS Code's built-in chat in the secondary side bar or in an editor. */
export class NativeChatPage {
  readonly #page: Page;
  readonly #part: 'auxiliarybar' | 'editor';

  constructor(page: Page, part: 'auxiliarybar' | 'editor' = 'auxiliarybar') {
    this.#page = page;
    this.#part = part;
  }

  get content(): Locator {
    return this.#page.locator(`.part.${this.#part} .interactive-session`);
  }

  /** Text of the model picker's button while the extension's model Assistant Large is selected. */
  get pickedModel(): Locator {
    return this.content.getByText('Assistant Large', { exact: true }).first();
  }

  get menu(): Locator {
    return this.#page.locator('.action-widget');
  }

  get #input(): Locator {
    return this.content.locator('.interactive-input-part .monaco-editor').first();
  }

  /** Selects a model in the list Other Models, by its name and the heading of its section. */
  async selectModel(model: string, heading: string): Promise<void> {
    await this.content.locator('.model-picker-name').click();
    await this.menu.getByRole('option', { name: 'Other Models' }).click();
    await this.menu
      .locator('.separator')
      .filter({ has: this.#page.getByText(heading, { exact: true }) })
      .locator(`xpath=following-sibling::*[@aria-label="${model}"]`)
      .first()
      .click();
    await this.content.locator('.model-picker-name').getByText(model, { exact: true }).waitFor();
  }

  /**
   * Returns the confirmation of a tool call that contains `text` and is visible. VS Code also renders hidden
   * confirmations.
   */
  locateToolConfirmation(text: string): Locator {
    return this.content.getByText(text).filter({ visible: true }).first();
  }

  async confirmTool(): Promise<void> {
    await this.content
      .getByRole('button', { name: /^Allow/u })
      .first()
      .click();
  }

  /**
   * Replaces the text of the composer with `text` and sends it. First closes the list of participants, because Enter
   * would otherwise select one of them.
   */
  async sendText(text: string): Promise<void> {
    const field = this.#input.locator('.native-edit-context, textarea').first();
    // VS Code can move the focus to another part after it opened a new chat.
    await eventually(async () => {
      await this.#input.click();
      await waitForFocus(field, 2_000);
    });
    await pressIn(field, 'Control+A');
    await pressIn(field, 'Delete');
    await typeSlowlyIn(field, text, 3);
    await pressIn(field, 'Escape');
    await pressIn(field, 'Enter');
  }

  /** Returns the answer that contains `text`. */
  locateAnswer(text: string): Locator {
    return this.content.locator('.interactive-response').filter({ hasText: text });
  }
}
