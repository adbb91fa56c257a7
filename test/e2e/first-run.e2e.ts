import { test } from 'vitest';
import { Control } from '../service/control.ts';
import { useSession } from './session.ts';

const session = useSession({
  name: 'first-run',
  settings: { 'inferenceService.baseUrl': undefined },
  env: { INFERENCE_SERVICE_API_KEY: undefined },
});

test('walks', async () => {
  const { page, workbench, chat, service } = session();
  let n = 0;
  const shot = async (name: string) =>
    page.screenshot({ path: `/tmp/h22b/base-${n++}-${name}.png` });
  await new Promise((r) => setTimeout(r, 3000));
  await shot('start');
  console.log('AUX', await workbench.secondarySideBar.boundingBox());
  console.log(
    'TABS',
    await page
      .locator('.part.auxiliarybar .composite-bar .action-item')
      .evaluateAll((es) =>
        es.map((e) => [
          e.textContent,
          (e.querySelector('.action-label') as HTMLElement)?.getAttribute('aria-label'),
          e.getBoundingClientRect().width,
        ]),
      ),
  );
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.button('Use an API key').waitFor();
  await shot('chat');
  await chat.button('Use an API key').click();
  await workbench.answerInputBox(service.baseUrl);
  await page.waitForTimeout(500);
  await page.keyboard.type(service.apiKey);
  await shot('key');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(3000);
  await shot('after-key');
  await page.keyboard.press('Escape');
  await new Control(service.controlUrl).setPace('instant');
  await chat.send('Hello');
  await chat.waitUntilIdle();
  await page.waitForTimeout(2000);
  await shot('answer');
});
