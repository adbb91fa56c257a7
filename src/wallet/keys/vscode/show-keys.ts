import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable.ts';
import { listApiKeys, type ManagedKey } from '../../../service/api-keys.ts';
import { toServiceError } from '../../../service/http/network-failure.ts';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import type { Host } from '../../../host.ts';
import { escapeIcons } from '../../../platform/notifications.ts';
import { mintInteractively } from '../../mint/vscode/mint-command.ts';
import { mintForWorkspace } from './mint-for-workspace.ts';
import { editKey } from './edit-key.ts';
import {
  mergeKeys,
  formatKeyDetail,
  formatKeyFacts,
  readAccountSummary,
  type KeyEntry,
  formatKeyEntryName,
} from './key-labels.ts';
import {
  promptForManagementKey,
  type KeyManagement,
  createKeyManagement,
  needsAdminKey,
  reportKeyFailure,
} from './management.ts';
import { listLocalApiKeys } from './local-api-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateApiKey } from './rotate-key.ts';
import { stripEllipsis } from '../../../base/amounts.ts';

interface KeyItem extends vscode.QuickPickItem {
  readonly key?: KeyEntry;
  readonly onSelect?: () => Promise<unknown>;
}

interface KeyButton extends vscode.QuickInputButton {
  readonly onClick: (key: KeyEntry) => Promise<unknown>;
}

/**
 * Runs "Show API Keys": lists all keys of the account if an ADMIN key is stored, otherwise the keys
 * on this machine.
 */
export async function showKeys(host: Host): Promise<void> {
  const management = createKeyManagement(host.account);
  // The list opens again after every action, so that it shows the current keys.
  for (let runAction = await pickKey(host, management); runAction !== undefined;) {
    await runAction();
    runAction =
      host.account.profile === management.profile ? await pickKey(host, management) : undefined;
  }
}

type ChosenAction = () => Promise<unknown>;

/** Shows the list of keys and returns the chosen action; `undefined` when the user closes the list. */
async function pickKey(host: Host, management: KeyManagement): Promise<ChosenAction | undefined> {
  const disposables = new DisposableStore();
  const choiceResolvers = Promise.withResolvers<ChosenAction | undefined>();
  const abortController = new AbortController();
  const picker = disposables.add(vscode.window.createQuickPick<KeyItem>());
  Object.assign(picker, {
    title: vscode.l10n.t('API keys of {0}', getDisplayHost(management.profile)),
    placeholder: vscode.l10n.t('Loading…'),
    matchOnDescription: true,
    matchOnDetail: true,
    busy: true,
  });
  disposables.add(
    picker.onDidAccept(() => choiceResolvers.resolve(toChosenAction(host, management, picker))),
  );
  disposables.add(
    picker.onDidTriggerItemButton(({ item: { key }, button }) => {
      if (key !== undefined) choiceResolvers.resolve(() => (button as KeyButton).onClick(key));
    }),
  );
  disposables.add(picker.onDidHide(() => choiceResolvers.resolve(undefined)));
  picker.show();
  void showKeysWhenLoaded(
    picker,
    loadKeys(host, management, abortController.signal),
    abortController.signal,
  );
  try {
    return await choiceResolvers.promise;
  } finally {
    abortController.abort();
    disposables.dispose();
  }
}

async function showKeysWhenLoaded(
  picker: vscode.QuickPick<KeyItem>,
  keysPromise: Promise<LoadedKeys>,
  signal: AbortSignal,
): Promise<void> {
  const loadedKeys = await keysPromise;
  if (!signal.aborted) Object.assign(picker, loadedKeys, { busy: false });
}

function toChosenAction(
  host: Host,
  management: KeyManagement,
  { selectedItems: [item] }: vscode.QuickPick<KeyItem>,
): ChosenAction | undefined {
  const key = item?.key;
  if (key === undefined) return item?.onSelect;
  return () => pickAction(createKeyButtons(host, management, key), key);
}

interface LoadedKeys {
  readonly items: readonly KeyItem[];
  readonly placeholder: string;
}

/** Loads the items of the key list. Never throws: if a request fails, one item shows the error. */
async function loadKeys(
  host: Host,
  management: KeyManagement,
  signal: AbortSignal,
): Promise<LoadedKeys> {
  const { account } = host;
  const localKeys = await listLocalApiKeys(account, management.profile);
  const createItems = (managedKeys: readonly ManagedKey[]): KeyItem[] => [
    ...mergeKeys(managedKeys, localKeys).map((key) =>
      toKeyItem(key, createKeyButtons(host, management, key)),
    ),
    ...(vscode.workspace.workspaceFolders === undefined ? [] : [createWorkspaceItem(host)]),
  ];
  try {
    const [managedKeys, accountSummary] = await Promise.all([
      listApiKeys(management.service, { signal }),
      readAccountSummary(account, management, signal),
    ]);
    const text =
      managedKeys.length === 0
        ? vscode.l10n.t('The account has no API keys')
        : vscode.l10n.t('Search');
    return {
      items: createItems(managedKeys),
      placeholder: [text, accountSummary].filter(Boolean).join(' · '),
    };
  } catch (error) {
    const { failure } = toServiceError(error);
    await reportKeyFailure(management, failure);
    // This failure is expected, because a key of type INFERENCE cannot list keys.
    if (needsAdminKey(error)) {
      return {
        items: [...createItems([]), ...createAdminItems(host, management)],
        placeholder: vscode.l10n.t('To see and change all keys, use an ADMIN key'),
      };
    }
    return {
      items: [createRetryItem(), ...createItems([])],
      placeholder: escapeIcons(failure.message),
    };
  }
}

function toKeyItem(key: KeyEntry, buttons: readonly KeyButton[]): KeyItem {
  return {
    label: escapeIcons(formatKeyEntryName(key)),
    description: escapeIcons(formatKeyFacts(key, Date.now())),
    detail: escapeIcons(formatKeyDetail(key)),
    iconPath: new vscode.ThemeIcon(key.localKey?.isInUse === true ? 'check' : 'key'),
    buttons,
    key,
  };
}

function createKeyButtons(
  host: Host,
  management: KeyManagement,
  key: KeyEntry,
): readonly KeyButton[] {
  const { managedKey, localKey } = key;
  const canRotate =
    localKey !== undefined && localKey.slot !== 'environment' && localKey.slot !== 'management';
  return [
    ...(managedKey === undefined
      ? []
      : [createKeyButton('edit', vscode.l10n.t('Edit'), () => editKey(management, managedKey))]),
    ...(canRotate
      ? [
          createKeyButton('sync', vscode.l10n.t('Rotate'), () =>
            rotateApiKey(host, { localKey, profile: management.profile }),
          ),
        ]
      : []),
    ...(managedKey === undefined
      ? []
      : [
          createKeyButton('copy', vscode.l10n.t('Copy'), () =>
            Promise.resolve(vscode.env.clipboard.writeText(managedKey.id)),
          ),
        ]),
    createKeyButton('trash', vscode.l10n.t('Revoke'), () => revokeKey(host, management, key)),
  ];
}

const createKeyButton = (icon: string, tooltip: string, run: KeyButton['onClick']): KeyButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
  onClick: run,
});

/** Shows the buttons of a list item as a second list, because the buttons cannot be reached with the keyboard. */
async function pickAction(buttons: readonly KeyButton[], key: KeyEntry): Promise<void> {
  const items = buttons.map(({ tooltip, iconPath, onClick }) => ({
    label: tooltip ?? '',
    iconPath: iconPath as vscode.ThemeIcon,
    run: onClick,
  }));
  const chosenItem = await vscode.window.showQuickPick(items, { title: formatKeyEntryName(key) });
  await chosenItem?.run(key);
}

function createAdminItems(host: Host, { profile }: KeyManagement): readonly KeyItem[] {
  return [
    {
      label: vscode.l10n.t('Enter an ADMIN key…'),
      iconPath: new vscode.ThemeIcon('key'),
      alwaysShow: true,
      onSelect: () => promptForManagementKey(host.account, profile),
    },
    {
      label: vscode.l10n.t('Get ADMIN Key with Wallet…'),
      iconPath: new vscode.ThemeIcon('add'),
      alwaysShow: true,
      onSelect: () => mintInteractively(host, 'ADMIN'),
    },
  ];
}

const createWorkspaceItem = (host: Host): KeyItem => ({
  label: stripEllipsis(vscode.l10n.t('Create API Key for This Workspace…')),
  iconPath: new vscode.ThemeIcon('add'),
  alwaysShow: true,
  onSelect: () => mintForWorkspace(host),
});

const createRetryItem = (): KeyItem => ({
  label: vscode.l10n.t('Retry'),
  iconPath: new vscode.ThemeIcon('refresh'),
  alwaysShow: true,
  onSelect: async () => {},
});
