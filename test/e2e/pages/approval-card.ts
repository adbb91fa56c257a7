import type { FrameLocator, Locator } from 'playwright-core';
import { waitForFocus } from './typing.ts';

/** Cards for pending approvals and questions, above the composer. */
export class ApprovalCard {
  readonly #content: FrameLocator;

  constructor(content: FrameLocator) {
    this.#content = content;
  }

  get approval(): Locator {
    return this.#content.getByRole('alertdialog');
  }

  /** Returns the pending question with this text. */
  question(text: string | RegExp): Locator {
    return this.#content.getByRole('group', { name: text });
  }

  /** Allows the pending approval. Waits for an approval that contains `text`. */
  async allow(
    text: string | RegExp,
    buttonName: 'Allow once' | 'Allow in this conversation' | 'Always allow' = 'Allow once',
  ): Promise<void> {
    const card = this.approval.filter({ hasText: text });
    await card.waitFor();
    const preview = card.locator('.preview');
    if ((await preview.count()) > 0)
      await preview.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await card
      .getByRole('button', { name: buttonName, exact: true })
      .and(this.#content.locator('[aria-disabled="false"]'))
      .click();
    await card.waitFor({ state: 'detached' });
  }

  /** Denies the pending approval. Waits for an approval that contains `text`. */
  async deny(text: string | RegExp, reason = ''): Promise<void> {
    const card = this.approval.filter({ hasText: text });
    if (reason === '') {
      await card.getByRole('button', { name: 'Deny', exact: true }).click();
    } else {
      await card.getByRole('button', { name: 'Deny with a reason' }).click();
      const field = card.getByRole('textbox', { name: 'Reason' });
      await waitForFocus(field);
      await field.fill(reason);
      await field.press('Enter');
    }
    await card.waitFor({ state: 'detached' });
  }
}
