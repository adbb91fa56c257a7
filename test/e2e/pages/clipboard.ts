import type { Page } from 'playwright-core';

/** Puts a blue PNG image of 96 × 64 pixels on the clipboard. */
export async function copyImage(page: Page): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(96, 64);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('No canvas.');
    context.fillStyle = 'rgb(30, 80, 220)';
    context.fillRect(0, 0, 96, 64);
    const png = await canvas.convertToBlob({ type: 'image/png' });
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
  });
}
