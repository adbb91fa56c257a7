import type { Locator, Page } from 'playwright-core';
import { pressIn, typeSlowlyIn } from './typing.ts';

/** VS Code's own chat in the secondary side bar. */
export class NativeChatPage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get content(): Locator {
    return this.#page.locator('.part.auxiliarybar .interactive-session');
  }

  /** The model picker's button, once one of the extension's models is selected. */
  get pickedModel(): Locator {
    return this.content.getByText('Assistant Large', { exact: true }).first();
  }

  get menu(): Locator {
    return this.#page.locator('.action-widget');
  }

  get #input(): Locator {
    return this.content.locator('.interactive-input-part .monaco-editor').first();
  }

  /** Selects another model by its name and the heading above it. */
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

  /** Starts a new conversation. */
  async startConversation(): Promise<void> {
    await this.#page
      .locator('.part.auxiliarybar')
      .getByRole('button', { name: /^New Chat/u })
      .first()
      .click();
  }

  /** Returns the visible confirmation of a tool call; VS Code also renders hidden ones. */
  toolConfirmation(text: string): Locator {
    return this.content.getByText(text).filter({ visible: true }).first();
  }

  /** Confirms the tool call. */
  async confirmTool(): Promise<void> {
    await this.content
      .getByRole('button', { name: /^Allow/u })
      .first()
      .click();
  }

  /** Replaces the text of the composer by a message and sends it, after the list of participants has closed. */
  async send(text: string): Promise<void> {
    await this.#input.click();
    const field = this.#input.locator('.native-edit-context, textarea').first();
    await pressIn(field, 'Control+A');
    await pressIn(field, 'Delete');
    await typeSlowlyIn(field, text, 3);
    await pressIn(field, 'Escape');
    await pressIn(field, 'Enter');
  }

  /** Returns an answer with this text. */
  answer(text: string): Locator {
    return this.content.locator('.interactive-response').filter({ hasText: text });
  }
}
