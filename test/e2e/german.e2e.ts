import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTexts } from '../architecture/translations.ts';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/paths.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { fillField } from './pages/typing.ts';
import { useSession } from './session.ts';

const session = useSession({
  name: 'german',
  language: 'de',
  otherExtensions: [join(root, 'test', 'support', 'translated-extension')],
});
const translatePageText = createTranslator('webview/l10n/de.json');
const translateHostText = createTranslator('media/l10n/bundle.l10n.de.json');
const manifestTexts = { ...readTexts('package.nls.json'), ...readTexts('package.nls.de.json') };
const formatCommandTitle = (key: string): string =>
  `Inference Service: ${manifestTexts[`command.${key}`]}`;

/**
 * Returns a function that translates English texts with the translation file at `path`. Like the extension, it returns
 * a text without a translation unchanged.
 */
function createTranslator(path: string): (english: string) => string {
  const texts = readTexts(path);
  return (englishText) => texts[englishText] ?? englishText;
}

test('in German, commands, chat and lists are translated, and fit into the narrowest side bar', async () => {
  const { workbench, chat, service } = session();
  const control = new Control(service.controlUrl);
  await workbench.runCommand(formatCommandTitle('focusChat'));
  const messageField = chat.content.getByRole('textbox', {
    name: translatePageText('Message'),
    exact: true,
  });
  await messageField.waitFor();
  await control.reset();
  await control.addScripts({ steps: [{ content: 'Zweimal am Tag.' }] });
  await fillField(messageField, 'Wie oft wechseln die Gezeiten?');
  await messageField.press('Enter');
  await chat.content.getByText('Zweimal am Tag.', { exact: true }).waitFor();
  await chat.content
    .getByRole('button', { name: translatePageText('Retry'), exact: true })
    .waitFor();
  const refusal =
    'The service does not accept this API key. Check that it is complete, of the right kind and not expired, or set another one.';
  await control.injectFault({
    match: { path: '/chat/completions' },
    fault: { kind: 'status', status: 401 },
  });
  await fillField(messageField, 'Und heute?');
  await messageField.press('Enter');
  await chat.content.getByText(translateHostText(refusal), { exact: true }).waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'german-chat');

  await workbench.runCommand(formatCommandTitle('showHistory'));
  const placeholder = translateHostText('Search');
  await session().page.getByPlaceholder(placeholder, { exact: true }).waitFor();
});

test('in German, model capabilities are translated, and prices have the German format', async () => {
  const { workbench, chat } = session();
  await workbench.runCommand(formatCommandTitle('focusChat'));
  await chat.content
    .getByRole('combobox', { name: translatePageText('Model'), exact: true })
    .click();
  const picker = chat.content.getByRole('dialog', { name: translatePageText('Choose a model') });
  const filters = picker.getByRole('group', { name: translatePageText('Capabilities') });
  await filters.getByRole('button', { name: translatePageText('vision'), exact: true }).click();
  const pricePattern = translatePageText('{0} in').replace('{0}', () => String.raw`\$\d+,\d\d`);
  await eventually(async () => {
    const modelTexts = await picker.getByRole('option').allInnerTexts();
    expect(modelTexts.every((label) => label.includes(translatePageText('vision')))).toBe(true);
    expect(modelTexts.join()).toContain(`${translatePageText('private')} · `);
    expect(modelTexts.join()).toMatch(new RegExp(pricePattern, 'u'));
  });
  await picker.press('Escape');
});

test('in a language without a translation, commands and messages are English', async () => {
  const { workbench } = session();
  await workbench.runCommand('Gezeitentafel: Wasserstand anzeigen');
  await workbench.locateStatusBarItem('Der Wasserstand beträgt 3.4 m.').waitFor();
  await workbench.runCommand('Tide Tables: Show High Water');
  await workbench.locateStatusBarItem('High water is at 14:05.').waitFor();
});
