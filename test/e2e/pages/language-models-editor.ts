import type { Locator } from 'playwright-core';
import { fillField, pressIn } from './typing.ts';
import type { Workbench } from './workbench.ts';

/** VS Code's Language Models editor, with the form that adds a model group. */
export class LanguageModelsEditor {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** The editor, which covers the whole window. */
  get content(): Locator {
    return this.#workbench.page.locator('.modal-editor-part');
  }

  /** The error in place of a group's models. */
  get errorMessage(): Locator {
    return this.content.locator('.models-status-row');
  }

  /** Returns a model of a group by both names; far down, it exists only after scrolling. */
  model(name: string, group: string): Locator {
    return this.content.getByLabel(`${name} from ${group}`);
  }

  async open(): Promise<void> {
    await this.#workbench.runCommand('Chat: Manage Language Models');
    await this.content.getByRole('button', { name: 'Add Models' }).first().waitFor();
  }

  async close(): Promise<void> {
    await this.content
      .getByRole('button', { name: /^Close/u })
      .first()
      .click();
    await this.content.waitFor({ state: 'hidden' });
  }

  /** Adds a group of this extension's provider, which prompts for one value after another. */
  async addGroup(): Promise<void> {
    await this.content.getByRole('button', { name: 'Add Models' }).first().click();
    await this.#menu('Inference Service').click();
  }

  /** Chooses an action in the menu of the first group; a single group has no menu. */
  async chooseAction(action: string): Promise<void> {
    await this.content.locator('.codicon-gear').first().click();
    await this.#menu(action).click();
  }

  /** Answers the prompt with that title once it is open; all prompts share one input box. */
  async answerPrompt(title: string, text: string): Promise<void> {
    const { page, quickInput } = this.#workbench;
    const box = page.locator('.quick-input-widget').filter({
      has: page.locator('.quick-input-title').getByText(title, { exact: true }),
    });
    await box.waitFor();
    await fillField(quickInput, text);
    await pressIn(quickInput, 'Enter');
  }

  #menu(label: string): Locator {
    return this.#workbench.page
      .locator('.monaco-menu .action-label, .context-view .action-item')
      .getByText(label, { exact: true })
      .first();
  }
}
