import { expect, test } from 'vitest';
import { readTexts } from '../architecture/translations.ts';
import { Control } from '../service/control.ts';
import { accessibilityProblems } from './accessibility.ts';
import { screenshotEverywhere } from './appearance.ts';
import { fillField } from './pages/typing.ts';
import { useSession } from './session.ts';

const session = useSession({ name: 'german', language: 'de' });
const page = readTexts('webview/l10n/de.json');
const host = readTexts('media/l10n/bundle.l10n.de.json');
const manifest = readTexts('package.nls.de.json');
const command = (key: string): string => `Inference Service: ${manifest[`command.${key}`]}`;

test('commands, the chat and its lists speak German, in the narrowest side bar too', async () => {
  const { workbench, chat, service } = session();
  const control = new Control(service.controlUrl);
  await workbench.runCommand(command('focusChat'));
  const message = chat.content.getByRole('textbox', { name: page['Message'] ?? '', exact: true });
  await message.waitFor();
  await control.reset();
  await control.script({ steps: [{ content: 'Zweimal am Tag.' }] });
  await fillField(message, 'Wie oft wechseln die Gezeiten?');
  await message.press('Enter');
  await chat.content.getByText('Zweimal am Tag.', { exact: true }).waitFor();
  await chat.content.getByRole('button', { name: page['Retry'] ?? '', exact: true }).waitFor();
  const refusal =
    'The service does not accept this API key. Check that it is complete, of the right kind and not expired, or set another one.';
  await control.fault({
    match: { path: '/chat/completions' },
    fault: { kind: 'status', status: 401 },
  });
  await fillField(message, 'Und heute?');
  await message.press('Enter');
  await chat.content.getByText(host[refusal] ?? '', { exact: true }).waitFor();
  expect(await accessibilityProblems(chat.content)).toEqual([]);
  await screenshotEverywhere(session(), 'german-chat');

  await workbench.runCommand(command('showHistory'));
  const placeholder = host['Search in titles and in everything that was said'] ?? '';
  await session().page.getByPlaceholder(placeholder, { exact: true }).waitFor();
});

test('the list of models says in German what they can do, and writes prices as Germans do', async () => {
  const { workbench, chat } = session();
  await workbench.runCommand(command('focusChat'));
  await chat.content.getByRole('combobox', { name: page['Model'] ?? '', exact: true }).click();
  const picker = chat.content.getByRole('dialog', { name: page['Choose a model'] ?? '' });
  const filters = picker.getByRole('group', { name: page['Capabilities'] ?? '' });
  await filters.getByRole('button', { name: page['vision'] ?? '', exact: true }).click();
  const models = await picker.getByRole('option').allInnerTexts();
  expect(models.every((each) => each.includes(page['vision'] ?? ''))).toBe(true);
  expect(models.join()).toContain('privat · ');
  expect(models.join()).toMatch(/\$\d+,\d\d Eingabe/u);
  await picker.press('Escape');
});
