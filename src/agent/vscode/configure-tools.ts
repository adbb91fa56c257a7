import * as vscode from 'vscode';
import type { Grant, Grants } from '../permissions/grants.ts';
import { estimateAllToolTokens, estimateToolTokens, isDeferredTool } from '../deferred-tools.ts';
import { estimateDefinitionTokens, type Tool } from '../tool.ts';
import { formatCount } from '../../base/amounts.ts';
import { isRecord } from '../../base/json.ts';
import { escapeIcons } from '../../platform/notifications.ts';

const toolSelectionKey = 'agent.tools';

/** Tools that the user enabled or disabled, stored for all windows. Workspace content cannot change this selection. */
export class ToolSelection {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Returns the names of those `tools` that the user disabled. Requests omit these tools. */
  listDisabledNames(tools: readonly Tool[]): ReadonlySet<string> {
    const { enabledNames, disabledNames } = this.#readNames();
    const isDisabled = ({ name, isOptIn = false }: Tool): boolean =>
      disabledNames.has(name) || (isOptIn && !enabledNames.has(name));
    return new Set(tools.filter(isDisabled).map(({ name }) => name));
  }

  /**
   * Enables the chosen tools, and disables all other items of `tools`. Does not change tools that `tools` does not
   * contain.
   */
  async setEnabledTools(tools: readonly Tool[], chosenNames: ReadonlySet<string>): Promise<void> {
    const { enabledNames, disabledNames } = this.#readNames();
    for (const { name } of tools) {
      (chosenNames.has(name) ? enabledNames : disabledNames).add(name);
      (chosenNames.has(name) ? disabledNames : enabledNames).delete(name);
    }
    await this.#state.update(toolSelectionKey, { on: [...enabledNames], off: [...disabledNames] });
  }

  #readNames(): { enabledNames: Set<string>; disabledNames: Set<string> } {
    const storedSelection: unknown = this.#state.get(toolSelectionKey);
    const toNameSet = (value: unknown): Set<string> =>
      new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);
    return isRecord(storedSelection)
      ? {
          enabledNames: toNameSet(storedSelection['on']),
          disabledNames: toNameSet(storedSelection['off']),
        }
      : { enabledNames: new Set(), disabledNames: new Set() };
  }
}

interface ToolItem extends vscode.QuickPickItem {
  readonly tool: Tool;
}

interface ToolPickerOptions {
  readonly tools: readonly Tool[];
  readonly selection: ToolSelection;
  readonly grants: Grants;
  /**
   * Returns the tools that requests would contain. Omits tools that the mode does not allow, and tools above the
   * maximum number.
   */
  readonly selectTools: (chosenTools: readonly Tool[]) => readonly Tool[];
}

const revokeButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('shield'),
  tooltip: vscode.l10n.t('Ask before each call again'),
};

/**
 * Asks the user which tools requests may contain. Shows the tokens of each tool, and buttons that revoke permanent
 * grants.
 */
export async function configureTools(options: ToolPickerOptions): Promise<void> {
  const quickPick = vscode.window.createQuickPick<ToolItem>();
  quickPick.canSelectMany = true;
  quickPick.matchOnDescription = true;
  quickPick.matchOnDetail = true;
  quickPick.placeholder = vscode.l10n.t('Configure Tools…');
  const show = (): void => {
    const listDisabledNames = options.selection.listDisabledNames(options.tools);
    const selectedNames =
      quickPick.items.length === 0 ? undefined : new Set(getToolNames(quickPick.selectedItems));
    quickPick.items = createItems(options);
    quickPick.selectedItems = quickPick.items.filter(
      ({ tool }) => selectedNames?.has(tool.name) ?? !listDisabledNames.has(tool.name),
    );
    quickPick.title = createPickerTitle(quickPick.selectedItems, options);
  };
  show();
  quickPick.onDidChangeSelection((items) => (quickPick.title = createPickerTitle(items, options)));
  quickPick.onDidTriggerItemButton(async ({ item }) => {
    for (const grant of findToolGrants(item.tool, options.grants))
      await options.grants.revokeGrant(grant);
    show();
  });
  await new Promise<void>((resolve) => {
    quickPick.onDidAccept(() => {
      void options.selection.setEnabledTools(
        options.tools,
        new Set(getToolNames(quickPick.selectedItems)),
      );
      quickPick.hide();
    });
    quickPick.onDidHide(() => resolve());
    quickPick.show();
  });
  quickPick.dispose();
}

const getToolNames = (items: readonly ToolItem[]): string[] => items.map(({ tool }) => tool.name);

function createItems({ tools, grants }: ToolPickerOptions): ToolItem[] {
  return tools.map((tool) => {
    const tokens = estimateToolTokens(tool);
    const toolGrants = findToolGrants(tool, grants);
    return {
      tool,
      label: escapeIcons(tool.name),
      description: [
        isDeferredTool(tool)
          ? vscode.l10n.t(
              '{0} tokens per request, {1} more when used',
              formatCount(tokens),
              formatCount(estimateDefinitionTokens(tool)),
            )
          : vscode.l10n.t('{0} tokens per request', formatCount(tokens)),
        ...(toolGrants.length === 0 ? [] : [vscode.l10n.t('always allowed')]),
      ].join(' · '),
      detail: escapeIcons(tool.description.split('\n', 1)[0] ?? ''),
      buttons: toolGrants.length === 0 ? [] : [revokeButton],
    };
  });
}

function createPickerTitle(items: readonly ToolItem[], { selectTools }: ToolPickerOptions): string {
  const tools = selectTools(items.map(({ tool }) => tool));
  const tokens = estimateAllToolTokens(tools);
  return vscode.l10n.t(
    '{0} tools, about {1} tokens in each request',
    tools.length,
    formatCount(tokens),
  );
}

/**
 * Returns the permanent grants for a tool itself. For a tool that runs commands, returns the permanent grants for
 * command prefixes.
 */
function findToolGrants({ name }: Tool, { workspaceGrants }: Grants): Grant[] {
  const keys = workspaceGrants.tools.filter((key) => key === name || key.startsWith(`${name}#`));
  const commands = name === 'run_command' ? workspaceGrants.commands : [];
  return [
    ...keys.map((key): Grant => ({ type: 'tool', key })),
    ...(commands.length === 0 ? [] : [{ type: 'commands', commands } as const]),
  ];
}
