import { Control } from '../service/control.ts';
import { openSession, type Session } from '../e2e/session.ts';
import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithBaseline, computeMedian, computePercentile } from './rounds.ts';

/**
 * Measures in VS Code the time from the moment when the server sends the first byte of an answer until the text is
 * painted. Compares the time with limits, and with the time until a plain `fetch` receives the byte. All processes run
 * on one machine, so their clocks agree.
 */
export async function runFirstPaintBenchmarks({
  roundCount,
  warmUpCount,
}: BenchOptions): Promise<BenchResult[]> {
  await using session = await openSession({ name: 'first-paint' });
  const control = new Control(session.service.controlUrl);
  await control.setResponsePace('instant');
  await control.setLimits({ rpm: 1e6, tpm: 1e9 });
  await session.workbench.runCommand('Inference Service: Open Chat');
  const paintTimes: number[] = [];
  const fetchTimes: number[] = [];
  for (let round = 0; round < warmUpCount + roundCount; round += 1) {
    const paintTime = await measureTimeToPaint(session, control, round);
    const fetchTime = await measureTimeToFetch(session, control, round);
    if (round >= warmUpCount) {
      paintTimes.push(paintTime);
      fetchTimes.push(fetchTime);
    }
  }
  const addedTimes = paintTimes.map((paintTime, index) => paintTime - (fetchTimes[index] ?? 0));
  return [
    compareWithBaseline('first byte to painted text, median, against 50 ms', 'ms', 1, [
      computeMedian(paintTimes),
      50,
    ]),
    compareWithBaseline('first byte to painted text, p95, against 100 ms', 'ms', 1, [
      computePercentile(paintTimes, 0.95),
      100,
    ]),
    compareWithBaseline('first byte to painted text, added to fetch, against 50 ms', 'ms', 1, [
      computeMedian(addedTimes),
      50,
    ]),
  ];
}

async function measureTimeToPaint(
  { chat }: Session,
  control: Control,
  round: number,
): Promise<number> {
  const [holdName, expectedText] = [`paint-${round}`, `Painted${round}`];
  await control.addScripts({ steps: [{ hold: holdName }, { content: expectedText }] });
  await chat.sendText(`Round ${round}`);
  await control.waitForRequest((request) =>
    JSON.stringify(request.body ?? null).includes(`Round ${round}`),
  );
  // The page must observe the text before the server sends it.
  const observation = await chat.content.locator('#app').evaluateHandle(observePaint, expectedText);
  const releasedAt = Date.now();
  await control.releasePause(holdName);
  const paintedAt = await observation.evaluate(({ paintedAt }) => paintedAt);
  await chat.waitUntilIdle();
  return paintedAt - releasedAt;
}

/**
 * Starts to observe the page. The promise resolves with the time at which a frame that contains `expectedText` was
 * painted, in milliseconds since 1970. Runs in the page.
 */
function observePaint(app: Element, expectedText: string): { paintedAt: Promise<number> } {
  const { promise, resolve } = Promise.withResolvers<number>();
  const checkText = (): void => {
    if (!app.textContent.includes(expectedText)) return;
    observer.disconnect();
    // The page changes at the beginning of a frame. When the next frame begins, the change has been painted.
    requestAnimationFrame(() => resolve(Date.now()));
  };
  const observer = new MutationObserver(checkText);
  observer.observe(app, { subtree: true, childList: true, characterData: true });
  checkText();
  return { paintedAt: promise };
}

async function measureTimeToFetch(
  { service }: Session,
  control: Control,
  round: number,
): Promise<number> {
  const [holdName, expectedText] = [`fetch-${round}`, `Fetched${round}`];
  await control.addScripts({ steps: [{ hold: holdName }, { content: expectedText }] });
  const reply = await fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.apiKey}` },
    body: JSON.stringify({
      model: 'default',
      stream: true,
      messages: [{ role: 'user', content: holdName }],
    }),
  });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  const releasedAt = Date.now();
  await control.releasePause(holdName);
  for (let text = ''; ;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    text += value;
    if (text.includes(expectedText)) break;
    if (done) throw new Error('The answer did not arrive.');
  }
  const receivedAt = Date.now();
  await reader?.cancel();
  return receivedAt - releasedAt;
}
