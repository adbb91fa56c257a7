import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { ProcessMark } from '../support/process-mark.ts';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';
import { ChatPage } from './pages/chat-page.ts';
import { Workbench } from './pages/workbench.ts';

// `timeout 300 npm start` sends SIGTERM only to npm. The test finds the other processes in /proc.
test.skipIf(process.platform !== 'linux')(
  'npm start serves VS Code with the chat open, and SIGTERM to npm ends all processes',
  async () => {
    const mark = new ProcessMark();
    const npm = spawn('npm', ['start'], {
      cwd: await copyProject(),
      env: { ...mark.environment, INFERENCE_SERVICE_TEST_HOST: 'server' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    onTestFinished(() => mark.killAll());
    const exitPromise = once(npm, 'exit');
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await expect.poll(() => findUrl(output), { timeout: timeLimits.start }).not.toBe('');
    // VS Code redirects to a URL without the token after storing the token in a cookie.
    expect((await fetch(findUrl(output), { redirect: 'manual' })).status).toBe(302);
    const commandLines = mark.listCommandLines();
    expect(commandLines).toContainEqual(expect.stringMatching(/server-main\.js/u));
    expect(commandLines).toContainEqual(expect.stringMatching(/esbuild\.mjs --watch/u));
    await using browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(findUrl(output));
    const { composer } = new ChatPage(new Workbench(page).locateWebview('view'));
    await composer.waitFor({ timeout: timeLimits.start });
    npm.kill('SIGTERM');
    await exitPromise;
    await expect.poll(() => mark.listRunningPids()).toEqual([]);
  },
);

const findUrl = (output: string): string => /http:\S+\?folder=\S+/u.exec(output)?.[0] ?? '';

/**
 * Copies the project to a temporary folder, because `npm start` builds `dist` again. Returns the path of the copy,
 * which is deleted after the test.
 */
async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const excludedNames = new Set(['node_modules', '.git', '.artefacts', 'dist']);
  await cp(root, folder, {
    recursive: true,
    filter: (path) => !excludedNames.has(relative(root, path)),
  });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
