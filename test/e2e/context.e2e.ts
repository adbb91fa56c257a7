import { beforeEach, describe, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { accessibilityProblems } from './accessibility.ts';
import { screenshot, screenshotInThemes } from './appearance.ts';
import { typeSlowlyIn } from './pages/typing.ts';
import { type Session, useSession } from './session.ts';

const files = {
  'broken.ts': 'const tide: number = "high";\n',
  'firth.ts': 'export const firthDepth = 42;\n',
  '.github/prompts/harbour-check.prompt.md':
    '---\ndescription: Checks the harbour\n---\nCheck the harbour for leaks.\n',
};
const quick = 2;

const control = ({ service }: Session): Control => new Control(service.controlUrl);

/** What the service was asked so far, as text. */
async function asked(session: Session): Promise<string> {
  await session.chat.settled();
  const requests = await control(session).requests();
  return JSON.stringify(requests.filter(({ path }) => path.endsWith('/chat/completions')));
}

describe('mentions and commands', () => {
  const session = useSession({ name: 'context', files });

  beforeEach(async () => {
    await session().workbench.closeOverlays();
    await control(session()).reset();
    await control(session()).pace('instant');
    await session().newChat();
  });

  test('files and problems are named while a message is written, and go along', async () => {
    const { chat, workbench } = session();
    await workbench.openFile('broken.ts');
    await workbench.page.locator('.squiggly-error').first().waitFor();
    await session().newChat();
    const option = (name: RegExp) => chat.content.getByRole('option', { name });
    await typeSlowlyIn(chat.message, '#fi', quick);
    await option(/#file:/u).waitFor();
    await option(/firth\.ts/u).waitFor();
    expect(await accessibilityProblems(chat.content)).toEqual([]);
    await screenshotInThemes(session(), 'chat-mentions', chat.content);
    await chat.message.press('Escape');
    await option(/firth\.ts/u).waitFor({ state: 'hidden' });
    expect(await chat.message.inputValue()).toBe('#fi');
    await typeSlowlyIn(chat.message, 'rth', quick);
    await option(/firth\.ts/u).waitFor();
    await chat.message.press('Tab');
    await chat.content.getByText('firth.ts', { exact: true }).waitFor();
    await typeSlowlyIn(chat.message, 'and #pro', quick);
    await option(/#problems/u).waitFor();
    await chat.message.press('Enter');
    await chat.content.getByText('Problems of broken.ts', { exact: true }).waitFor();
    expect(await chat.message.inputValue()).toBe('#file:firth.ts and #problems ');
    await chat.message.press('Enter');
    await chat.lastAnswer.waitFor();
    const request = await asked(session());
    expect(request).toContain('firthDepth = 42');
    expect(request).toContain("Type 'string' is not assignable to type 'number'");
  });

  test('a command takes the selection along; a prompt of the folder is shown first', async () => {
    const { chat, workbench } = session();
    await workbench.openFile('firth.ts');
    await workbench.selectLines(1, 1);
    await session().newChat();
    await typeSlowlyIn(chat.message, '/', quick);
    await chat.content.getByRole('option', { name: /Checks the harbour/u }).waitFor();
    await screenshot(session(), 'chat-commands', 'dark');
    await typeSlowlyIn(chat.message, 'fi', quick);
    await chat.content.getByRole('option', { name: /\/fix/u }).waitFor();
    await chat.message.press('Enter');
    await chat.content.getByText('firth.ts:1').waitFor();
    await chat.message.press('Enter');
    await chat.lastAnswer.waitFor();
    const request = await asked(session());
    expect(request).toContain('Fix what is wrong in the attached code');
    expect(request).toContain('firthDepth');
    await typeSlowlyIn(chat.message, '/harb', quick);
    await chat.content.getByRole('option', { name: /\/harbour-check/u }).waitFor();
    await chat.message.press('Enter');
    await expect.poll(() => chat.message.inputValue()).toBe('Check the harbour for leaks.');
    expect(await asked(session())).not.toContain('for leaks');
  });
});

describe('in a folder that is not trusted', () => {
  const session = useSession({
    name: 'context-restricted',
    files,
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    },
  });

  test('nothing of the folder is offered', async () => {
    const { chat } = session();
    await session().newChat();
    await typeSlowlyIn(chat.message, '#', quick);
    await chat.content.getByText('until you trust the workspace').first().waitFor();
    expect(await chat.content.getByRole('option').count()).toBe(0);
    await chat.message.press('Escape');
    await chat.message.fill('/');
    await chat.content.getByRole('option', { name: /\/compact/u }).waitFor();
    expect(await chat.content.getByRole('option', { name: /harbour|fix/u }).count()).toBe(0);
  });
});
