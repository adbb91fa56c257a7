import type { FrameLocator, Locator } from 'playwright-core';

/** The image studio as assistive technology sees it: only roles and accessible names. */
export class StudioView {
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

  /** Chooses how many pictures one call makes. */
  async variants(count: number): Promise<void> {
    const group = this.content.getByRole('radiogroup', { name: 'Pictures' });
    await group.getByText(String(count), { exact: true }).click();
  }

  /** What was asked for last under this title, with its pictures. */
  job(title: string): Locator {
    return this.content
      .locator('[data-job]')
      .filter({ has: this.content.getByRole('heading', { name: title, exact: true }) })
      .first();
  }

  /** The pictures of a job that are there. */
  pictures(title: string): Locator {
    return this.job(title).locator('[data-image]');
  }

  /** Something to do with the large picture. */
  action(name: string | RegExp): Locator {
    return this.content.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name });
  }
}
