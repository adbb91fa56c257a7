import type { FrameLocator, Locator } from 'playwright-core';
import { waitForFocus } from './typing.ts';

/** Cards for pending approvals and questions above the composer. */
export class ApprovalCard {
  readonly #content: FrameLocator;

  constructor(content: FrameLocator) {
    this.#content = content;
  }

  get approval(): Locator {
    return this.#content.getByRole('region', { name: 'Approval', exact: true });
  }

  /** Returns the card of the pending question with this text. */
  locateQuestion(text: string | RegExp): Locator {
    return this.#content.getByRole('group', { name: text });
  }

  /** Waits for a pending approval whose card contains `text`, and allows it. Resolves when the card has disappeared. */
  async allowRequest(
    text: string | RegExp,
    choice: 'Allow' | 'Allow in this chat' | 'Always allow' = 'Allow',
  ): Promise<void> {
    const card = this.approval.filter({ hasText: text });
    await card.waitFor();
    await card.locator('.allow[aria-disabled="false"]').waitFor();
    if (choice === 'Allow') {
      await card.getByRole('button', { name: choice, exact: true }).click();
    } else {
      await card.getByRole('button', { name: 'More actions' }).click();
      await card.getByRole('menuitem', { name: choice, exact: true }).click();
    }
    await card.waitFor({ state: 'detached' });
  }

  /** Opens the details of the pending approval, which must be closed. */
  async openDetails(): Promise<void> {
    await this.approval.getByRole('button', { name: 'Details', expanded: false }).click();
  }

  /**
   * Waits for a pending approval whose card contains `text`, and denies it. If `reason` is not empty, sends it to the
   * model as the instruction to follow instead. Resolves when the card has disappeared.
   */
  async denyRequest(text: string | RegExp, reason = ''): Promise<void> {
    const card = this.approval.filter({ hasText: text });
    if (reason === '') {
      await card.getByRole('button', { name: 'Skip', exact: true }).click();
    } else {
      const field = card.getByRole('textbox', { name: 'What to do instead' });
      if (!(await field.isVisible())) await this.openDetails();
      await field.click();
      await waitForFocus(field);
      await field.fill(reason);
      await field.press('Enter');
    }
    await card.waitFor({ state: 'detached' });
  }
}
