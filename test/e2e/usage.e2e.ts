import { expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInThemes } from './appearance.ts';
import { fillField } from './pages/typing.ts';
import { useSession } from './session.ts';

const session = useSession({ name: 'usage' });

test('the chat shows the cost of a message before and after the answer, and the usage page shows spending by model and conversation', async () => {
  const { workbench, chat, service } = session();
  const control = new Control(service.controlUrl);
  await session().openNewChat();
  await control.reset();
  await control.addScripts({ steps: [{ content: 'Twice a day.' }] });
  await fillField(chat.composer, 'How often do the tides turn?');
  const estimate = chat.content.locator('button[title*=" tokens · about $"]');
  const estimateText = await estimate.getAttribute('title');
  const estimatedCost = Number(/about \$(0\.0+\d+)/u.exec(estimateText ?? '')?.[1]);
  await chat.sendText('How often do the tides turn?');
  await chat.lastAnswer.getByText('Twice a day.').waitFor();
  await chat.waitUntilIdle();
  const costPattern = /\d\stokens\s·\s\$0\.0\d+/u;
  const costText = await chat.lastAnswer.getByRole('button', { name: costPattern }).textContent();
  const actualCost = Number(/\$(0\.\d+)/u.exec(costText ?? '')?.[1]);
  expect(estimatedCost).toBeGreaterThan(actualCost / 3);
  expect(estimatedCost).toBeLessThan(actualCost * 3);
  await workbench.runCommand('Inference Service: Show Usage and Cost');
  const page = workbench.locateWebview('editor');
  await page.getByRole('heading', { name: 'Usage and cost', exact: true }).waitFor();
  await page.getByText(/^1 request/u).waitFor();
  await page.getByRole('img', { name: /^Cost by day, \$0\.\d+ in all$/u }).waitFor();
  const modelRows = page.getByRole('region', { name: 'Model', exact: true }).getByRole('row');
  expect(await modelRows.count()).toBe(2);
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await takeScreenshotInThemes(session(), 'usage', page);
  await workbench.resizeSecondarySideBar(1_000);
  await takeScreenshot(session(), 'usage', 'narrow');

  await page.getByRole('button', { name: 'Conversation', exact: true }).click();
  await page.getByRole('button', { name: 'How often do the tides turn?', exact: true }).click();
  await chat.lastAnswer.getByText('Twice a day.').waitFor();
});
