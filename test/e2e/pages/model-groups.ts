import type { Locator } from 'playwright-core';
import { fillField, pressIn } from './typing.ts';
import type { Workbench } from './workbench.ts';

/** VS Code's list of language models, with the form that adds a group of them. */
export class ModelGroups {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** Lies over the whole window. */
  get content(): Locator {
    return this.#workbench.page.locator('.modal-editor-part');
  }

  /** What stands in place of the models of a group. */
  get problem(): Locator {
    return this.content.locator('.models-status-row');
  }

  /** One of the models of a group, by their names; far down it is there only after scrolling. */
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

  /** Chooses ours among those that can be added, which asks one thing after the other. */
  async add(): Promise<void> {
    await this.content.getByRole('button', { name: 'Add Models' }).first().click();
    await this.#menu('Inference Service').click();
  }

  /** Chooses something in the menu of the first group; a group that is alone has none. */
  async choose(action: string): Promise<void> {
    await this.content.locator('.codicon-gear').first().click();
    await this.#menu(action).click();
  }

  /** Answers the question of that title once it is there; the one before it is the same box. */
  async answer(title: string, text: string): Promise<void> {
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
