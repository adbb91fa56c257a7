import * as vscode from 'vscode';
import type { Grant, Grants } from '../permissions/grants.ts';
import { type Tool, toolTokens } from '../tool.ts';
import { formatCount } from '../../base/amounts.ts';
import { isRecord } from '../../base/json.ts';
import { withoutIcons } from '../../platform/notifications.ts';

const key = 'agent.tools';

/** Which tools the person switched on or off. Kept for all windows; nothing in a workspace can change it. */
export class ToolChoice {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The names of those of `tools` that models do not get. */
  off(tools: readonly Tool[]): ReadonlySet<string> {
    const { on, off } = this.#kept();
    const isOff = ({ name, optIn = false }: Tool): boolean =>
      off.has(name) || (optIn && !on.has(name));
    return new Set(tools.filter(isOff).map(({ name }) => name));
  }

  /** Sets what is on of `tools`; what was said of others stays. */
  async choose(tools: readonly Tool[], chosen: ReadonlySet<string>): Promise<void> {
    const { on, off } = this.#kept();
    for (const { name } of tools) {
      (chosen.has(name) ? on : off).add(name);
      (chosen.has(name) ? off : on).delete(name);
    }
    await this.#state.update(key, { on: [...on], off: [...off] });
  }

  #kept(): { on: Set<string>; off: Set<string> } {
    const kept: unknown = this.#state.get(key);
    const names = (value: unknown): Set<string> =>
      new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
    return isRecord(kept)
      ? { on: names(kept['on']), off: names(kept['off']) }
      : { on: new Set(), off: new Set() };
  }
}

interface ToolItem extends vscode.QuickPickItem {
  readonly tool: Tool;
}

interface Parts {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice;
  readonly grants: Grants;
  /** What of the chosen tools a model really gets: the mode leaves some out, and there is a largest number. */
  readonly given: (chosen: readonly Tool[]) => readonly Tool[];
}

const askAgain: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('shield'),
  tooltip: vscode.l10n.t('Ask before each call again'),
};

/** Lets the person choose which tools models get, with what each costs, and take back what they allowed for good. */
export async function configureTools(parts: Parts): Promise<void> {
  const pick = vscode.window.createQuickPick<ToolItem>();
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.placeholder = vscode.l10n.t('Tools that models may call');
  const show = (): void => {
    const off = parts.choice.off(parts.tools);
    const selected = pick.items.length === 0 ? undefined : new Set(namesOf(pick.selectedItems));
    pick.items = itemsOf(parts);
    pick.selectedItems = pick.items.filter(
      ({ tool }) => selected?.has(tool.name) ?? !off.has(tool.name),
    );
    pick.title = titleOf(pick.selectedItems, parts);
  };
  show();
  pick.onDidChangeSelection((items) => (pick.title = titleOf(items, parts)));
  pick.onDidTriggerItemButton(async ({ item }) => {
    for (const grant of grantsOf(item.tool, parts.grants)) await parts.grants.revoke(grant);
    show();
  });
  await new Promise<void>((resolve) => {
    pick.onDidAccept(() => {
      void parts.choice.choose(parts.tools, new Set(namesOf(pick.selectedItems)));
      pick.hide();
    });
    pick.onDidHide(() => resolve());
    pick.show();
  });
  pick.dispose();
}

const namesOf = (items: readonly ToolItem[]): string[] => items.map(({ tool }) => tool.name);

function itemsOf({ tools, grants }: Parts): ToolItem[] {
  return tools.map((tool) => {
    const tokens = toolTokens(tool);
    const granted = grantsOf(tool, grants);
    return {
      tool,
      label: withoutIcons(tool.name),
      description: [
        vscode.l10n.t('{0} tokens per request', formatCount(tokens)),
        ...(granted.length === 0 ? [] : [vscode.l10n.t('always allowed')]),
      ].join(' · '),
      detail: withoutIcons(tool.description.split('\n', 1)[0] ?? ''),
      buttons: granted.length === 0 ? [] : [askAgain],
    };
  });
}

function titleOf(items: readonly ToolItem[], { given }: Parts): string {
  const tools = given(items.map(({ tool }) => tool));
  const tokens = tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
  return vscode.l10n.t(
    '{0} tools, about {1} tokens in each request',
    tools.length,
    formatCount(tokens),
  );
}

/** What of this tool is allowed for good: a tool as such, or for commands each beginning. */
function grantsOf({ name }: Tool, { kept }: Grants): Grant[] {
  const keys = kept.tools.filter((key) => key === name || key.startsWith(`${name}#`));
  const commands = name === 'run_command' ? kept.commands : [];
  return [
    ...keys.map((key): Grant => ({ type: 'tool', key })),
    ...(commands.length === 0 ? [] : [{ type: 'commands', commands } as const]),
  ];
}
