import type { FrameLocator, Locator } from 'playwright-core';

/** The image studio. Locates elements by role and accessible name only. */
export class StudioPage {
  readonly content: FrameLocator;

  constructor(content: FrameLocator) {
    this.content = content;
  }

  get prompt(): Locator {
    return this.content.getByRole('textbox', { name: 'Prompt', exact: true });
  }

  get instruction(): Locator {
    return this.content.getByRole('textbox', { name: 'Instruction', exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.content.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** Selects the number of variants per call. */
  async selectVariants(count: number): Promise<void> {
    const group = this.content.getByRole('radiogroup', { name: 'Pictures' });
    await group.getByText(String(count), { exact: true }).click();
  }

  /** The latest job with this title, with its images. */
  job(title: string): Locator {
    return this.content
      .locator('[data-job]')
      .filter({ has: this.content.getByRole('heading', { name: title, exact: true }) })
      .first();
  }

  /** The finished images of a job. */
  jobImages(title: string): Locator {
    return this.job(title).locator('[data-image]');
  }

  /** An action on the open image. */
  action(name: string | RegExp): Locator {
    return this.content.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name });
  }
}
