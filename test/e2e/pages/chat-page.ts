import type { FrameLocator, Locator } from 'playwright-core';
import { fillField, typeSlowlyIn } from './typing.ts';

/** Chat view, whose elements are located only by role and accessible name. */
export class ChatPage {
  readonly content: FrameLocator;

  constructor(content: FrameLocator) {
    this.content = content;
  }

  get composer(): Locator {
    return this.content.getByRole('textbox', { name: 'Message', exact: true });
  }

  /**
   * Element that accepts user input: the text field of the composer, or the connect form while no account is signed in.
   */
  get input(): Locator {
    return this.content.locator(
      '#app:has(.connect) .connect, #app:not(:has(.connect)) .composer textarea',
    );
  }

  get transcript(): Locator {
    return this.content.getByRole('log');
  }

  /** Control that opens the model picker. Its role is `combobox` or `button`. */
  get modelPicker(): Locator {
    return this.locateButton('Model').or(this.content.getByRole('combobox', { name: 'Model' }));
  }

  /** Selects the first model in the picker whose name or id contains `model`. */
  async selectModel(model: string): Promise<void> {
    await this.modelPicker.click();
    const list = this.content.getByRole('listbox', { name: 'Models' });
    await list.getByRole('option').first().waitFor();
    await typeSlowlyIn(this.content.getByRole('combobox', { name: 'Filter by name' }), model);
    await list.getByRole('option').filter({ hasText: model }).first().click();
    await list.waitFor({ state: 'hidden' });
  }

  /** Selects a mode of the chat by the start of its label. */
  async selectMode(mode: string): Promise<void> {
    await this.content.getByRole('button', { name: /^Mode: /u }).click();
    await this.content.getByRole('menuitemradio', { name: new RegExp(`^${mode}`, 'u') }).click();
    await this.locateButton(`Mode: ${mode}`).waitFor();
  }

  locateButton(name: string): Locator {
    return this.content.getByRole('button', { name, exact: true });
  }

  /** Returns all messages of an author, oldest first. */
  locateMessages(author: 'You' | 'Assistant'): Locator {
    return this.transcript.getByRole('article', { name: author });
  }

  get lastAnswer(): Locator {
    return this.locateMessages('Assistant').last();
  }

  /**
   * Types `text` into the composer and sends it. Resolves when the answer has started, so that `lastAnswer` is the new
   * answer.
   */
  async sendText(text: string): Promise<void> {
    const answerCount = await this.locateMessages('Assistant').count();
    await fillField(this.composer, text);
    await this.locateButton('Send').click();
    await this.locateMessages('Assistant').nth(answerCount).waitFor();
  }

  /** Resolves when no answer is in progress. Call this only after an answer has started. */
  async waitUntilIdle(): Promise<void> {
    await this.locateButton('Send').waitFor();
    await this.locateButton('Stop').waitFor({ state: 'hidden' });
  }

  /** Resolves when the page has rendered all messages that the host sent before this call. */
  async waitUntilRendered(): Promise<void> {
    await this.content.locator('#app').evaluate(
      () =>
        new Promise<void>((resolve) => {
          requestAnimationFrame(() => setTimeout(resolve));
        }),
    );
  }
}
