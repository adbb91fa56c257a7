import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands.ts';
import { workspaceSettings } from '../../src/platform/settings.ts';
import { root } from '../support/paths.ts';

interface Keybinding {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
  readonly when?: string;
}

interface MenuEntry {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
}

interface SettingsCategory {
  readonly title: string;
  readonly order: number;
  readonly properties: Readonly<
    Record<
      string,
      { readonly scope?: string; readonly order?: number; readonly enumDescriptions?: string[] }
    >
  >;
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: string[] };
  };
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly enablement?: string;
    }[];
    readonly configuration: readonly SettingsCategory[];
    readonly menus: Record<string, readonly MenuEntry[]>;
    readonly languageModelTools: readonly { readonly name: string; readonly when?: string }[];
    readonly keybindings: readonly Keybinding[];
  };
}

const manifestText = readFileSync(join(root, 'package.json'), 'utf8');
const manifest = JSON.parse(manifestText) as Manifest;
const nlsTexts = JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')) as Record<
  string,
  string
>;
const declaredCommands = manifest.contributes.commands.map(({ command }) => command);
const settingsCategories = manifest.contributes.configuration;
const settingSchemas = Object.fromEntries(
  settingsCategories.flatMap(({ properties }) => Object.entries(properties)),
);

const paletteEntries = manifest.contributes.menus['commandPalette'] ?? [];

function createPaletteContribution(entry: MenuEntry): Partial<Manifest['contributes']> {
  return { menus: { ...manifest.contributes.menus, commandPalette: [...paletteEntries, entry] } };
}

/**
 * Returns a line for each command whose declaration in the manifest differs from its row in the command table `table`.
 */
function findCommandProblems(
  { contributes }: Pick<Manifest, 'contributes'>,
  commandTable: Readonly<Record<string, { readonly when?: string }>>,
): string[] {
  const ids = contributes.commands.map(({ command }) => command);
  const allIds = new Set([...ids, ...Object.keys(commandTable)]);
  return [...allIds].flatMap((id) => {
    const row = commandTable[id];
    if (row === undefined) return [`${id} has no row`];
    const count = ids.filter((commandId) => commandId === id).length;
    if (count === 0) return [`${id} is not in the manifest`];
    if (count > 1) return [`${id} is in the manifest ${count} times`];
    const entries = (contributes.menus['commandPalette'] ?? []).filter(
      ({ command }) => command === id,
    );
    const formatKey =
      entries.map(({ when }) => formatCondition(when)).join(', or ') || formatCondition(undefined);
    const expectedCondition = formatCondition(row.when);
    return formatKey === expectedCondition
      ? []
      : [`${id} is in the palette ${formatKey}, in the table ${expectedCondition}`];
  });
}

const formatCondition = (when: string | undefined): string =>
  when === undefined ? 'always' : `when ${when}`;

describe('the commands', () => {
  test('are the same in the manifest and the command table, including palette conditions', () => {
    expect(findCommandProblems(manifest, commands)).toEqual([]);
  });

  test('have titles that are placeholders named after the command ID', () => {
    const titles = manifest.contributes.commands.map(({ command, title }) => [command, title]);
    expect(titles).toEqual(
      declaredCommands.map((id) => [id, `%command.${id.replace('inferenceService.', '')}%`]),
    );
  });

  test.each<[what: string, change: Partial<Manifest['contributes']>, problem: string]>([
    [
      'a command without a row',
      { commands: [...manifest.contributes.commands, { command: 'a.b', title: '%command.b%' }] },
      'a.b has no row',
    ],
    [
      'a row without a command',
      { commands: manifest.contributes.commands.slice(1) },
      `${declaredCommands[0]} is not in the manifest`,
    ],
    [
      'a command that is declared twice',
      {
        commands: [...manifest.contributes.commands, ...manifest.contributes.commands.slice(0, 1)],
      },
      `${declaredCommands[0]} is in the manifest 2 times`,
    ],
    [
      'a condition that only the manifest contains',
      createPaletteContribution({ command: 'inferenceService.showLog', when: 'editorIsOpen' }),
      'inferenceService.showLog is in the palette when editorIsOpen, in the table always',
    ],
    [
      'a command that the manifest hides',
      createPaletteContribution({ command: 'inferenceService.showLog', when: 'false' }),
      'inferenceService.showLog is in the palette when false, in the table always',
    ],
    [
      'a condition that only the table contains',
      { menus: { ...manifest.contributes.menus, commandPalette: paletteEntries.slice(1) } },
      `${paletteEntries[0]?.command} is in the palette always, in the table when ${paletteEntries[0]?.when}`,
    ],
    [
      'two conditions for the same command',
      createPaletteContribution({
        command: paletteEntries[0]?.command ?? '',
        when: 'editorIsOpen',
      }),
      `${paletteEntries[0]?.command} is in the palette when ${paletteEntries[0]?.when}, or when editorIsOpen, in the table when ${paletteEntries[0]?.when}`,
    ],
  ])('that differ from the command table are reported: %s', (_, change, problem) => {
    const changedManifest = { contributes: { ...manifest.contributes, ...change } };
    expect(findCommandProblems(changedManifest, commands)).toEqual([problem]);
  });

  test('in menus and keybindings are declared', () => {
    const { menus, keybindings } = manifest.contributes;
    const usedCommands = [...Object.values(menus).flat(), ...keybindings].flatMap(
      ({ command }) => command ?? [],
    );
    expect(usedCommands.filter((id) => !declaredCommands.includes(id))).toEqual([]);
  });
});

describe('the manifest', () => {
  const signedInContext = 'inferenceService.signedIn';

  test.each(['saveSpeech', 'transcribeFile', 'chatWithPersona', 'configureTools', 'keys.show'])(
    'shows the command %s in the Command Palette only if an API key is set',
    (name) => {
      const entry = paletteEntries.find(({ command }) => command === `inferenceService.${name}`);
      expect(entry?.when).toContain(signedInContext);
    },
  );

  test.each(['testConnection', 'copyDiagnostics'])(
    'offers the command %s in the chat view, because the Command Palette hides the command once an API key is set',
    (name) => {
      const isEntryOfCommand = ({ command }: MenuEntry): boolean =>
        command === `inferenceService.${name}`;
      expect(paletteEntries.find(isEntryOfCommand)?.when).toBe(`!${signedInContext}`);
      expect(manifest.contributes.menus['view/title']?.some(isEntryOfCommand)).toBe(true);
    },
  );

  test('provides language model tools only if an API key is set', () => {
    const tools = manifest.contributes.languageModelTools;
    expect(tools.filter(({ when }) => when !== signedInContext).map(({ name }) => name)).toEqual(
      [],
    );
  });
});

describe('the Command Palette of a signed-in user', () => {
  const codeContext = {
    'inferenceService.signedIn': true,
    isWorkspaceTrusted: true,
    workspaceFolderCount: 1,
    gitOpenRepositoryCount: 1,
    editorIsOpen: true,
    editorLangId: 'typescript',
    resourceExtname: '.ts',
  };
  const listVisibleCommands = (context: Readonly<Record<string, string | number | boolean>>) =>
    manifest.contributes.commands.filter(({ command, enablement }) => {
      const clauses = [enablement, paletteEntries.find((entry) => entry.command === command)?.when];
      return clauses.every((clause) => clause === undefined || evaluateCondition(clause, context));
    });

  // Contexts that add commands to the palette, except for a selection of an image file, which excludes code.
  const busiestContext = {
    ...codeContext,
    'view.inferenceService.chat.visible': true,
    editorHasSelection: true,
    'inferenceService.agent.reviewing': true,
    'inferenceService.inlineEdit.isWaiting': true,
    'inferenceService.reading': true,
    'config.inferenceService.wallet.payPerRequest': true,
  };

  test('lists at most 35 commands while a code file is open', () => {
    expect(listVisibleCommands(codeContext).length).toBeLessThanOrEqual(35);
    expect(listVisibleCommands(codeContext).length).toBeGreaterThan(25);
  });

  test('lists at most 35 commands with a selection in a code file, a visible chat and a review', () => {
    expect(listVisibleCommands(busiestContext).length).toBeLessThanOrEqual(35);
  });

  test('lists at most 35 commands for an image file and for a chat tab', () => {
    const { editorLangId: _, editorHasSelection: _selection, ...pageContext } = busiestContext;
    const imageCommands = listVisibleCommands({ ...pageContext, resourceExtname: '.png' });
    expect(imageCommands.length).toBeLessThanOrEqual(35);
    const tabCommands = listVisibleCommands({
      ...pageContext,
      activeWebviewPanelId: 'inferenceService.chatEditor',
      editorIsOpen: false,
    });
    expect(tabCommands.length).toBeLessThanOrEqual(35);
  });

  const codeCommands = ['explain', 'fix', 'editInline'].map((name) => `inferenceService.${name}`);

  test('omits the commands for code while the active editor has no text', () => {
    const { editorLangId: _, ...page } = codeContext;
    const visibleCommands = listVisibleCommands(page).map(({ command }) => command);
    for (const name of codeCommands) expect(visibleCommands).not.toContain(name);
  });

  test('lists the commands for code in a notebook, in which VS Code sets no language of the editor', () => {
    const { editorLangId: _, ...page } = codeContext;
    const notebookContext = { ...page, activeEditor: 'workbench.editor.notebook' };
    const visibleCommands = listVisibleCommands(notebookContext).map(({ command }) => command);
    expect(visibleCommands).toEqual(expect.arrayContaining(codeCommands));
  });

  test.each([
    ['a selection', { editorHasSelection: true }, 'askAboutSelection'],
    ['an image file', { resourceExtname: '.PNG' }, 'upscaleImage'],
    ['a review', { 'inferenceService.agent.reviewing': true }, 'agent.acceptChange'],
    ['a chat tab', { activeWebviewPanelId: 'inferenceService.chatEditor' }, 'renameChat'],
  ])('adds the commands for %s', (_, context, name) => {
    const hasCommand = (list: readonly { readonly command: string }[]): boolean =>
      list.some(({ command }) => command === `inferenceService.${name}`);
    expect(hasCommand(listVisibleCommands(codeContext))).toBe(false);
    expect(hasCommand(listVisibleCommands({ ...codeContext, ...context }))).toBe(true);
  });

  // The chat in the side bar, the editor and Source Control offer these commands.
  test.each([
    ['renameChat', 'view/title'],
    ['deleteChat', 'view/title'],
    ['exportChat', 'view/title'],
    ['findInChat', 'view/title'],
    ['openChatInEditor', 'view/title'],
    ['deleteAllChats', 'view/title'],
    ['attachProblems', 'inferenceService.editor'],
    ['generateImageFromSelection', 'inferenceService.editor'],
    ['document', 'inferenceService.editor'],
    ['writeTests', 'inferenceService.editor'],
    ['generateCommitMessage', 'scm/title'],
    ['stopCommitMessage', 'scm/title'],
    ['agent.acceptFile', 'editor/title'],
    ['agent.rejectFile', 'editor/title'],
    ['agent.showChanges', 'editor/title'],
  ])('omits the command %s, which is in the menu %s', (name, menu) => {
    const command = `inferenceService.${name}`;
    expect(listVisibleCommands(busiestContext).map((item) => item.command)).not.toContain(command);
    const entries = manifest.contributes.menus[menu] ?? [];
    expect(entries.map((entry) => entry.command)).toContain(command);
  });
});

/** Evaluates a `when` clause with the values in `context`. Supports only the operators that the manifest uses. */
function evaluateCondition(
  clause: string,
  context: Readonly<Record<string, string | number | boolean>>,
): boolean {
  return clause
    .split(' || ')
    .some((alternative) =>
      alternative.split(' && ').every((term) => isConditionMet(term, context)),
    );
}

function isConditionMet(
  term: string,
  context: Readonly<Record<string, string | number | boolean>>,
): boolean {
  const [, key = '', operator, operand = ''] =
    /^(?<key>\S+) (?<operator>==|!=|=~|>) (?<operand>.+)$/u.exec(term.trim()) ?? [];
  const value = context[key];
  switch (operator) {
    case '==':
      return String(value) === operand;
    case '!=':
      return String(value) !== operand;
    case '>':
      return Number(value) > Number(operand);
    case '=~': {
      const end = operand.lastIndexOf('/');
      return new RegExp(operand.slice(1, end), operand.slice(end + 1)).test(String(value));
    }
    case undefined:
      if (term === 'false') return false;
      return term.startsWith('!') ? !context[term.slice(1)] : Boolean(context[term]);
    default:
      throw new Error(`The clause "${term}" has an unknown operator.`);
  }
}

describe('the context menus of VS Code', () => {
  test.each(['editor/context', 'explorer/context'])(
    'contain, in the menu "%s", a single entry of the extension, which is a submenu',
    (menu) => {
      const entries = manifest.contributes.menus[menu] ?? [];
      expect(entries.map(({ submenu }) => submenu !== undefined)).toEqual([true]);
    },
  );
});

describe('the keybindings', () => {
  const { keybindings } = manifest.contributes;

  test('do not combine Option with a key that types a character on macOS', () => {
    const typingKeybindings = keybindings.filter(({ key, mac }) =>
      /^alt\+(?:shift\+)?.$/u.test(mac ?? key),
    );
    expect(typingKeybindings).toEqual([]);
  });

  test.each(['media/walkthrough/suggestions.md', 'README.md', 'docs/inline-suggestions.md'])(
    'for inline suggestions are the same in the manifest and in %s',
    (path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const boundKeybindings = keybindings.filter(
        ({ command, key }) => command.includes('.completion.') && key.startsWith('alt+'),
      );
      for (const { key, mac = '' } of boundKeybindings) {
        expect(text).toContain(formatKey(key));
        expect(text).toContain(formatKey(mac).replace('Alt', 'Option'));
      }
      const namedFamilies = [...text.matchAll(/Alt\+(?:Shift\+)?\\/gu)].map(([name]) => name);
      const boundKeys = boundKeybindings.map(({ key }) => formatKey(key));
      expect(new Set(namedFamilies)).toEqual(new Set(boundKeys));
    },
  );

  test('for suggestion requests apply only to writable editors while suggestions are enabled', () => {
    const triggerKeybinding = keybindings.find(({ command }) =>
      command.endsWith('.completion.trigger'),
    );
    expect(triggerKeybinding?.when?.split(' && ')).toEqual([
      'editorTextFocus',
      '!editorReadonly',
      'config.inferenceService.completion.enabled',
    ]);
  });

  /** Converts a key binding from the format of the manifest to the format that VS Code displays. */
  const formatKey = (key: string): string =>
    key.replaceAll(/[a-z]+/gu, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
});

describe('the texts of the manifest', () => {
  const keys = [...manifestText.matchAll(/"%(?<key>[^%"]+)%"/gu)].map(
    (match) => match.groups?.['key'] ?? '',
  );

  test('exist for each placeholder and are all used', () => {
    expect([...new Set(keys)].toSorted()).toEqual(Object.keys(nlsTexts).toSorted());
  });

  test('are placeholders in all fields that VS Code displays', () => {
    const fieldPattern =
      /"(?:title|description|markdownDescription|name|label|displayName)": "(?<text>[^"%][^"]*)"/gu;
    // Models read the parameters of tools.
    const displayedText = JSON.stringify(
      JSON.parse(manifestText),
      (key, value: unknown) => (key === 'inputSchema' ? undefined : value),
      2,
    );
    const texts = [...displayedText.matchAll(fieldPattern)].map((match) => match.groups?.['text']);
    // VS Code does not display these names.
    const commands = ['explain', 'fix', 'tests', 'doc', 'search', 'persona', 'image'];
    expect(texts).toEqual([
      'inference-service',
      'inferenceService_generateImage',
      'inferenceService_searchWeb',
      'inferenceService_readPage',
      'inferenceService_describeImage',
      'inferenceService_speak',
      'inference',
      ...commands,
    ]);
  });
});

test('the extension activates only for its own views, commands and providers, and after startup', () => {
  const ownEventPattern =
    /^on(?:(?:WebviewPanel|View|Command|LanguageModelChatProvider|Uri):?.*|StartupFinished)$/u;
  expect(manifest.activationEvents.filter((event) => !ownEventPattern.test(event))).toEqual([]);
});

describe('the settings', () => {
  /**
   * Settings whose workspace values VS Code ignores in Restricted Mode, because they determine where the extension
   * writes files.
   */
  const untrustedSettings = ['inferenceService.image.folder'];
  const guardedSettings = Object.keys(settingSchemas).filter(
    (name) => !workspaceSettings.some((workspaceSetting) => workspaceSetting === name),
  );

  test('include only three settings that a workspace can change, none of which is security-relevant', () => {
    expect([...workspaceSettings]).toEqual([
      'inferenceService.chat.wrapCode',
      'inferenceService.image.folder',
      'inferenceService.privateModelsOnly',
    ]);
    expect(guardedSettings.filter((name) => settingSchemas[name]?.scope !== 'application')).toEqual(
      [],
    );
  });

  test('include at most 34 settings', () => {
    expect(Object.keys(settingSchemas).length).toBeLessThanOrEqual(34);
  });

  test('have descriptions of at most 40 words', () => {
    const texts = Object.entries(nlsTexts).filter(([key]) => key.startsWith('setting.'));
    expect(texts.filter(([, text]) => text.split(/\s+/u).length > 40)).toEqual([]);
  });

  test('have `order` values that match their positions in the manifest, as do their categories', () => {
    const listNumbersUpTo = (length: number): number[] =>
      Array.from({ length }, (_, index) => index + 1);
    expect(settingsCategories.map(({ order }) => order)).toEqual(
      listNumbersUpTo(settingsCategories.length),
    );
    for (const { properties } of settingsCategories) {
      const orders = Object.values(properties).map(({ order }) => order);
      expect(orders).toEqual(listNumbersUpTo(orders.length));
    }
  });

  test('each belong to one category, in which settings with a common prefix are adjacent', () => {
    const names = settingsCategories.flatMap(({ properties }) => Object.keys(properties));
    expect(names).toEqual(Object.keys(settingSchemas));
    const families = names.map((name) => name.split('.').slice(1, -1).join('.'));
    const namedFamilies = families.filter(
      (family, index) => family !== '' && family !== families[index - 1],
    );
    expect(namedFamilies).toEqual([...new Set(namedFamilies)]);
  });

  test('describe their enum values only in Markdown', () => {
    const plainTextSettings = Object.entries(settingSchemas).filter(
      ([, setting]) => setting.enumDescriptions,
    );
    expect(plainTextSettings.map(([name]) => name)).toEqual([]);
  });

  test('with a security risk are restricted in untrusted workspaces', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(restrictedConfigurations.toSorted()).toEqual(
      [...guardedSettings, ...untrustedSettings].toSorted(),
    );
  });
});
