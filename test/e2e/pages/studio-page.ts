import type { FrameLocator, Locator } from 'playwright-core';

/** Image studio, whose elements are located only by role and accessible name. */
export class StudioPage {
  readonly content: FrameLocator;

  constructor(content: FrameLocator) {
    this.content = content;
  }

  get prompt(): Locator {
    return this.content.getByRole('textbox', { name: 'Prompt', exact: true });
  }

  get instruction(): Locator {
    return this.content.getByRole('textbox', { name: 'Prompt', exact: true });
  }

  locateButton(name: string | RegExp): Locator {
    return this.content.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** Selects the number of images per job. */
  async selectVariants(count: number): Promise<void> {
    const group = this.content.getByRole('radiogroup', { name: 'Images' });
    await group.getByText(String(count), { exact: true }).click();
  }

  /** Returns the most recent job with this title, including its images. */
  locateJob(title: string): Locator {
    return this.content
      .locator('[data-job]')
      .filter({ has: this.content.getByRole('heading', { name: title, exact: true }) })
      .first();
  }

  /** Returns the completed images of the most recent job with this title. */
  locateJobImages(title: string): Locator {
    return this.locateJob(title).locator('[data-image]');
  }

  /** Returns the button of an action on the image in the large view, by the button's name. */
  locateAction(name: string | RegExp): Locator {
    return this.content.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name });
  }

  /** Runs an action in the menu of the image in the large view. */
  async chooseFromMenu(name: string | RegExp): Promise<void> {
    await this.locateAction('More actions').click();
    await this.content.getByRole('menuitem', { name }).click();
  }
}
