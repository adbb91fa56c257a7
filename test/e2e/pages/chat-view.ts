import type { FrameLocator, Locator } from 'playwright-core';

/** The chat as assistive technology sees it: only roles and accessible names. */
export class ChatView {
  readonly content: FrameLocator;

  constructor(content: FrameLocator) {
    this.content = content;
  }

  get message(): Locator {
    return this.content.getByRole('textbox', { name: 'Message', exact: true });
  }

  get transcript(): Locator {
    return this.content.getByRole('log');
  }

  /** The control that opens the choice of models; a combobox or a button. */
  get model(): Locator {
    return this.button('Model').or(this.content.getByRole('combobox', { name: 'Model' }));
  }

  button(name: string): Locator {
    return this.content.getByRole('button', { name, exact: true });
  }

  /** All messages of one author, in order. */
  messages(author: 'You' | 'Assistant'): Locator {
    return this.transcript.getByRole('article', { name: author });
  }

  get lastAnswer(): Locator {
    return this.messages('Assistant').last();
  }

  /** Types `text` and sends it. */
  async send(text: string): Promise<void> {
    await this.message.fill(text);
    await this.button('Send').click();
  }

  /** Resolves when nothing is being answered any more. */
  async settled(): Promise<void> {
    await this.button('Send').waitFor();
    await this.button('Stop').waitFor({ state: 'hidden' });
  }
}
