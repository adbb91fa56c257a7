import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { makeRepository } from '../support/repository.ts';
import { takeScreenshot } from './appearance.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';
import { textModels } from '../service/catalog/text-models.ts';

const htmlLines = ['<main>', '  <h1>Tides</h1>', '  <p>The flood comes at noon.</p>', '</main>'];
const pythonLines = [
  'def flood(height):',
  '    """Return the height of the flood.',
  '',
  '    The height is in meters.',
  '    """',
  '    return height',
];

const moonLines = ['export const full = 29;', 'export const half = 15;', 'export const dark = 0;'];

const session = useSession({
  name: 'edit-answers',
  files: {
    'tides.html': `${htmlLines.join('\n')}\n`,
    'tides.py': `${pythonLines.join('\n')}\n`,
    'src/moon.ts': `${moonLines.join('\n')}\n`,
    'src/dawn.ts': 'export const rise = 6;\n',
  },
});

beforeAll(() => makeRepository(session().folder, 'tides: begin'));

beforeEach(() => getControl(session()).reset());

/**
 * Starts an edit of the given lines, to which the model replies with `answer`. Accepts the edit and saves the file.
 * @param lineRange numbers of the first and last line, from 1
 */
async function editLines(
  file: string,
  lineRange: readonly [number, number],
  answer: string,
): Promise<void> {
  const { workbench } = session();
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  await workbench.openFile(file);
  const acceptLens = workbench.editor
    .locator('.codelens-decoration a')
    .filter({ hasText: 'Accept' });
  await eventually(async (timeout) => {
    await workbench.closeOverlays();
    await workbench.selectLines(...lineRange);
    await pressIn(workbench.editor, 'Alt+Shift+E', timeout);
    await workbench.quickInput.waitFor({ timeout });
  });
  await fillField(workbench.quickInput, `Say that it comes at dawn in ${file}`);
  await pressIn(workbench.quickInput, 'Enter');
  await acceptLens.waitFor();
  await pressIn(workbench.editor, 'Control+Enter');
  await acceptLens.waitFor({ state: 'detached' });
  await pressIn(workbench.editor, 'Control+S');
}

const expectFileLines = (file: string, lines: readonly string[]): Promise<void> =>
  eventually(async () => {
    const text = await readFile(join(session().folder, file), 'utf8');
    expect(text).toBe(`${lines.join('\n')}\n`);
  });

test("an inline edit of HTML omits the preamble and the code fence of the model's answer", async () => {
  const line = '  <p>The flood comes at dawn.</p>';
  const answer = `Here's the updated code:\n\n\`\`\`html\n${line}\n\`\`\`\n\nI changed the time of the flood.`;
  await editLines('tides.html', [3, 3], answer);
  await expectFileLines('tides.html', htmlLines.with(2, line));
});

test("an inline edit of a Python docstring keeps the first sentence of the model's answer, which is part of the docstring", async () => {
  const lines = ['    The height is in meters at dawn.', '    """', '    return height * 2'];
  await editLines('tides.py', [4, 6], lines.join('\n'));
  await expectFileLines('tides.py', pythonLines.toSpliced(3, 3, ...lines));
});

test("a commit message omits the preamble and the code fence of the model's answer", async () => {
  const { page, folder } = session();
  await writeFile(join(folder, 'ebb.ts'), 'export const low = true;\n');
  execFileSync('git', ['add', 'ebb.ts'], { cwd: folder });
  await page
    .locator('.activitybar')
    .getByRole('tab', { name: /^Source Control/u })
    .click();
  await page.locator('.scm-view').getByText('Staged Changes').waitFor();
  const answer =
    'Sure! Here is the commit message:\n\n```text\ntides: add the ebb\n```\n\nLet me know if you prefer another style.';
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  const input = page.locator('.scm-view .scm-input .view-lines').first();
  // The buttons of a view are visible only while the mouse pointer is over the view.
  await input.hover();
  await page
    .locator('.sidebar')
    .getByRole('button', { name: 'Generate Commit Message with Inference Service' })
    .first()
    .click();
  await input.getByText('tides: add the ebb').waitFor();
  await eventually(async () =>
    expect((await input.innerText()).trim()).toMatch(/^tides:\sadd\sthe\sebb$/u),
  );
});

test('Apply on a code block changes the file that the answer names, and shows the change for review', async () => {
  const { workbench, chat, page } = session();
  const diffLines = [
    '@@ -1,3 +1,3 @@',
    ` ${moonLines[0]}`,
    `-${moonLines[1]}`,
    '+export const half = 14;',
    ` ${moonLines[2]}`,
  ];
  const answer = `Change **src/moon.ts**:\n\n\`\`\`diff\n${diffLines.join('\n')}\n\`\`\`\n\nThe moon was late.`;
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  await workbench.openFile('tides.py');
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.sendText('When is the moon half full?');
  await chat.waitUntilIdle();
  await chat.lastAnswer.getByRole('button', { name: 'More actions', exact: true }).click();
  await chat.lastAnswer.getByRole('button', { name: 'New File', exact: true }).press('Escape');
  await chat.lastAnswer.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await workbench.locateOption('src/moon.ts').waitFor();
  await pressIn(workbench.quickInput, 'Enter');
  await expectFileLines('src/moon.ts', moonLines.with(1, 'export const half = 14;'));
  await workbench.waitForActiveFile('moon.ts');
  const findLens = (name: RegExp) =>
    page.locator('.codelens-decoration a').filter({ hasText: name });
  // VS Code ignores a click on a code lens that it is about to draw again.
  await eventually(async (timeout) => {
    // An earlier click may have taken effect late.
    if ((await findLens(/^Keep$/u).count()) > 0) await findLens(/^Keep$/u).click({ timeout });
    await findLens(/^Keep All in File/u).waitFor({ state: 'detached', timeout });
  });
  await workbench.runCommand('View: Close All Editors');
  await workbench.openFile('moon.ts');
  await expectFileLines('src/moon.ts', moonLines.with(1, 'export const half = 14;'));
});

test('Apply on a patch changes the file that the patch names, and Copy copies its text', async () => {
  const { workbench, chat, page } = session();
  const patchLines = [
    '*** Begin Patch',
    '*** Update File: src/dawn.ts',
    '@@',
    '-export const rise = 6;',
    '+export const rise = 7;',
    '*** End Patch',
  ].join('\n');
  await getControl(session()).addScripts({
    steps: [{ content: `\`\`\`diff\n${patchLines}\n\`\`\`` }],
  });
  await chat.sendText('When does the sun rise?');
  await chat.waitUntilIdle();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copyButton = chat.lastAnswer
    .locator('.code-block')
    .getByRole('button', { name: 'Copy', exact: true });
  await copyButton.click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${patchLines}\n`);
  await chat.lastAnswer.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await workbench.locateOption('src/dawn.ts').waitFor();
  await pressIn(workbench.quickInput, 'Enter');
  await expectFileLines('src/dawn.ts', ['export const rise = 7;']);
});

test('Insert writes the code of a code block at the cursor, and New File opens it as a new file', async () => {
  const { workbench, chat, page } = session();
  await workbench.openFile('tides.py');
  await getControl(session()).addScripts({ steps: [{ content: '```python\nEBB = 18\n```' }] });
  await chat.sendText('When is the ebb?');
  await chat.waitUntilIdle();
  await chat.lastAnswer.getByRole('button', { name: 'Insert', exact: true }).click();
  await workbench.editor.getByText('EBB').first().waitFor();
  await pressIn(workbench.editor, 'Control+Z');
  await workbench.editor.getByText('EBB').first().waitFor({ state: 'detached' });
  await chat.lastAnswer.getByRole('button', { name: 'More actions', exact: true }).click();
  await chat.lastAnswer.getByRole('button', { name: 'New File', exact: true }).click();
  await page.locator('.tab.active').filter({ hasText: 'Untitled' }).waitFor();
  await workbench.editor.getByText('EBB').first().waitFor();
});

test('Apply shows the price and lets a model produce the edits if the code block omits lines of the file', async () => {
  const { workbench, chat, folder, page } = session();
  const textBefore = await readFile(join(folder, 'tides.html'), 'utf8');
  const lines = ['<main>', '  <!-- rest of the page -->', '  <footer>Low</footer>', '</main>'];
  const answer = `Add to **tides.html**:\n\n\`\`\`html\n${lines.join('\n')}\n\`\`\``;
  const editText =
    '<<<<<<< SEARCH\n</main>\n=======\n  <footer>Low</footer>\n</main>\n>>>>>>> REPLACE';
  await getControl(session()).addScripts(
    { steps: [{ content: answer }] },
    { steps: [{ content: editText }] },
  );
  await chat.sendText('Add a footer');
  await chat.waitUntilIdle();
  await chat.lastAnswer.getByRole('button', { name: 'Apply', exact: true }).click();
  const applyButton = workbench.locateDialogButton('Let a Model Apply It');
  await applyButton.waitFor();
  const detail = page.locator('.monaco-dialog-box').getByText(/for up to \$/u);
  const price = Number(/\$(?<usd>\d+\.\d+)/u.exec(await detail.innerText())?.groups?.['usd']);
  await takeScreenshot(session(), 'apply-with-model', 'dark');
  expect(await readFile(join(folder, 'tides.html'), 'utf8')).toBe(textBefore);
  await applyButton.click();
  await workbench.locateOption('tides.html').waitFor();
  await takeScreenshot(session(), 'apply-size', 'dark');
  await pressIn(workbench.quickInput, 'Enter');
  await expectFileLines(
    'tides.html',
    textBefore.trimEnd().split('\n').toSpliced(-1, 0, '  <footer>Low</footer>'),
  );
  const requests = await getControl(session()).getRequests();
  const sentRequests = requests.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(sentRequests).toHaveLength(2);
  const body = JSON.stringify(sentRequests[1]?.body);
  expect(body).toContain('You apply a code block');
  const limit = Number(/"max_completion_tokens":(?<count>\d+)/u.exec(body)?.groups?.['count']);
  const model = textModels.find(({ record }) => body.includes(`"model":"${record.id}"`));
  // The price in the dialog has two significant digits.
  expect(price).toBeGreaterThan(((model?.price.output ?? Infinity) * limit * 0.95) / 1e6);
});

test('Apply shows the first line of a SEARCH/REPLACE block that differs from the file', async () => {
  const { workbench, chat, page, folder } = session();
  const moonTextBefore = await readFile(join(folder, 'src/moon.ts'), 'utf8');
  const searchText = `${moonLines[0]}\nconst quarter = computeQuarter();`;
  const code = `<<<<<<< SEARCH\n${searchText}\n=======\nexport const moon = 1;\n>>>>>>> REPLACE`;
  const answer = `In \`src/moon.ts\`:\n\n\`\`\`ts\n${code}\n\`\`\``;
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  await chat.sendText('Merge the moons');
  await chat.waitUntilIdle();
  await chat.lastAnswer.getByRole('button', { name: 'Apply', exact: true }).click();
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.getByText('The code does not match the file.').waitFor();
  await dialog.getByText('Line 2 of change 1 differs from line 2 of the file:').waitFor();
  await takeScreenshot(session(), 'apply-difference', 'dark');
  await workbench.locateDialogButton('Cancel').click();
  expect(await readFile(join(folder, 'src/moon.ts'), 'utf8')).toBe(moonTextBefore);
});

test('a path with a line number in an answer is a link to this line if the file exists', async () => {
  const { workbench, chat } = session();
  const answer = 'The half moon is in `src/moon.ts:2`, not in `src/sun.ts`.';
  await getControl(session()).addScripts({ steps: [{ content: answer }] });
  await chat.sendText('Where is the half moon?');
  await chat.waitUntilIdle();
  const link = chat.lastAnswer.getByRole('link', { name: 'src/moon.ts:2' });
  await link.click();
  await workbench.waitForActiveFile('moon.ts');
  await workbench.locateStatusBarItem('Ln 2, Col 1').waitFor();
  expect(await chat.lastAnswer.getByRole('link').count()).toBe(1);
});
