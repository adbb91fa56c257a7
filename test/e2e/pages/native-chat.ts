import type { Locator, Page } from 'playwright-core';
import { pressIn, typeSlowlyIn } from './typing.ts';

/** VS Code's own chat in the secondary side bar. */
export class NativeChat {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get content(): Locator {
    return this.#page.locator('.part.auxiliarybar .interactive-session');
  }

  /** The button of the model picker, once a model of ours is chosen. */
  get pickedModel(): Locator {
    return this.content.getByText('Assistant Large', { exact: true }).first();
  }

  get menu(): Locator {
    return this.#page.locator('.action-widget');
  }

  get #input(): Locator {
    return this.content.locator('.interactive-input-part .monaco-editor').first();
  }

  /** Chooses a model that was not chosen before, by its name and the heading above it. */
  async pick(model: string, heading: string): Promise<void> {
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

  /** Begins another conversation. */
  async begin(): Promise<void> {
    await this.#page
      .locator('.part.auxiliarybar')
      .getByRole('button', { name: /^New Chat/u })
      .first()
      .click();
  }

  /** What is asked before a tool is used; VS Code also has it where nobody sees it. */
  question(text: string): Locator {
    return this.content.getByText(text).filter({ visible: true }).first();
  }

  /** Answers the question about a tool with yes. */
  async allow(): Promise<void> {
    await this.content
      .getByRole('button', { name: /^Allow/u })
      .first()
      .click();
  }

  /** Types a message in place of what stands there, such as a name that stays, and sends it; the list of names is closed. */
  async send(text: string): Promise<void> {
    await this.#input.click();
    const field = this.#input.locator('.native-edit-context, textarea').first();
    await pressIn(field, 'Control+A');
    await pressIn(field, 'Delete');
    await typeSlowlyIn(field, text, 3);
    await pressIn(field, 'Escape');
    await pressIn(field, 'Enter');
  }

  /** An answer with this text. */
  answer(text: string): Locator {
    return this.content.locator('.interactive-response').filter({ hasText: text });
  }
}
