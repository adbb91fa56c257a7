import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { fillField, pressIn } from './typing.ts';
import type { Workbench } from './workbench.ts';

/** VS Code's Language Models editor, and the prompts in which the user adds a model group. */
export class LanguageModelsEditor {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** The editor element, which covers the window. */
  get content(): Locator {
    return this.#workbench.page.locator('.modal-editor-part');
  }

  /** Error message that the editor shows in place of the models of a group. */
  get errorMessage(): Locator {
    return this.content.locator('.models-status-row');
  }

  /**
   * Returns the row of a model by its name and the name of its group. VS Code renders only rows near the visible part
   * of the list.
   */
  locateModel(name: string, group: string): Locator {
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

  /**
   * Starts to add a group of this extension's provider. VS Code then prompts for each value, first for the name of the
   * group; see {@link answerPrompt}. Retries, because the menu closes without a prompt if VS Code redraws the editor
   * during the click.
   */
  async addGroup(): Promise<void> {
    await eventually(async (timeout) => {
      const menu = this.#locateMenu('Inference Service');
      // A menu that remains open after a failed attempt covers the button.
      if (!(await menu.isVisible()))
        await this.content.getByRole('button', { name: 'Add Models' }).first().click({ timeout });
      await menu.click({ timeout });
      await this.#locatePrompt('Group Name').waitFor({ timeout });
    });
  }

  /**
   * Selects an action in the menu of the first group. There must be several groups, because a single group has no menu.
   */
  async chooseAction(action: string): Promise<void> {
    await this.content.locator('.codicon-gear').first().click();
    await this.#locateMenu(action).click();
  }

  /** Waits for the prompt with this title and enters `text`. All prompts share one input box. */
  async answerPrompt(title: string, text: string): Promise<void> {
    const { quickInput } = this.#workbench;
    await this.#locatePrompt(title).waitFor();
    await fillField(quickInput, text);
    await pressIn(quickInput, 'Enter');
  }

  #locatePrompt(title: string): Locator {
    const { page } = this.#workbench;
    return page.locator('.quick-input-widget').filter({
      has: page.locator('.quick-input-title').getByText(title, { exact: true }),
    });
  }

  #locateMenu(label: string): Locator {
    return this.#workbench.page
      .locator('.monaco-menu .action-label, .context-view .action-item')
      .getByText(label, { exact: true })
      .first();
  }
}
